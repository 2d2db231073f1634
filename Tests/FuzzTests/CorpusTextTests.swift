import Foundation
import TestSupport
import Testing

/// No byte of an input is lost in the text that keeps it.
@Suite struct CorpusTextTests {
    private static let written: [(input: String, line: String)] = [
        ("", ""), ("a b~!", "a b~!"), (" a", " a"), ("a ", #"a\x20"#), ("  ", #" \x20"#),
        (#"\"#, #"\\"#), (#"\n"#, #"\\n"#), (#"\\x00"#, #"\\\\x00"#),
        ("\n", #"\n"#), ("\r\n", #"\r\n"#), ("\ta\t", #"\ta\t"#),
        ("\0", #"\x00"#), ("\0\0", #"\x00\x00"#), ("\u{0F}", #"\x0f"#), ("\u{7F}1", #"\x7f1"#),
        ("é", #"\xc3\xa9"#),
    ]

    @Test(arguments: written)
    func anInputIsWrittenAsALine(input: String, line: String) throws {
        let corpus = CorpusText(of: [Array(input.utf8)])
        #expect(String(decoding: corpus.bytes, as: UTF8.self) == line + "\n")
        #expect(try CorpusText(reading: corpus.bytes).inputs == [Array(input.utf8)])
    }

    @Test func everyByteComesBackFromEveryPlace() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        let inputs = Set(
            bytes.flatMap { [[$0], [$0, $0], [$0, 0x20], [0x5C, $0, 0x61]] } + [[], bytes])
        let corpus = CorpusText(of: inputs)
        #expect(Set(corpus.inputs) == inputs)
        #expect(corpus.inputs.count == inputs.count)
        #expect(corpus.bytes.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
        #expect(try CorpusText(reading: corpus.bytes) == corpus)
    }

    @Test func noInputsAreAnEmptyTextAndTheEmptyInputIsALine() throws {
        #expect(CorpusText(of: []).bytes == [])
        #expect(try CorpusText(reading: []).inputs == [])
        #expect(CorpusText(of: [[]]).bytes == [0x0A])
        #expect(try CorpusText(reading: [0x0A]).inputs == [[]])
    }

    @Test func theSameInputsAreTheSameText() {
        let inputs = ["b", "", "a", "\0", "b", "\n", "ab", "~"].map { Array($0.utf8) }
        let text = "\n\\n\n\\x00\na\nab\nb\n~\n"
        #expect(CorpusText(of: inputs).bytes == Array(text.utf8))
        #expect(CorpusText(of: inputs.reversed()).bytes == Array(text.utf8))
    }

    @Test(arguments: [
        ("a", "the last line has no line feed"),
        ("a\nb", "the last line has no line feed"),
        ("b\na\n", "line 2 does not come after the one before"),
        ("a\na\n", "line 2 does not come after the one before"),
        ("a\n\n", "line 2 does not come after the one before"),
        ("a\r\n", "line 1 is not written as the format has it"),
        ("a \n", "line 1 is not written as the format has it"),
        ("a\n\u{E9}\n", "line 2 is not written as the format has it"),
        ("\\\n", "line 1 is not written as the format has it"),
        ("\\q00\n", "line 1 is not written as the format has it"),
        ("\\x\n", "line 1 is not written as the format has it"),
        ("\\x0\n", "line 1 is not written as the format has it"),
        ("\\x+1\n", "line 1 is not written as the format has it"),
        ("\\x0A\n", "line 1 is not written as the format has it"),
        ("\\xFF\n", "line 1 is not written as the format has it"),
        ("\\x41\n", "line 1 is not written as the format has it"),
    ])
    func anotherTextIsRefused(text: String, sentence: String) throws {
        let broken = #expect(throws: Broken.self) { try CorpusText(reading: Array(text.utf8)) }
        #expect(broken?.description == sentence)
    }

    @Test func aFolderOfInputsIsUnpackedAndPackedAgain() throws {
        let folder = TemporaryFolder()
        let place = URL(fileURLWithPath: folder.path)
        let corpus = CorpusText(of: [[], [0x00], [0x0A], [0x5C], [0xFF], [0x61, 0x20]])
        try corpus.unpack(into: place)
        #expect(folder.text(of: "\(folder.path)/1") == "")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 6)
        #expect(try CorpusText(packing: place) == corpus)
        let file = place.appendingPathComponent("corpus.txt")
        try corpus.write(to: file)
        #expect(folder.text(of: file.path) == "\n\\\\\n\\n\n\\x00\n\\xff\na\\x20\n")
    }
}
