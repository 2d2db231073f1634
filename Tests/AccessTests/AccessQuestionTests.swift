import Access
import Testing
import Topics

@Suite struct AccessQuestionTests {
    private let policy: AccessPolicy

    init() throws {
        let lines = ["a publish uid:1000 token:t", "a subscribe group:staff", "b administer uid:3"]
        policy = AccessPolicy(
            rules: AccessRules(try lines.map { try AccessRule($0, users: Users()) }),
            administrator: 7)
    }

    private func answer(_ question: String) throws -> AccessDecision {
        try AccessQuestion(question, users: Users()).answer(of: policy)
    }

    @Test(arguments: [
        ("uid:1000 publish a", true), ("user:ann publish a", true), ("user:ci publish a", false),
        ("token:t publish a", true), ("user:ci,token:t  publish\ta", true),
        ("token:other publish a", false), ("anyone publish a", false), ("anyone publish z", true),
        // Ann is in staff, by the directory of users.
        ("user:ann subscribe a", true), ("uid:1000 subscribe a", true),
        ("user:ci subscribe a", false), ("uid:1,gid:50 subscribe a", true),
        ("uid:0 administer a", true), ("uid:7 administer a", true), ("uid:3 administer a", false),
        ("uid:3 administer b", true), ("anyone administer a", false),
    ])
    func aQuestionIsAnsweredAsTheBusWouldDecide(question: String, isAllowed: Bool) throws {
        #expect(try answer(question).isAllowed == isAllowed)
    }

    @Test(arguments: [
        "", "uid:1 publish", "uid:1 publish a b", "eve publish a", "uid:1 read a",
        "uid:1 publish >",
        "uid:1, publish a", "user:eve publish a", "uid:1 publish a,b",
    ])
    func whatIsNoQuestionIsTold(question: String) {
        #expect(throws: AccessError.self) { try answer(question) }
    }

    @Test func theTableSaysWhoMayDoWhatAndWhatWinsFirst() throws {
        let rules = try AccessRules(
            "> subscribe anyone", "a.* subscribe uid:1", "a.b subscribe,publish uid:2",
            "a.* subscribe,work uid:3 uid:1")
        #expect(
            rules.table == [
                "a.b: publish uid:2; receive uid:2; work uid:3 uid:1; administer its maker",
                "a.*: publish everybody; receive uid:1 uid:3; work uid:3 uid:1; administer its maker",
                ">: publish everybody; receive anyone; work whoever may receive; "
                    + "administer its maker",
            ])
        #expect(AccessRules().table == [])
        #expect(
            try AccessRules("a administer gid:5").table == [
                "a: publish everybody; receive everybody; work whoever may receive; "
                    + "administer gid:5 its maker",
                "any other topic: publish everybody; receive everybody; work whoever may receive; "
                    + "administer its maker",
            ])
    }
}
