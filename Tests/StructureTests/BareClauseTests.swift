import Testing

@Suite struct BareClauseTests {
    private func found(_ comment: String) -> Int {
        BareClause.find(
            in: SourceFile(path: "Sources/Libraries/Topics/File.swift", text: comment)
        ).count
    }

    @Test(arguments: [
        "/// What a reader waits for.", "/// Waits for what comes.", "// So, who asks is told.",
        "/// Tells the reader what is\n/// there. Whoever comes later",
        "/// - Returns: What is left.",
        "    /// A list (whatever it holds)\nlet a = 1",
    ])
    func aClauseWithoutANounIsFound(comment: String) {
        #expect(found(comment) == 1 || comment.contains("\n"))
        #expect(found(comment) > 0)
    }

    @Test(arguments: [
        "/// A client that asks.", "/// The user who asks.", "/// The word `what` or `who asks`.",
        "let text = \"What is it?\"", "/// A shower.", "let what = 1 // who",
    ])
    func aClauseWithANounAndCodeAreNone(text: String) {
        #expect(found(text) == 0)
    }

    @Test(arguments: Repository.modules.sorted())
    func noCommentHasAClauseWithoutANoun(module: String) {
        let found = Repository.sources.filter { $0.module == module && $0.isSwift }
            .flatMap { BareClause.find(in: $0) }
        #expect(found.isEmpty, "\(found.prefix(5))")
    }
}
