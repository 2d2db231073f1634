import JSON
import TestSupport
import Testing

@Suite struct JSONTextTests {
    @Test(arguments: [
        ("", #""""#), ("plain é 😀", #""plain é 😀""#), (#"a"b\c/"#, #""a\"b\\c/""#),
        ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#), ("\0\u{1F}\u{7F}", #""\u0000\u001f\u007f""#),
        ("\u{80}\u{85}\u{A0}", "\"\u{80}\\u0085\u{A0}\""),
        ("\u{2027}\u{2028}\u{2029}\u{202A}", "\"\u{2027}\\u2028\\u2029\u{202A}\""),
    ])
    func stringsAreEscapedAsJSONAndReadersOfLinesNeed(text: String, json: String) {
        var output: [UInt8] = []
        JSONText.append(text, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == json)
    }

    @Test func whateverTheBytesTheyAreWrittenAsOneByOne() {
        var random = SeededRandom(for: "escaping")
        let telling: [UInt8] = [
            0, 0x08, 0x0A, 0x1F, 0x20, 0x22, 0x5C, 0x7E, 0x7F, 0x80, 0x85, 0xA8, 0xA9, 0xAA, 0xC2,
            0xC3, 0xE2, 0xE3, 0xFF,
        ]
        for round in 0..<2_000 {
            // From bytes that all need a look to a text in which few do.
            let plainness = [0, 1, 8, 64][round % 4]
            let bytes = (0..<Int.random(in: 0...600, using: &random)).map { _ in
                Int.random(in: 0...plainness, using: &random) == 0
                    ? telling.randomElement(using: &random)! : UInt8(ascii: "x")
            }
            var output = Array("kept".utf8)
            bytes.withUnsafeBytes { JSONText.append($0, to: &output) }
            #expect(output == Array("kept".utf8) + quoted(bytes), "of \(bytes)")
            let bytesMax = bytes.withUnsafeBytes { JSONText.bytesMax(of: $0) }
            #expect(bytesMax >= output.count - 4, "of \(bytes)")
        }
    }

    @Test func plainTextTakesNoMoreRoomThanItNeeds() {
        let text = String(repeating: "plain é ", count: 1_000)
        let bytesMax = Array(text.utf8).withUnsafeBytes { JSONText.bytesMax(of: $0) }
        var output: [UInt8] = []
        JSONText.append(text, to: &output)
        #expect((output.count..<output.count + 64).contains(bytesMax))
    }

    /// The same as ``JSONText`` writes, one byte after the other.
    private func quoted(_ bytes: [UInt8]) -> [UInt8] {
        let short: [UInt8: String] = [
            0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r", 0x22: "\\\"",
            0x5C: "\\\\", 0x7F: "\\u007f",
        ]
        var text = "\"".utf8.map { $0 }
        var rest = bytes[...]
        while let byte = rest.first {
            if rest.starts(with: [0xC2, 0x85]) {
                text += "\\u0085".utf8
                rest = rest.dropFirst(2)
            } else if rest.starts(with: [0xE2, 0x80, 0xA8])
                || rest.starts(with: [0xE2, 0x80, 0xA9])
            {
                text += "\\u202\(rest.dropFirst(2).first! == 0xA8 ? 8 : 9)".utf8
                rest = rest.dropFirst(3)
            } else {
                if let escape = short[byte] {
                    text += escape.utf8
                } else if byte < 0x20 {
                    text += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
                } else {
                    text.append(byte)
                }
                rest = rest.dropFirst()
            }
        }
        return text + "\"".utf8
    }
}
