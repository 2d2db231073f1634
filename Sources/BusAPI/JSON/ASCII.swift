/// Facts about single ASCII bytes, and numbers written in them.
enum ASCII {
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    static func isEqualIgnoringCase(_ text: some StringProtocol, _ lowercase: StaticString) -> Bool
    {
        guard text.utf8.count == lowercase.utf8CodeUnitCount else { return false }
        return lowercase.withUTF8Buffer { expected in
            zip(text.utf8, expected).allSatisfy { byte, wanted in
                (0x41...0x5A).contains(byte) ? byte | 0x20 == wanted : byte == wanted
            }
        }
    }
}

extension [UInt8] {
    /// Appends an integer in decimal digits, without making a string of it.
    mutating func append(decimal value: some BinaryInteger) {
        if value < 0 { append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        var reversed: (UInt64, UInt64, UInt64) = (0, 0, 0)
        Swift.withUnsafeMutableBytes(of: &reversed) { digits in
            var count = 0
            repeat {
                let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
                digits[count] = UInt8(ascii: "0") + UInt8(remainder)
                count += 1
                rest = quotient
            } while rest != 0
            append(contentsOf: digits[..<count].reversed())
        }
    }
}
