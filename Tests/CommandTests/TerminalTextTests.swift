import Testing

@testable import belfry

@Suite struct TerminalTextTests {
    private func printable(
        _ bytes: [UInt8], _ escapes: TerminalText.Escapes = .plain
    ) -> String {
        let shown = bytes.withUnsafeBytes { TerminalText.printable($0, escapes) }
        return String(decoding: shown, as: UTF8.self)
    }

    @Test(arguments: [
        ("", ""), ("a b\tc\nd", "a b\tc\nd"), ("one\r\ntwo", "one\r\ntwo"), ("né 日本 🎉", "né 日本 🎉"),
        ("a\rb\r", "a\\u{d}b\\u{d}"), ("\u{1B}[2J", "\\u{1b}[2J"),
        ("\u{7F}\u{9B}2J", "\\u{7f}\\u{9b}2J"),
        ("\u{202E}\u{2066}\u{200F}", "\\u{202e}\\u{2066}\\u{200f}"),
        ("\u{2028}\u{85}\u{E0041}", "\\u{2028}\\u{85}\\u{e0041}"),
    ])
    func whatIsNotPrintableIsWrittenOut(text: String, shown: String) {
        #expect(printable(Array(text.utf8)) == shown)
    }

    @Test func everyByteOfNoCharacterIsWrittenOut() {
        #expect(printable([0x61, 0x9B, 0x32, 0xFF]) == "a\\x9b2\\xff")
        #expect(printable([0xC2]) == "\\xc2")
        #expect(printable([0xE2, 0x80, 0x41]) == "\\xe2\\x80A")
        // Overlong forms of ESC, a surrogate, and more than Unicode has.
        #expect(printable([0xC0, 0x9B]) == "\\xc0\\x9b")
        #expect(printable([0xE0, 0x80, 0x9B]) == "\\xe0\\x80\\x9b")
        #expect(printable([0xED, 0xA0, 0x80]) == "\\xed\\xa0\\x80")
        #expect(printable([0xF4, 0x90, 0x80, 0x80]) == "\\xf4\\x90\\x80\\x80")
    }

    @Test func inJSONItIsWrittenAsJSONHasIt() {
        #expect(printable(Array("\"\u{202E}\u{9B}\"\n".utf8), .json) == "\"\\u202e\\u009b\"\n")
        #expect(printable(Array("\u{E0041}".utf8), .json) == "\\udb40\\udc41")
        #expect(printable([0x9B], .json) == "\\ufffd")
    }

    @Test func ofAllBytesAndAllShortTextsNothingElseIsLeft() {
        for first in UInt8.min ... .max {
            for second in UInt8.min ... .max {
                let shown = printable([first, second, 0x41])
                #expect(shown.hasSuffix("A"))
                let isText = shown.unicodeScalars.allSatisfy { scalar in
                    switch scalar.properties.generalCategory {
                    case .control: ["\n", "\t", "\r"].contains(scalar)
                    case .format, .lineSeparator, .paragraphSeparator: false
                    default: true
                    }
                }
                #expect(isText && (!shown.contains("\r") || shown.hasPrefix("\r\n")), "\(shown)")
            }
        }
    }

    @Test func onALineThereIsNoLineEnd() {
        #expect(TerminalText.line("a\r\nb\tc\u{1B}") == "a\\u{d}\\u{a}b\tc\\u{1b}")
    }
}
