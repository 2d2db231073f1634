/// Base64 as RFC 4648 section 4 has it, padded, without line breaks.
enum Base64 {
    /// Appends the encoding of `data`: four bytes for every three, rounded up.
    static func encode(_ data: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        output.reserveCapacity(output.count + (data.count + 2) / 3 * 4)
        var index = 0
        while index + 3 <= data.count {
            let group =
                UInt32(data[index]) << 16 | UInt32(data[index + 1]) << 8 | UInt32(data[index + 2])
            append(group, digits: 4, to: &output)
            index += 3
        }
        switch data.count - index {
        case 1:
            append(UInt32(data[index]) << 16, digits: 2, to: &output)
            output.append(contentsOf: [padding, padding])
        case 2:
            append(
                UInt32(data[index]) << 16 | UInt32(data[index + 1]) << 8, digits: 3, to: &output)
            output.append(padding)
        default: break
        }
    }

    /// The bytes that `text` encodes; `nil` where it is no such encoding.
    ///
    /// Padding is needed, and no bit may be set beyond the last byte: one encoding for all data.
    ///
    /// - Complexity: O(bytes).
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let digits = text.prefix { $0 != padding }
        guard text.count - digits.count <= 2,
            text.dropFirst(digits.count).allSatisfy({ $0 == padding })
        else { return nil }
        var data: [UInt8] = []
        data.reserveCapacity(digits.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var bitCount = 0
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            bits = bits << 6 | value
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            data.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            bits &= 1 << UInt32(bitCount) - 1
        }
        return bits == 0 ? data : nil
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit) - 0x41
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 0x61 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    private static func append(_ group: UInt32, digits: Int, to output: inout [UInt8]) {
        for position in 0..<digits {
            output.append(alphabet[Int(group >> UInt32(18 - 6 * position) & 63)])
        }
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
}
