/// What a JSON string says.
enum JSONString {
    /// The text between the quotation marks of `token`, its escapes resolved, as UTF-8.
    ///
    /// - Parameter token: One whole string, as ``JSONScanner`` lets it pass.
    /// - Complexity: O(bytes).
    static func text(of token: ArraySlice<UInt8>) -> [UInt8] {
        let escaped = token.dropFirst().dropLast()
        var text: [UInt8] = []
        text.reserveCapacity(escaped.count)
        var index = escaped.startIndex
        while index < escaped.endIndex {
            guard escaped[index] == UInt8(ascii: "\\") else {
                text.append(escaped[index])
                index += 1
                continue
            }
            let letter = escaped[index + 1]
            guard letter == UInt8(ascii: "u") else {
                text.append(control(letter))
                index += 2
                continue
            }
            var scalar = codeUnit(escaped[(index + 2)..<(index + 6)])
            index += 6
            if (0xD800..<0xDC00).contains(scalar) {
                let low = codeUnit(escaped[(index + 2)..<(index + 6)])
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                index += 6
            }
            if let scalar = Unicode.Scalar(scalar) { text.append(contentsOf: UTF8.encode(scalar)!) }
        }
        return text
    }

    /// The byte that a backslash and this letter stand for.
    private static func control(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    private static func codeUnit(_ digits: ArraySlice<UInt8>) -> UInt32 {
        digits.reduce(0) { $0 << 4 | UInt32(ASCII.hexValue($1) ?? 0) }
    }
}
