import Testing

/// The page that promises a test for each of its rows: the tests have to be there, by these names.
@Suite struct NamedTestsTests {
    @Test func everyThreatHasATestThatIsThere() throws {
        let named = try NamedTests(in: "SECURITY.md", behind: "## Threats and what stops them")
        #expect(named.rows.count >= 20)
        #expect(named.withoutTests == [])
        #expect(named.missing == [])
    }
}
