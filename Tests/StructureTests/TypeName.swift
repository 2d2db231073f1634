/// A type as a file declares it.
struct TypeName {
    let name: String
    /// Whether no other type is around it.
    let isTopLevel: Bool
    let file: SourceFile
    /// Counted from 0.
    let line: Int

    /// Every type that a file declares.
    static func all(in file: SourceFile) -> [TypeName] {
        guard file.isSwift else { return [] }
        var depth = 0
        return file.code.enumerated().compactMap { line, code in
            defer { depth += code.count { $0 == "{" } - code.count { $0 == "}" } }
            return declared(in: code).map {
                TypeName(name: $0, isTopLevel: depth == 0, file: file, line: line)
            }
        }
    }

    /// Types that have the name of another module, or of a type that stands by itself.
    ///
    /// Names of nested types are read behind those of their owners: two types may both have a
    /// `State`. But `Event` alone is one type, wherever it stands. `Limits` is the rule's own
    /// exception: each module has one (``Rules/limits(in:)``).
    static func doubles(in files: [SourceFile], modules: Set<String>) -> [Violation] {
        let types = files.flatMap(all).filter { $0.name != "Limits" }
        return Dictionary(grouping: types, by: \.name).values.flatMap { types -> [Violation] in
            if let type = types.first(where: {
                modules.contains($0.name) && $0.file.module != $0.name
            }) {
                return [type.violation("\(type.name) is a module: give the type another name")]
            }
            guard let first = types.first(where: \.isTopLevel) else { return [] }
            // A type may be declared once under each condition of compilation.
            return types.filter { !($0.isTopLevel && $0.file.path == first.file.path) }.map {
                $0.violation("there is a \($0.name) in \(first.file) already: find another name")
            }
        }
    }

    private func violation(_ sentence: String) -> Violation { file.violation(at: line, sentence) }

    /// The type that a line declares: behind attributes and modifiers alone.
    static func declared(in code: String) -> String? {
        let words = code.split(separator: " ")
        guard let kind = words.firstIndex(where: { kinds.contains($0) }), kind + 1 < words.count,
            words[..<kind].allSatisfy({ word in
                word.first == "@" || word.allSatisfy { $0.isLowercase || $0 == "(" || $0 == ")" }
            }), words[kind + 1].first?.isUppercase == true
        else { return nil }
        return String(words[kind + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }

    private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]
}
