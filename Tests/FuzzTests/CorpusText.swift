/// The inputs of one parser as a text that a reviewer can compare: `Corpus/NAME.txt`.
///
/// A line is an input, and ends with a line feed, the last one too. An empty line is the empty
/// input. In a line:
///
/// - `\\` is a backslash, `\n` a line feed, `\r` a carriage return, `\t` a tab,
/// - `\x20` is a space at the end of the line, where editors would remove it,
/// - each other byte from the space to `~` is itself,
/// - any other byte is `\xNN`, of two lower-case hexadecimal digits.
///
/// Lines rise in the order of their bytes, as `LC_ALL=C sort -u` has them. The same inputs are
/// always the same text: every other way to write them is refused.
struct CorpusText: Equatable {
    /// The inputs in the order of their lines, each once.
    let inputs: [[UInt8]]

    init(of inputs: some Sequence<[UInt8]>) {
        self.inputs = Set(inputs).map { (input: $0, line: Self.line(of: $0)) }
            .sorted { $0.line.lexicographicallyPrecedes($1.line) }.map(\.input)
    }

    /// - Throws: `Broken` with the first line that the inputs would not be written with.
    init(reading text: [UInt8]) throws(Broken) {
        var lines = text.split(separator: Self.lineFeed, omittingEmptySubsequences: false)
        try hold(lines.removeLast().isEmpty, "the last line has no line feed")
        var inputs: [[UInt8]] = []
        for (index, line) in lines.enumerated() {
            let input = Self.input(of: line)
            try hold(
                Self.line(of: input).elementsEqual(line),
                "line \(index + 1) is not written as the format has it")
            try hold(
                index == 0 || lines[index - 1].lexicographicallyPrecedes(line),
                "line \(index + 1) does not come after the one before")
            inputs.append(input)
        }
        self.inputs = inputs
    }

    /// The text, which `init(reading:)` reads.
    var bytes: [UInt8] { inputs.flatMap { Self.line(of: $0) + [Self.lineFeed] } }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let backslash = UInt8(ascii: "\\")
    private static let space = UInt8(ascii: " ")

    /// The bytes that have a letter behind the backslash.
    private static let letters: [UInt8: UInt8] = [
        backslash: backslash, lineFeed: UInt8(ascii: "n"), UInt8(ascii: "\r"): UInt8(ascii: "r"),
        UInt8(ascii: "\t"): UInt8(ascii: "t"),
    ]

    private static func line(of input: [UInt8]) -> [UInt8] {
        var line: [UInt8] = []
        for (index, byte) in input.enumerated() {
            let isLast = index == input.count - 1
            if let letter = letters[byte] {
                line += [backslash, letter]
            } else if (space...UInt8(ascii: "~")).contains(byte), byte != space || !isLast {
                line.append(byte)
            } else {
                line += Array((byte < 0x10 ? "\\x0" : "\\x").utf8)
                line += Array(String(byte, radix: 16).utf8)
            }
        }
        return line
    }

    /// The input that a line is written for, if it is one of the format; anything otherwise.
    private static func input(of line: ArraySlice<UInt8>) -> [UInt8] {
        var input: [UInt8] = []
        var rest = line
        while let byte = rest.popFirst() {
            guard byte == backslash, let letter = rest.popFirst() else {
                input.append(byte)
                continue
            }
            if let meant = letters.first(where: { $0.value == letter })?.key {
                input.append(meant)
            } else {
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                input.append(UInt8(digits, radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            }
        }
        return input
    }
}
