/// Tells the code of a Swift text from its comments and literals, so that a rule is neither broken
/// nor kept by a word that is only spoken of.
///
/// What is interpolated into a string is code. Literals of regular expressions are not known: their
/// slashes are taken for operators.
struct CodeText {
    private let text: [UInt8]
    private var position = 0
    private var code: [UInt8] = []

    /// The text with spaces, one for each byte, in place of comments and literals.
    static func blanked(_ text: String) -> String {
        var reader = CodeText(text)
        reader.readCode(inParentheses: false)
        return String(decoding: reader.code, as: UTF8.self)
    }

    /// The words of a text, which are of ASCII's letters, digits and underscores.
    static func words(of text: String) -> [String] {
        text.utf8.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                false
            default: true
            }
        }.map { String($0)! }
    }

    private init(_ text: String) {
        self.text = Array(text.utf8)
        code.reserveCapacity(self.text.count)
    }

    /// Reads to the end, or to the parenthesis that closes an interpolation.
    private mutating func readCode(inParentheses: Bool) {
        var depth = 0
        while position < text.count {
            if isAt("//") {
                blankLine()
            } else if isAt("/*") {
                blankComment()
            } else if let hashes = hashesBeforeQuote() {
                blankString(hashes: hashes)
            } else {
                let byte = text[position]
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") { depth -= 1 }
                keep()
                if inParentheses, depth < 0 { return }
            }
        }
    }

    private mutating func blankLine() {
        while position < text.count, text[position] != UInt8(ascii: "\n") { blank() }
    }

    private mutating func blankComment() {
        var depth = 0
        while position < text.count {
            if isAt("/*") {
                depth += 1
                blank(2)
            } else if isAt("*/") {
                depth -= 1
                blank(2)
                if depth == 0 { return }
            } else {
                blank()
            }
        }
    }

    /// The number of `#` before the quote of a literal that begins here; nil where none does.
    private func hashesBeforeQuote() -> Int? {
        let hashes = text[position...].prefix { $0 == UInt8(ascii: "#") }
        guard hashes.endIndex < text.count, text[hashes.endIndex] == UInt8(ascii: "\"") else {
            return nil
        }
        return hashes.count
    }

    private mutating func blankString(hashes: Int) {
        let extra = String(repeating: "#", count: hashes)
        blank(hashes)
        let quotes = isAt("\"\"\"") ? "\"\"\"" : "\""
        blank(quotes.utf8.count)
        let (end, escape) = (quotes + extra, "\\" + extra)
        while position < text.count {
            if isAt(end) {
                blank(end.utf8.count)
                return
            } else if isAt(escape + "(") {
                blank(escape.utf8.count + 1)
                readCode(inParentheses: true)
            } else if isAt(escape) {
                blank(escape.utf8.count + 1)
            } else if text[position] == UInt8(ascii: "\n"), quotes == "\"" {
                return
            } else {
                blank()
            }
        }
    }

    private func isAt(_ word: String) -> Bool { text[position...].starts(with: word.utf8) }

    private mutating func keep() {
        code.append(text[position])
        position += 1
    }

    private mutating func blank(_ count: Int = 1) {
        for byte in text[position...].prefix(count) {
            code.append(byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " "))
        }
        position = min(position + count, text.count)
    }
}
