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

    private static func append(_ group: UInt32, digits: Int, to output: inout [UInt8]) {
        for position in 0..<digits {
            output.append(alphabet[Int(group >> UInt32(18 - 6 * position) & 63)])
        }
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
}
