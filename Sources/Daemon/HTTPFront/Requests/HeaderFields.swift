/// The header fields of one request, in order, as bytes.
///
/// All names and values lie in one storage beside a table of where each begins, so that a request
/// costs two allocations for any number of fields. Names are compared without case. Blanks and tabs
/// around a value are no part of it (RFC 9110 section 5.5) and are cut off on the way in.
///
/// Does not promise that names and values are well-formed: `RequestRules` checks that.
public struct HeaderFields: Sendable, Equatable {
    private struct Field: Equatable {
        var start: UInt32
        var nameCount: UInt32
        var valueCount: UInt32
    }

    private var storage: [UInt8] = []
    private var fields: [Field] = []
    /// A bit for each name there is, see ``mark(of:)``.
    private var marks: UInt64 = 0
    /// A bit for the first two letters of each name, see ``start(of:)``.
    private var starts: UInt64 = 0

    /// No fields, with room for `bytes` bytes in `count` fields.
    public init(reserving bytes: Int = 0, count: Int = 0) {
        storage.reserveCapacity(bytes)
        fields.reserveCapacity(count)
    }

    /// How many fields there are, repeated ones counted.
    public var count: Int { fields.count }

    /// Adds one field behind the others, copying its bytes.
    ///
    /// - Complexity: O(bytes), amortised.
    public mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let trimmed = value.trimmingBlanks()
        marks |= Self.mark(of: name)
        starts |= Self.start(of: name)
        fields.append(
            Field(
                start: UInt32(storage.count), nameCount: UInt32(name.count),
                valueCount: UInt32(trimmed.count)))
        storage.append(contentsOf: name)
        storage.append(contentsOf: trimmed)
    }

    /// Adds one field behind the others.
    public mutating func append(_ name: String, _ value: String) {
        var (name, value) = (name, value)
        name.withUTF8 { name in
            value.withUTF8 { value in
                append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
            }
        }
    }

    /// Gives the field at a place another value, which has no blanks at its ends.
    ///
    /// - Complexity: O(bytes), and O(fields) where it is of another length.
    mutating func replaceValue(at index: Int, with value: UnsafeRawBufferPointer) {
        let start = Int(fields[index].start) + Int(fields[index].nameCount)
        let old = start..<start + Int(fields[index].valueCount)
        storage.replaceSubrange(old, with: value)
        guard value.count != old.count else { return }
        fields[index].valueCount = UInt32(value.count)
        for later in fields.indices[(index + 1)...] {
            fields[later].start = UInt32(Int(fields[later].start) + value.count - old.count)
        }
    }

    /// The fields of all other names.
    ///
    /// - Parameter name: In lower case.
    /// - Complexity: O(bytes).
    func removing(_ name: StaticString) -> HeaderFields {
        guard has(name) else { return self }
        var others = HeaderFields(reserving: storage.count, count: fields.count)
        forEach { own, value in
            if !own.equalsIgnoringCase(name) { others.append(name: own, value: value) }
        }
        return others
    }

    /// The value of the first field of this name, or nil without one.
    ///
    /// Bytes that are not UTF-8 are replaced by U+FFFD.
    ///
    /// - Parameter name: In lower case.
    /// - Complexity: O(fields).
    public func first(_ name: StaticString) -> String? {
        withFirst(name) { String(decoding: $0, as: UTF8.self) }
    }

    /// The values of all fields of this name, in order.
    ///
    /// - Parameter name: In lower case.
    public func all(_ name: StaticString) -> [String] {
        var values: [String] = []
        forEach(named: name) { values.append(String(decoding: $0, as: UTF8.self)) }
        return values
    }

    /// Whether a field has this name.
    ///
    /// - Parameter name: In lower case.
    public func has(_ name: StaticString) -> Bool { occurrences(of: name) > 0 }

    /// How many fields have this name.
    ///
    /// - Parameter name: In lower case.
    public func occurrences(of name: StaticString) -> Int {
        var occurrences = 0
        forEach(named: name) { _ in occurrences += 1 }
        return occurrences
    }

    /// The first of several names that a field has; nil where all are absent.
    ///
    /// - Complexity: O(1) for most requests that have none of them, and O(fields × names) else.
    public func first(of names: HeaderNames) -> StaticString? {
        guard marks & names.marks != 0 else { return nil }
        return names.all.first { has($0) }
    }

    /// Whether a comma-separated list, over all fields of this name, holds `token` in any case.
    ///
    /// - Parameters:
    ///   - name: In lower case.
    ///   - token: In lower case.
    public func list(_ name: StaticString, contains token: StaticString) -> Bool {
        var found = false
        forEach(named: name) { value in
            if !found { found = value.listContains(token) }
        }
        return found
    }

    /// Calls `body` with the bytes of the first field of this name, and returns its result; nil
    /// without one.
    ///
    /// The bytes are valid only inside `body`.
    ///
    /// - Parameter name: In lower case.
    public func withFirst<Result>(
        _ name: StaticString, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        guard mayHold(name) else { return nil }
        return storage.withUnsafeBytes { bytes in
            for field in fields where field.nameCount == name.utf8CodeUnitCount {
                let candidate = Self.name(of: field, in: bytes)
                if candidate.equalsIgnoringCase(name) {
                    return body(Self.value(of: field, in: bytes))
                }
            }
            return nil
        }
    }

    /// The first name that `isIt` says yes to, as it was sent; nil without one.
    ///
    /// The bytes are valid only inside `isIt`.
    public func firstName(where isIt: (UnsafeRawBufferPointer) -> Bool) -> String? {
        storage.withUnsafeBytes { bytes in
            for field in fields {
                let name = Self.name(of: field, in: bytes)
                if isIt(name) { return String(decoding: name, as: UTF8.self) }
            }
            return nil
        }
    }

    /// Whether a name may begin like one of `names`. No for a request that has none of these, and for most others.
    ///
    /// - Complexity: O(1).
    public func mayBegin(like names: HeaderNames) -> Bool { starts & names.starts != 0 }

    /// Calls `body` with the bytes of each name and value, in order; they are valid only inside.
    public func forEach(
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        storage.withUnsafeBytes { bytes in
            for field in fields {
                body(Self.name(of: field, in: bytes), Self.value(of: field, in: bytes))
            }
        }
    }

    /// Calls `body` with the value of each field of this name; most are told by their length.
    @inline(__always)
    private func forEach(named name: StaticString, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard mayHold(name) else { return }
        let count = UInt32(name.utf8CodeUnitCount)
        storage.withUnsafeBytes { bytes in
            for field in fields where field.nameCount == count {
                if Self.name(of: field, in: bytes).equalsIgnoringCase(name) {
                    body(Self.value(of: field, in: bytes))
                }
            }
        }
    }

    /// Whether a field may have this name: most that are asked for are absent, and are told by their
    /// mark alone.
    @inline(__always)
    private func mayHold(_ name: StaticString) -> Bool { marks & Self.mark(of: name) != 0 }

    @inline(__always)
    fileprivate static func mark(of name: StaticString) -> UInt64 {
        mark(of: bytes(of: name))
    }

    fileprivate static func bytes(of name: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }

    /// One bit by the length of a name and its first and last letter, whose case does not count.
    @inline(__always)
    private static func mark(of name: UnsafeRawBufferPointer) -> UInt64 {
        guard let first = name.first, let last = name.last else { return 1 }
        let number = UInt64(name.count) &* 7 &+ UInt64(first | 0x20) &+ UInt64(last | 0x20)
        return 1 << (number & 63)
    }

    /// One bit by the first two letters of a name, whose case does not count.
    @inline(__always)
    fileprivate static func start(of name: UnsafeRawBufferPointer) -> UInt64 {
        guard name.count > 1 else { return 1 }
        return 1 << ((UInt64(name[0] | 0x20) &* 5 &+ UInt64(name[1] | 0x20)) & 63)
    }

    private static func name(
        of field: Field, in bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let start = Int(field.start)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(field.nameCount)])
    }

    private static func value(
        of field: Field, in bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let start = Int(field.start) + Int(field.nameCount)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(field.valueCount)])
    }
}

/// Names of headers, or beginnings of names, that are looked for together.
public struct HeaderNames: Sendable {
    fileprivate let all: [StaticString]
    fileprivate let marks: UInt64
    fileprivate let starts: UInt64

    /// Names in lower case.
    public init(_ names: StaticString...) {
        all = names
        marks = names.reduce(0) { $0 | HeaderFields.mark(of: $1) }
        starts = names.reduce(0) { $0 | HeaderFields.start(of: HeaderFields.bytes(of: $1)) }
    }
}
