/// Finds clauses in comments that begin with a bare "who" or "what": one that stands for a person
/// or a thing, with no noun before it. A reader who searches for the noun does not find them.
enum BareClause {
    private static let pronouns: Set = ["what", "who", "whoever", "whatever", "whom"]

    /// Words behind which such a pronoun has no noun.
    private static let joints = Set(
        """
        of for to by with from in on at than as and but or is are was be that after before until if
        when where while because so unless since only not about upon over behind under without into
        through beside besides among except like between against says say told tells tell does do
        knows know sees see has have gets get leaves keeps keep gives give takes take asks ask reads
        read means counts count holds hold drops did forgets ends end
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Those of a file, by lines that hold nothing but a comment.
    static func find(in file: SourceFile) -> [Violation] {
        var found: [Violation] = []
        var previous: Substring?
        var isInside = false
        for (index, line) in file.lines.enumerated() {
            guard let text = comment(of: line, in: file, at: index) else {
                (previous, isInside) = (nil, false)
                continue
            }
            if text.isEmpty || text.hasPrefix("- ") { (previous, isInside) = (nil, false) }
            for word in text.split(separator: " ") {
                if !isInside, isBare(word, behind: previous) {
                    found.append(
                        file.violation(
                            at: index,
                            "The clause begins with a bare '\(word)': name the person or thing, as in "
                                + "'a client that asks'."))
                }
                if !word.filter({ $0 == "`" }).count.isMultiple(of: 2) { isInside.toggle() }
                previous = word
            }
        }
        return found
    }

    /// The text of a comment without its slashes; nil for a line that has code, or no comment.
    private static func comment(of line: String, in file: SourceFile, at index: Int) -> Substring? {
        let trimmed = line.drop { $0 == " " }
        guard trimmed.hasPrefix("//"), file.code[index].allSatisfy({ $0 == " " }) else {
            return nil
        }
        return trimmed.drop { $0 == "/" }.drop { $0 == " " }
    }

    private static func isBare(_ word: Substring, behind previous: Substring?) -> Bool {
        let isFirst = word.hasPrefix("(")
        let bare = word.drop { $0 == "(" }.prefix { $0.isLetter }.lowercased()
        guard pronouns.contains(bare) else { return false }
        guard !isFirst, let previous, let last = previous.last else { return true }
        return ".;:!?,)—".contains(last) || previous == "-"
            || joints.contains(previous.lowercased())
    }
}
