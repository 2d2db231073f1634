import Access
import Testing

@Suite struct AccessRuleTests {
    private func rule(_ text: String) throws -> AccessRule {
        try AccessRule(text, users: Users())
    }

    @Test(arguments: [
        "deploys.> publish user:ci token:deployer", "a subscribe anyone",
        "a.*.c publish,subscribe uid:0 gid:4294967294", "> administer group:staff",
        "$sys subscribe uid:1",
    ])
    func aRuleIsWrittenAsItWasRead(text: String) throws {
        #expect(try rule(text).description == text)
    }

    @Test func whatIsRepeatedCountsOnce() throws {
        let rule = try rule("a \t publish,publish  uid:1 uid:1   anyone")
        #expect(rule.description == "a publish uid:1 anyone")
    }

    @Test(
        arguments: [
            ("", "is no rule"), ("a publish", "is no rule"), ("a anyone publish", "is no verb"),
            ("a publish, anyone", "`` is no verb"), ("a Publish anyone", "is no verb"),
            ("a.** publish anyone", "is no topic or pattern"),
            ("a..b publish anyone", "is no topic or pattern"),
            ("a publish everyone", "is nobody"), ("a publish uid:", "is nobody"),
            ("a publish uid:x", "in digits"), ("a publish uid:-1", "in digits"),
            ("a publish uid:+1", "in digits"), ("a publish uid:4294967296", "in digits"),
            ("a publish uid:4294967295", "cannot name"), ("a publish uid:65534", "cannot name"),
            ("a publish user:nobody", "cannot name"), ("a publish user:eve", "no user `eve`"),
            ("a publish group:eve", "no group `eve`"),
            ("a publish token:a/b", "the name of a token"),
            ("a publish UID:1", "is nobody"),
        ])
    func whatIsNoRuleIsToldWithAReason(text: String, reason: String) {
        let error = #expect(throws: AccessError.self) { try rule(text) }
        #expect(error?.detail.contains(reason) == true, "\(error?.detail ?? "")")
    }

    @Test func aRuleHasABoundedNumberOfSubjects() throws {
        let subjects = (0..<AccessLimits.subjectsMax).map { "uid:\($0)" }.joined(separator: " ")
        #expect(try rule("a publish \(subjects)").subjects.count == AccessLimits.subjectsMax)
        #expect(throws: AccessError.self) { try rule("a publish \(subjects) anyone") }
    }

    @Test func namesAreThoseOfTheSystem() throws {
        let users = SystemUsers()
        #expect(users.uid(ofUser: "root") == 0)
        #expect(users.gid(ofGroup: "root") == 0)
        #expect(users.groups(of: 0).contains(0))
        #expect(users.uid(ofUser: "no-such-user-here") == nil)
        #expect(users.gid(ofGroup: "no-such-group-here") == nil)
        #expect(users.groups(of: 4_000_000_000) == [])
    }
}
