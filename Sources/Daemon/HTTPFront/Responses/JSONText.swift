/// Strings as JSON writes them (RFC 8259 section 7).
public enum JSONText {
    /// Writes `text` between quotation marks, escaped.
    ///
    /// Besides what JSON demands, U+007F, U+0085, U+2028 and U+2029 are escaped: some readers of
    /// lines break at them, or hide them.
    ///
    /// - Complexity: O(bytes).
    public static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &output) }
    }

    /// Writes bytes, which must be UTF-8, between quotation marks, escaped.
    ///
    /// - Complexity: O(bytes).
    public static func append(_ utf8: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var copied = 0
        var index = 0
        while index < utf8.count {
            guard mayBeginEscaped(utf8[index]), let (scalar, count) = escaped(in: utf8, at: index)
            else {
                index += 1
                continue
            }
            output.append(contentsOf: utf8[copied..<index])
            appendEscape(scalar, to: &output)
            index += count
            copied = index
        }
        output.append(contentsOf: utf8[copied...])
        output.append(UInt8(ascii: "\""))
    }

    /// Whether a byte is one of the few that a scalar to be escaped begins with.
    @inline(__always)
    private static func mayBeginEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte >= 0x7F && (byte == 0x7F || byte == 0xC2 || byte == 0xE2)
            || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// The scalar at `index` and how many bytes it has, if it must be escaped.
    package static func escaped(
        in utf8: UnsafeRawBufferPointer, at index: Int
    ) -> (scalar: UInt16, count: Int)? {
        let byte = utf8[index]
        if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            return (UInt16(byte), 1)
        }
        if byte == 0xC2, index + 1 < utf8.count, utf8[index + 1] == 0x85 { return (0x85, 2) }
        if byte == 0xE2, index + 2 < utf8.count, utf8[index + 1] == 0x80,
            utf8[index + 2] & 0xFE == 0xA8
        {
            return (0x2000 | UInt16(utf8[index + 2] & 0x3F), 3)
        }
        return nil
    }

    /// Writes the escape of a scalar that must be escaped.
    package static func appendEscape(_ scalar: UInt16, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch scalar {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0x22, 0x5C: output.append(UInt8(scalar))
        default:
            output.append(UInt8(ascii: "u"))
            for shift in [12, 8, 4, 0] as [UInt16] {
                let digit = UInt8(scalar >> shift & 0xF)
                output.append(
                    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}
