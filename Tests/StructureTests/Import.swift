/// One `import` of a file, in whatever form it is written.
struct Import: Equatable {
    /// The module, without what is named inside of it.
    let module: String

    /// The attributes before it, such as `@testable`.
    let metadata: [String]

    /// The conditions of compilation around it, the outermost first; `!` before those of `#else`.
    let conditions: [String]

    /// Its line, counted from 0.
    let line: Int

    /// All imports of a file, in order.
    static func all(in file: SourceFile) -> [Import] {
        let conditions = conditions(in: file)
        let tokens = tokens(in: file)
        return tokens.indices.compactMap { index in
            guard tokens[index].text == "import", let module = module(after: index, in: tokens)
            else { return nil }
            return Import(
                module: module, metadata: metadata(before: index, in: tokens),
                conditions: conditions[tokens[index].line], line: tokens[index].line)
        }
    }

    private struct Token {
        let text: Substring
        let line: Int
    }

    private static let kinds: Set<Substring> = [
        "class", "enum", "func", "let", "macro", "protocol", "struct", "typealias", "var",
    ]
    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private",
    ]

    /// Words, each with the signs that make it an attribute or a quoted name; other signs alone.
    private static func tokens(in file: SourceFile) -> [Token] {
        file.code.enumerated().flatMap { line, code in
            var rest = code[...]
            var tokens: [Token] = []
            while let sign = rest.first {
                let word = rest.prefix { $0.isLetter || $0.isNumber || "_@`#".contains($0) }
                let token = word.isEmpty ? rest.prefix(1) : word
                if !sign.isWhitespace { tokens.append(Token(text: token, line: line)) }
                rest = rest[token.endIndex...]
            }
            return tokens
        }
    }

    private static func module(after index: Int, in tokens: [Token]) -> String? {
        let rest = tokens[(index + 1)...].map(\.text)
        let name =
            rest.first.map { kinds.contains($0) } == true ? rest.dropFirst().first : rest.first
        return name.map { String($0.filter { $0 != "`" }) }
    }

    private static func metadata(before index: Int, in tokens: [Token]) -> [String] {
        var metadata: [String] = []
        var depth = 0
        for token in tokens[..<index].reversed() {
            if token.text == ")" {
                depth += 1
            } else if token.text == "(" {
                depth -= 1
            } else if token.text.hasPrefix("@"), depth == 0 {
                metadata.insert(String(token.text), at: 0)
            } else if depth == 0, !modifiers.contains(token.text) {
                break
            }
        }
        return metadata
    }

    /// For each line, the conditions around it.
    private static func conditions(in file: SourceFile) -> [[String]] {
        var stack: [String] = []
        return file.code.map { line in
            let line = line.drop { $0.isWhitespace }
            let condition = line.drop { !$0.isWhitespace }.filter { !$0.isWhitespace }
            if line.hasPrefix("#if") {
                stack.append(condition)
            } else if line.hasPrefix("#elseif") {
                if !stack.isEmpty { stack[stack.count - 1] = condition }
            } else if line.hasPrefix("#else") {
                if let last = stack.popLast() { stack.append("!\(last)") }
            } else if line.hasPrefix("#endif") {
                _ = stack.popLast()
            }
            return stack
        }
    }
}
