/// The escapes in a string of JSON (RFC 8259 section 7).
enum JSONEscapes {
    /// The bytes that a string stands for; nil where an escape is none.
    static func undone(in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\") else {
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "\\")) ?? bytes.count
                output.append(contentsOf: bytes[index..<end])
                index = end
                continue
            }
            guard index + 1 < bytes.count else { return nil }
            if let plain = plain(bytes[index + 1]) {
                output.append(plain)
                index += 2
            } else {
                guard let (scalar, width) = scalar(in: bytes, at: index) else { return nil }
                output.append(contentsOf: Unicode.UTF8.encode(scalar)!)
                index += width
            }
        }
        return output
    }

    private static func plain(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// The scalar of `\uXXXX`, or of two of them that are a pair, and how many bytes it took.
    private static func scalar(
        in bytes: UnsafeRawBufferPointer, at index: Int
    ) -> (Unicode.Scalar, Int)? {
        guard let first = unit(in: bytes, at: index) else { return nil }
        guard (0xD800..<0xDC00).contains(first) else {
            return Unicode.Scalar(first).map { ($0, 6) }
        }
        guard let second = unit(in: bytes, at: index + 6), (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { return nil }
        return (scalar, 12)
    }

    private static func unit(in bytes: UnsafeRawBufferPointer, at index: Int) -> UInt32? {
        guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        return UInt32(String(decoding: bytes[index + 2..<index + 6], as: UTF8.self), radix: 16)
    }
}
