/// Facts about single ASCII bytes, and numbers written in them.
public enum ASCII {
    /// Whether a byte is a decimal digit.
    public static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// The value of a hexadecimal digit; nil for other bytes.
    public static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// A text with `%` and two digits in place of each byte that `keeps` does not keep, which gets its
    /// index and the byte.
    public static func percentEncoded(
        _ text: String, keeping keeps: (Int, UInt8) -> Bool
    ) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for (index, byte) in text.utf8.enumerated() {
            if keeps(index, byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The bytes of a text that ``percentEncoded(_:keeping:)`` has made; nil where two hexadecimal digits
    /// do not follow a percent sign.
    public static func percentDecoded(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            var byte = text[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < text.count, let high = hexValue(text[index + 1]),
                    let low = hexValue(text[index + 2])
                else { return nil }
                byte = high << 4 | low
                index += 2
            }
            decoded.append(byte)
            index += 1
        }
        return decoded
    }

    /// Whether a text is another one, letters of either case being equal.
    public static func isEqualIgnoringCase(_ text: some StringProtocol, _ lowercase: StaticString)
        -> Bool
    {
        guard text.utf8.count == lowercase.utf8CodeUnitCount else { return false }
        return lowercase.withUTF8Buffer { expected in
            zip(text.utf8, expected).allSatisfy { byte, wanted in
                (0x41...0x5A).contains(byte) ? byte | 0x20 == wanted : byte == wanted
            }
        }
    }

    /// Whether bytes are a text, letters of either case being equal.
    ///
    /// - Parameter lowercase: ASCII without capitals.
    @inlinable
    public static func isEqualIgnoringCase(
        _ bytes: UnsafeRawBufferPointer, _ lowercase: StaticString
    ) -> Bool {
        bytes.count == lowercase.utf8CodeUnitCount && hasPrefixIgnoringCase(bytes, lowercase)
    }

    /// Whether bytes begin with a text, letters of either case being equal.
    ///
    /// - Parameter lowercase: ASCII without capitals.
    /// - Complexity: O(bytes of the text), eight at a time: each request has its names compared.
    @inlinable
    public static func hasPrefixIgnoringCase(
        _ bytes: UnsafeRawBufferPointer, _ lowercase: StaticString
    ) -> Bool {
        let count = lowercase.utf8CodeUnitCount
        guard bytes.count >= count else { return false }
        guard let start = bytes.baseAddress else { return true }
        let expected = UnsafeRawPointer(lowercase.utf8Start)
        guard count >= 8 else {
            for index in 0..<count {
                let (byte, wanted) = (bytes[index], lowercase.utf8Start[index])
                guard byte == wanted || byte | 0x20 == wanted && byte &- 0x41 < 26 else {
                    return false
                }
            }
            return true
        }
        var offset = 0
        while true {
            let wanted = expected.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let differing = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ wanted
            guard differing & ~letters(of: wanted) == 0 else { return false }
            if offset + 8 == count { return true }
            // The last eight may have some of those before.
            offset = min(offset + 8, count - 8)
        }
    }

    /// The bit that tells capitals from small letters, in each of eight bytes that is a small letter. None is
    /// above 0x7F, so no sum reaches the next byte.
    @inlinable
    static func letters(of word: UInt64) -> UInt64 {
        let fromA = word &+ 0x1F1F_1F1F_1F1F_1F1F
        let beyondZ = word &+ 0x0505_0505_0505_0505
        return (fromA & ~beyondZ & 0x8080_8080_8080_8080) >> 2
    }
}
