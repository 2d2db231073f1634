/// A constant of a `Limits.swift`.
struct LimitConstant {
    let name: String
    /// The type that has it.
    let type: String
    let file: SourceFile
    /// Counted from 0.
    let line: Int

    /// The constants that no code reads: such a bound bounds nothing.
    ///
    /// Code reads a constant behind its type, as in `Limits.nameBytesMax`, or makes another constant
    /// of the same file from it.
    static func unread(in files: [SourceFile]) -> [Violation] {
        let read = Set(files.flatMap(uses))
        return files.flatMap(all).filter { !read.contains($0.use) && !$0.isPartOfANeighbour }.map {
            $0.file.violation(
                at: $0.line, "nothing reads \($0.type).\($0.name): enforce it, or remove it")
        }
    }

    /// A name behind a type. Each module has a type `Limits` of its own, so that the module says
    /// which one it is.
    private struct Use: Hashable {
        let module: String?
        let type: String
        let name: String

        init(of name: String, behind type: String, in file: SourceFile) {
            module = type == "Limits" ? file.module : nil
            self.type = type
            self.name = name
        }
    }

    private var use: Use { Use(of: name, behind: type, in: file) }

    private var isPartOfANeighbour: Bool {
        file.code.enumerated().contains { index, code in
            let words = CodeText.words(of: code)
            return index != line
                && zip([""] + words, words).contains {
                    $0.1 == name && !["let", "var"].contains($0.0)
                }
        }
    }

    private static func all(in file: SourceFile) -> [LimitConstant] {
        guard file.name == "Limits.swift" else { return [] }
        var type = ""
        return file.code.enumerated().compactMap { line, code in
            let words = CodeText.words(of: code)
            if let kind = words.firstIndex(where: { kinds.contains($0) }), kind + 1 < words.count {
                type = words[kind + 1]
            }
            guard let start = words.firstIndex(of: "static"), start + 2 < words.count,
                words[start + 1] == "let"
            else { return nil }
            return LimitConstant(name: words[start + 2], type: type, file: file, line: line)
        }
    }

    /// Every word behind a word that ends like the name of such a type; most of them are constants.
    private static func uses(in file: SourceFile) -> [Use] {
        let words = CodeText.words(of: file.code.joined(separator: "\n"))
        return zip(words, words.dropFirst()).filter { $0.0.hasSuffix("Limits") }
            .map { Use(of: $0.1, behind: $0.0, in: file) }
    }

    private static let kinds: Set<String> = ["enum", "struct", "extension"]
}
