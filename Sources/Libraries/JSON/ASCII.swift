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
    public static func isEqualIgnoringCase(
        _ bytes: UnsafeRawBufferPointer, _ lowercase: StaticString
    ) -> Bool {
        bytes.count == lowercase.utf8CodeUnitCount && hasPrefixIgnoringCase(bytes, lowercase)
    }

    /// Whether bytes begin with a text, letters of either case being equal.
    public static func hasPrefixIgnoringCase(
        _ bytes: UnsafeRawBufferPointer, _ lowercase: StaticString
    ) -> Bool {
        guard bytes.count >= lowercase.utf8CodeUnitCount else { return false }
        return lowercase.withUTF8Buffer { expected in
            zip(bytes, expected).allSatisfy { byte, wanted in
                (0x41...0x5A).contains(byte) ? byte | 0x20 == wanted : byte == wanted
            }
        }
    }
}
