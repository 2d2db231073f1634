/// Text as a terminal may have it: nothing of it moves the cursor, colours, or turns writing around.
///
/// Printable is every scalar but those that Unicode calls controls (C0, DEL, C1), formats (such as
/// those of writing direction), and separators of lines and paragraphs. Bytes that are no UTF-8 are
/// not printable: a terminal may take each of them for a control.
enum TerminalText {
    /// How scalars and bytes that are not printable are written out.
    enum Escapes: Sendable {
        /// `\u{1b}` for a scalar, `\x9b` for a byte that is no part of one.
        case plain
        /// `\u001b`, as a string of JSON has it; for a byte that is no part of a scalar `\ufffd`.
        case json
    }

    /// The bytes with line ends and tabs as they are, and all else that is not printable written out.
    ///
    /// - Complexity: O(bytes).
    static func printable(_ bytes: UnsafeRawBufferPointer, _ escapes: Escapes = .plain) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var (index, iterator) = (0, bytes.makeIterator())
        var parser = Unicode.UTF8.ForwardParser()
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput: return output
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                index += encoded.count
                // A carriage return alone would have the rest written over the line.
                let endsLine = scalar == "\r" && index < bytes.count && bytes[index] == 0x0A
                if scalar == "\n" || scalar == "\t" || endsLine || isPrintable(scalar) {
                    output.append(contentsOf: encoded)
                } else {
                    output.append(contentsOf: written(scalar, escapes).utf8)
                }
            case .error(let count):
                for byte in bytes[index..<index + count] {
                    output.append(contentsOf: written(byte, escapes).utf8)
                }
                index += count
            }
        }
    }

    /// The text on one line: line ends are written out too.
    static func line(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            if scalar == "\t" || isPrintable(scalar) {
                line.unicodeScalars.append(scalar)
            } else {
                line += written(scalar, .plain)
            }
        }
        return line
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static func written(_ scalar: Unicode.Scalar, _ escapes: Escapes) -> String {
        switch escapes {
        case .plain: "\\u{\(String(scalar.value, radix: 16))}"
        case .json: String(scalar).utf16.map { "\\u" + hex($0, digits: 4) }.joined()
        }
    }

    private static func written(_ byte: UInt8, _ escapes: Escapes) -> String {
        switch escapes {
        case .plain: "\\x" + hex(byte, digits: 2)
        case .json: "\\ufffd"
        }
    }

    private static func hex(_ number: some BinaryInteger, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
