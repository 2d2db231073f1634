import Testing

/// Pages that promise a test for each of their rows: the tests have to be there, by these names.
@Suite struct NamedTestsTests {
    @Test(arguments: [
        ("SECURITY.md", "## Threats and what stops them", 20),
        ("docs/first-use.md", "# What holds at first use", 30),
    ])
    func everyRowHasATestThatIsThere(page: String, heading: String, rowsMin: Int) throws {
        let named = try NamedTests(in: page, behind: heading)
        #expect(named.rows.count >= rowsMin)
        #expect(named.withoutTests == [])
        #expect(named.missing == [])
    }
}
