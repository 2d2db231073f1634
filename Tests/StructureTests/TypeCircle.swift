/// Types of a module that need each other: each names one from which the names lead back to it.
///
/// The code of a type is all that stands in its braces, and in those of its extensions, so that types
/// inside it count with it. Code outside of types, and in extensions of types of other modules, counts
/// with none.
enum TypeCircle {
    /// The largest circle of these files, its names sorted; empty without any.
    ///
    /// - Complexity: O(types × names).
    static func largest(in files: [SourceFile]) -> [String] {
        let named = names(in: files)
        let reached = named.keys.reduce(into: [String: Set<String>]()) { reached, type in
            reached[type] = reach(from: type, named)
        }
        let circles = reached.map { type, others in
            others.filter { reached[$0]?.contains(type) == true }.union([type]).sorted()
        }
        return circles.filter { $0.count > 1 }
            .max { ($0.count, $1[0]) < ($1.count, $0[0]) } ?? []
    }

    /// The types of these files that each type names.
    private static func names(in files: [SourceFile]) -> [String: Set<String>] {
        var words: [String: Set<String>] = [:]
        var types: Set<String> = []
        for file in files where file.isSwift {
            var (depth, owner) = (0, String?.none)
            for line in file.code {
                if depth == 0 {
                    let type = TypeName.declared(in: line)
                    if let type { types.insert(type) }
                    owner = type ?? extended(in: line) ?? owner
                }
                if let owner { words[owner, default: []].formUnion(CodeText.words(of: line)) }
                let (opened, closed) = (line.count { $0 == "{" }, line.count { $0 == "}" })
                depth += opened - closed
                if depth == 0, opened + closed > 0 { owner = nil }
            }
        }
        return words.filter { types.contains($0.key) }.reduce(into: [:]) { named, row in
            named[row.key] = row.value.intersection(types).subtracting([row.key])
        }
    }

    /// The type that a line begins to extend.
    private static func extended(in code: String) -> String? {
        let words = CodeText.words(of: code)
        guard let word = words.firstIndex(of: "extension"), word + 1 < words.count,
            !code.hasPrefix(" ")
        else { return nil }
        return words[word + 1]
    }

    private static func reach(
        from type: String, _ named: [String: Set<String>]
    ) -> Set<String> {
        var (reached, open) = (Set<String>(), [type])
        while let next = open.popLast() {
            for other in named[next] ?? [] where reached.insert(other).inserted {
                open.append(other)
            }
        }
        return reached
    }
}
