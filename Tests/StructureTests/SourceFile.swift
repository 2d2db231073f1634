/// A file as the rules see it: its lines as they were written, and as code alone.
struct SourceFile: Sendable, CustomStringConvertible {
    /// Relative to the root of the repository, such as `Sources/Libraries/Topics/Event.swift`.
    let path: String

    /// The lines as they were written, without their ends.
    let lines: [String]

    /// The same lines with spaces in place of comments and literals.
    let code: [String]

    /// Each as one text, to be searched at once.
    let lineText: String
    let codeText: String

    init(path: String, text: String) {
        self.path = path
        lineText = text
        lines = Self.split(text)
        codeText = CodeText.blanked(text)
        code = Self.split(codeText)
    }

    var description: String { path }

    /// The target that the file belongs to: the third part of its path under `Sources/`, else the
    /// second.
    var module: String {
        let parts = path.split(separator: "/").dropFirst(path.hasPrefix("Sources/") ? 2 : 1)
        return parts.first.map(String.init) ?? ""
    }

    /// The last part of its path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// Whether it is Swift, which alone has imports and reasons to look for.
    var isSwift: Bool { path.hasSuffix(".swift") }

    /// What breaks a rule at a line, counted from 0.
    func violation(at line: Int, _ sentence: String) -> Violation {
        Violation(path: path, line: line + 1, sentence: sentence)
    }

    private static func split(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

/// What breaks a rule, where, and what to do.
struct Violation: Sendable, Hashable, CustomStringConvertible {
    let path: String
    let line: Int
    let sentence: String

    var description: String { "\(path):\(line): \(sentence)" }
}
