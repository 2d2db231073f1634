import Testing

@Suite struct CodeTextTests {
    /// What is left of a text, in words.
    private func words(_ text: String) -> String {
        CodeText.blanked(text).split { $0.isWhitespace }.joined(separator: " ")
    }

    @Test(arguments: [
        ("a // b", "a"), ("a /* b */ c", "a c"), ("a /* b /* c */ d */ e", "a e"),
        ("a /* b\nc */ d", "a d"), ("a /* b", "a"), (#"a "b" c"#, "a c"),
        (#"a "b \" c" d"#, "a d"), (#"a "// b" c"#, "a c"), (#"a "\\" b"#, "a b"),
        (#"a "b\(c)d" e"#, "a c) e"), (#"a "b\(c("d"))e" f"#, "a c( )) f"),
        (##"a #"b " c"# d"##, "a d"), (##"a #"\(b)\#(c)"# d"##, "a c) d"),
        ("a \"\"\"\nb \" c\n\"\"\" d", "a d"), ("a \"b\nc", "a c"), ("#if a", "#if a"),
        ("a / b * c", "a / b * c"), (#"a "é" b"#, "a b"), ("", ""), ("\"", ""), ("\"\\", ""),
    ])
    func commentsAndLiteralsAreBlanked(text: String, expected: String) {
        #expect(words(text) == expected)
    }

    @Test func everyLineStaysWhereItWas() {
        let text = "a\n/* b\nc */ d\n\"\"\"\ne\n\"\"\"\nf // g\n"
        let code = SourceFile(path: "Sources/Daemon/A/B.swift", text: text)
        #expect(code.code.count == code.lines.count)
        #expect(code.code[6].hasPrefix("f"))
    }
}
