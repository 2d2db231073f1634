import Testing

@Suite struct LimitConstantTests {
    /// The lines of `Limits.swift` with constants that nothing reads, beside other files.
    private func unread(_ limits: String, beside others: [(path: String, text: String)]) -> [Int] {
        let files = [("Sources/Libraries/Topics/Limits.swift", limits)] + others
        return LimitConstant.unread(in: files.map { SourceFile(path: $0.0, text: $0.1) })
            .map(\.line)
    }

    private func unread(_ limits: String, beside code: String) -> [Int] {
        unread(limits, beside: [("Sources/Libraries/Topics/Log/Sample.swift", code)])
    }

    private static let one = "enum Limits {\n    /// As many.\n    static let aMax: Int = 1\n}"

    @Test(arguments: [
        "let a = 1", "let aMax = 1", "// Limits.aMax", "let a = \"Limits.aMax\"", "Limits.bMax",
        "Limits.aMaximum", "limits.aMax", "OtherLimits.aMax",
    ])
    func aConstantThatNothingReadsIsFound(code: String) {
        #expect(unread(Self.one, beside: code) == [3])
    }

    @Test(arguments: [
        "let a = Limits.aMax", "let a = Limits\n    .aMax", "f(\"\\(Limits.aMax)\")",
    ])
    func aConstantThatCodeReadsIsFine(code: String) {
        #expect(unread(Self.one, beside: code) == [])
    }

    @Test func theLimitsOfAnotherModuleAreOthers() {
        let elsewhere = "Sources/Daemon/BusAPI/Sample.swift"
        #expect(unread(Self.one, beside: [(elsewhere, "Limits.aMax")]) == [3])
        let named = "public enum TopicsLimits {\n    public static let aMax = 1\n}"
        #expect(unread(named, beside: [(elsewhere, "TopicsLimits.aMax")]) == [])
    }

    @Test func aConstantOfWhichAnotherOneIsMadeIsRead() {
        let two = "enum Limits {\n    static let aMax = 1\n    static let bMax = 2 * aMax\n}"
        #expect(unread(two, beside: "Limits.bMax") == [])
        #expect(unread(two, beside: "") == [3])
        let sameName = Self.one + "\nstruct Bounds {\n    var aMax = 1\n}"
        #expect(unread(sameName, beside: "") == [3])
    }
}
