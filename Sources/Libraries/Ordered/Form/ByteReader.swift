internal import Topics

/// Reads the bytes of a ``ByteWriter``. Values that it would have written in another way are
/// refused, so equal values are equal bytes.
struct ByteReader {
    private var rest: UnsafeRawBufferPointer

    /// Reads bytes that stay where they are as long as this does.
    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    /// How many bytes are left.
    var count: Int { rest.count }

    mutating func byte() throws(GroupFormError) -> UInt8 { try take(1)[0] }

    private mutating func take(_ count: Int) throws(GroupFormError) -> UnsafeRawBufferPointer {
        guard count <= rest.count else { throw .damaged("it ends too early") }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    mutating func number() throws(GroupFormError) -> UInt64 {
        var (number, shift) = (0 as UInt64, 0 as UInt64)
        while true {
            let byte = try byte()
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits <= 1, shift <= 63, shift == 0 || byte != 0 else {
                throw .damaged("a number is too long")
            }
            number |= bits << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
        }
    }

    /// A number in a range.
    mutating func number<Value: FixedWidthInteger>(
        _ what: StaticString, in range: ClosedRange<Value>
    ) throws(GroupFormError) -> Value {
        let number = try number()
        guard let value = Value(exactly: number), range.contains(value) else {
            throw .damaged("\(what) is \(number)")
        }
        return value
    }

    mutating func signed() throws(GroupFormError) -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    mutating func wide() throws(GroupFormError) -> UInt128 {
        UInt128(highestFirst: try take(16))
    }

    /// Whether something is there: a byte 0 or 1.
    mutating func flag() throws(GroupFormError) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        default: throw .damaged("a flag is neither 0 nor 1")
        }
    }

    /// A number that may be absent, in a range.
    mutating func optional<Value: FixedWidthInteger>(
        _ what: StaticString, in range: ClosedRange<Value>
    ) throws(GroupFormError) -> Value? {
        try flag() ? try number(what, in: range) : nil
    }

    mutating func text() throws(GroupFormError) -> String {
        let bytes = try take(length())
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .damaged("a text is not UTF-8")
        }
        return text
    }

    mutating func optionalText() throws(GroupFormError) -> String? { try flag() ? text() : nil }

    mutating func payload() throws(GroupFormError) -> Payload {
        let bytes = try take(length())
        return bytes.isEmpty ? .empty : Payload(copying: bytes)
    }

    /// Everything that is left.
    mutating func all() throws(GroupFormError) -> [UInt8] { Array(try take(count)) }

    private mutating func length() throws(GroupFormError) -> Int {
        let length = try number()
        guard let length = Int(exactly: length) else { throw .damaged("it ends too early") }
        return length
    }

    /// Takes the sum of all other bytes off the end, and compares it.
    mutating func checkSum() throws(GroupFormError) {
        guard rest.count >= 8 else { throw .damaged("it ends too early") }
        let content = UnsafeRawBufferPointer(rebasing: rest[..<(rest.count - 8)])
        let sum = UInt64(highestFirst: rest[content.count...])
        guard Checksum.fnv1a(content) == sum else {
            throw .damaged("its bytes and their sum differ")
        }
        rest = content
    }
}
