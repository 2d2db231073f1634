import TestSupport
import Testing
import Topics

@testable import Access

@Suite struct WorkAccessTests {
    private func policy(_ lines: String...) throws -> AccessPolicy {
        AccessPolicy(
            rules: AccessRules(try lines.map { try AccessRule($0, users: Users()) }),
            administrator: 7)
    }

    @Test func whereNoRuleSaysWhoWorksWhoeverReceivesMay() throws {
        let jobs = try Selector("jobs")
        #expect(try policy().work(jobs, .unknown).isAllowed)
        let policy = try policy("jobs subscribe uid:1 uid:2")
        #expect(policy.work(jobs, .uid(1)).isAllowed)
        #expect(!policy.work(jobs, .uid(3)).isAllowed)
    }

    @Test func whoeverWorksHasToBeAbleToReceive() throws {
        let policy = try policy("jobs subscribe uid:1 uid:2", "jobs work uid:1 uid:3")
        for (uid, isAllowed) in [(1, true), (2, false), (3, false), (0, false)] {
            #expect(
                try policy.work(Selector("jobs"), .uid(UInt32(uid))).isAllowed == isAllowed,
                "uid \(uid)")
        }
    }

    @Test func aRefusalIsAboutTheVerbThatWasAskedFor() throws {
        let policy = try policy("jobs.> subscribe uid:1")
        let denied = try policy.work(Selector("a,jobs.mail"), .uid(3))
        #expect(denied.verb == .work)
        #expect(denied.description.hasPrefix("denied: user 3 may not work 'jobs.mail'"))
        let pattern = try policy.work(Selector("*.mail"), .uid(3))
        #expect(pattern.description.hasPrefix("denied: user 3 may not work '*.mail'"))
        #expect(pattern.selector?.text == "jobs.>")
    }

    @Test(
        arguments: [
            ("a.>", ["> subscribe uid:1"], false), ("a.>", ["> subscribe uid:2"], true),
            ("a.>", ["> subscribe uid:1", "a.> subscribe uid:2"], true),
            ("a.*", ["a.secret subscribe uid:1"], false),
            ("a.*", ["a.*.secret subscribe uid:1"], true),
            (">", ["> subscribe uid:1", "* subscribe uid:2", "*.> subscribe uid:2"], true),
            (">", ["> subscribe uid:1", "* subscribe uid:2", "*.* subscribe uid:2"], false),
            ("*.mail", ["jobs.> subscribe uid:1", "jobs.mail subscribe uid:2"], true),
            ("a,b.*", ["b.c subscribe uid:1"], false), ("a,b.*", ["c subscribe uid:1"], true),
            (">", ["$sys subscribe uid:1"], true), ("$sys", ["$sys subscribe uid:1"], false),
        ] as [(String, [String], Bool)])
    func aPatternIsWhollyReadableOnlyWithEveryTopicOfIt(
        selector: String, lines: [String], isReadable: Bool
    ) throws {
        let rules = AccessRules(try lines.map { try AccessRule($0, users: Users()) })
        let policy = AccessPolicy(rules: rules, administrator: 7)
        #expect(
            try policy.subscribe(toAll: Selector(selector), .uid(2)).isAllowed == isReadable)
    }

    /// The definition itself: every topic that the pattern matches, over an alphabet with one segment
    /// that no rule names, in every length that rules tell apart.
    @Test func aPatternIsWhollyAllowedIfEachOfItsTopicsIs() throws {
        var random = SeededRandom(for: "wholly allowed")
        var topics: [[String]] = ["a", "b", "x"].map { [$0] }
        var longest = topics
        for _ in 0..<3 {
            longest = longest.flatMap { topic in ["a", "b", "x"].map { topic + [$0] } }
            topics += longest
        }
        let names = try topics.map { try TopicName($0.joined(separator: ".")) }
        func pattern() -> String {
            var segments: [String] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                segments.append(["a", "b", "*", ">"].randomElement(using: &random)!)
                if segments.last == ">" { break }
            }
            return segments.joined(separator: ".")
        }
        var refusals = 0
        for _ in 0..<500 {
            let lines = Set((0..<5).map { _ in pattern() }).map {
                "\($0) subscribe,administer uid:\(Int.random(in: 1...2, using: &random))"
            }
            let rules = AccessRules(try lines.map { try AccessRule($0, users: Users()) })
            let selector = try Selector(pattern())
            for verb in [AccessVerb.subscribe, .administer] {
                let expected = names.filter(selector.matches).allSatisfy {
                    rules.decide(verb, $0, for: .uid(1)).isAllowed
                }
                let found = rules.decide(verb, all: selector, for: .uid(1)).isAllowed
                #expect(found == expected, "\(verb) \(selector) in \(lines)")
                if !expected { refusals += 1 }
            }
        }
        #expect(refusals > 100 && refusals < 900)
    }

    @Test func aGroupIsAdministeredByRootTheBusItsMakerAndWhoeverMayAdministerAllItsTopics() throws
    {
        let policy = try policy("jobs.> administer uid:5", "jobs.x administer uid:6")
        let selector = try Selector("jobs.*")
        for (uid, isAllowed) in [(0, true), (7, true), (1000, true), (5, false), (6, false)] {
            #expect(
                policy.administer(groupOf: selector, madeBy: 1000, .uid(UInt32(uid))).isAllowed
                    == isAllowed, "uid \(uid)")
        }
        let mail = try Selector("jobs.mail")
        #expect(policy.administer(groupOf: mail, madeBy: nil, .uid(5)).isAllowed)
        #expect(!policy.administer(groupOf: mail, madeBy: nil, .unknown).isAllowed)
    }

    @Test func whoMadeAGroupAdministersItForAsLongAsItMayReadAllItsTopics() throws {
        let policy = try policy("jobs.secret subscribe uid:5", "jobs.> administer uid:6")
        for (topics, isAllowed) in [("jobs.mail", true), ("jobs.secret", false), ("jobs.*", false)]
        {
            let selector = try Selector(topics)
            for (uid, may) in [(1000, isAllowed), (0, true), (7, true), (6, true), (5, false)] {
                #expect(
                    policy.administer(groupOf: selector, madeBy: 1000, .uid(UInt32(uid)))
                        .isAllowed == may, "uid \(uid) of \(topics)")
            }
        }
    }
}
