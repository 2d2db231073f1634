/// Whether bytes that come in pieces are UTF-8 (RFC 3629 section 4).
///
/// Says no at the first byte that no text can have there, so that the sender of a long text hears
/// of it at once.
struct UTF8Check {
    /// Bytes that the character begun still needs.
    private var left: UInt8 = 0
    /// The least and the greatest value of the next of them. Overlong forms, surrogates and numbers
    /// above U+10FFFF are told by the second byte.
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF

    /// Whether no character is cut off at the end.
    var isComplete: Bool { left == 0 }

    /// Looks at the next piece; false when it cannot be text.
    ///
    /// - Complexity: O(bytes); eight at a time while they are ASCII.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if left == 0, index + 8 <= bytes.count,
                bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & Self.highBits == 0
            {
                index += 8
                continue
            }
            guard accept(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        if left > 0 {
            guard low...high ~= byte else { return false }
            left -= 1
            (low, high) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case 0x00...0x7F: break
        case 0xC2...0xDF: left = 1
        case 0xE0: (left, low) = (2, 0xA0)
        case 0xED: (left, high) = (2, 0x9F)
        case 0xE1...0xEF: left = 2
        case 0xF0: (left, low) = (3, 0x90)
        case 0xF1...0xF3: left = 3
        case 0xF4: (left, high) = (3, 0x8F)
        default: return false
        }
        return true
    }

    private static let highBits: UInt64 = 0x8080_8080_8080_8080
}
