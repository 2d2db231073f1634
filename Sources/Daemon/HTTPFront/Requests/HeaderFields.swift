/// The header fields of one request, in order, as bytes.
///
/// All names and values lie in one storage beside a table of where each begins, so that a request
/// costs two allocations whatever it carries. Names are compared without case. Blanks and tabs
/// around a value are no part of it (RFC 9110 section 5.5) and are cut off on the way in.
///
/// Does not promise that names and values are well-formed: `RequestRules` checks that.
public struct HeaderFields: Sendable {
    private struct Field {
        var start: UInt32
        var nameCount: UInt32
        var valueCount: UInt32
    }

    private var storage: [UInt8] = []
    private var fields: [Field] = []

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

    /// How many fields have this name.
    ///
    /// - Parameter name: In lower case.
    public func occurrences(of name: StaticString) -> Int {
        var occurrences = 0
        forEach(named: name) { _ in occurrences += 1 }
        return occurrences
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

    /// What `body` makes of the bytes of the first field of this name, or nil without one.
    ///
    /// The bytes are valid only inside `body`.
    ///
    /// - Parameter name: In lower case.
    public func withFirst<Result>(
        _ name: StaticString, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        storage.withUnsafeBytes { bytes in
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
        let count = UInt32(name.utf8CodeUnitCount)
        storage.withUnsafeBytes { bytes in
            for field in fields where field.nameCount == count {
                if Self.name(of: field, in: bytes).equalsIgnoringCase(name) {
                    body(Self.value(of: field, in: bytes))
                }
            }
        }
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
