import Access
import TestSupport
import Testing
import Topics

@Suite struct AccessRulesTests {
    @Test func withoutRulesEverybodyPublishesAndReceivesAndNobodyAdministers() throws {
        let rules = AccessRules()
        for caller in [Caller.unknown, .uid(0), .uid(1000, 50)] {
            #expect(try rules.allows(.publish, "a", caller))
            #expect(try rules.allows(.subscribe, "a.b", caller))
            #expect(try !rules.allows(.administer, "a", caller))
            #expect(rules.visibility(for: caller) == nil)
        }
        #expect(!rules.needGroups)
    }

    @Test(
        arguments: [
            ("uid:1000", .uid(1000), true), ("uid:1000", .uid(1001), false),
            ("uid:1000", .unknown, false), ("uid:0", .unknown, false),
            ("user:ann", .uid(1000), true), ("user:ann", .uid(1001), false),
            ("gid:50", .uid(7, 7, 50), true), ("gid:50", .uid(50), false),
            ("gid:50", .uid(7, 7), false), ("group:staff", .uid(7, 50), true),
            ("group:staff", Caller(uid: 1000), false), ("anyone", .unknown, true),
            ("anyone", .uid(1), true), ("token:t", .uid(0), false),
        ] as [(String, Caller, Bool)])
    func eachSubjectMeansExactlyWhomItNames(
        subject: String, caller: Caller, isAllowed: Bool
    ) throws {
        let rules = try AccessRules("a publish,subscribe,work,administer \(subject)")
        for verb in AccessVerb.allCases {
            #expect(try rules.allows(verb, "a", caller) == isAllowed)
        }
    }

    @Test(
        arguments: [
            ("a.b.c", 1), ("a.b.d", 2), ("a.x.c", 3), ("a.x.d", 4), ("a.b", 4), ("a.b.c.d", 5),
            ("b.b", 6), ("b.b.b", 7), ("b", 8), ("a", 9), ("c.x.y.z", 7), ("$sys", 0),
            ("$a.b.c", 0),
        ] as [(String, UInt32)])
    func theMostSpecificSelectorDecidesAlone(topic: String, uid: UInt32) throws {
        let rules = try AccessRules(
            "> publish uid:7", "*.* publish uid:6", "* publish uid:8", "a.> publish uid:4",
            "a.*.c publish uid:3", "a.b.* publish uid:2", "a.b.c publish uid:1",
            "a.b.> publish uid:5", "a publish uid:9", "a.b.c subscribe uid:10")
        for candidate in 1...10 as ClosedRange<UInt32> {
            let isAllowed = try rules.allows(.publish, topic, .uid(candidate))
            #expect(isAllowed == (uid == 0 || candidate == uid), "uid \(candidate)")
        }
    }

    @Test(
        arguments: [
            (["deploys.> publish uid:1"], ["deploys.> does not match deploys itself"]),
            (["deploys.> publish uid:1", "deploys subscribe uid:1"], ["deploys itself"]),
            (["a.*.> subscribe token:t"], ["a.*.> does not match a.* itself"]),
            (["a.> publish,subscribe uid:1"], ["anybody may publish:", "anybody may subscribe:"]),
            (["a.> publish uid:1", "a publish uid:1"], []),
            (["a.> publish uid:1", "* publish uid:0"], []),
            (["a.b.> publish uid:1", "a.> publish uid:1", "> publish uid:0"], []),
            (["a.> publish anyone"], []), (["a.> administer uid:1"], []),
            (["> publish uid:1"], []), (["a.* publish uid:1"], []), ([], []),
        ] as [([String], [String])])
    func aTopicThatIsLeftOpenAboveARuledPatternIsWarnedOf(
        lines: [String], parts: [String]
    ) throws {
        let rules = AccessRules(try lines.map { try AccessRule($0, users: Users()) })
        let warnings = rules.warnings
        #expect(warnings.count == parts.count, "\(warnings)")
        for (warning, part) in zip(warnings, parts) {
            #expect(warning.contains(part), "\(warning)")
        }
    }

    @Test func theRuleThatAWarningProposesEndsIt() throws {
        let line = "deploys.> publish uid:1 token:ci"
        let warning = try #require(try AccessRules(line).warnings.first)
        let proposed = try #require(
            warning.firstRange(of: "rule = ").map { warning[$0.upperBound...].dropLast() })
        #expect(proposed == "deploys publish uid:1 token:ci")
        #expect(try AccessRules(line, String(proposed)).warnings == [])
    }

    @Test func rulesOfOneSelectorAddUpAndVerbsAreApart() throws {
        let rules = try AccessRules(
            "a publish uid:1", "a subscribe uid:2", "a publish uid:3", "> subscribe uid:4")
        #expect(try rules.allows(.publish, "a", .uid(1)))
        #expect(try rules.allows(.publish, "a", .uid(3)))
        #expect(try !rules.allows(.publish, "a", .uid(2)))
        #expect(try rules.allows(.subscribe, "a", .uid(2)))
        #expect(try !rules.allows(.subscribe, "a", .uid(4)))
        #expect(try rules.allows(.publish, "b", .uid(9)))
    }

    @Test func visibilityShowsWhatMayBeReceivedAndNothingElse() throws {
        let rules = try AccessRules(
            "secrets.> subscribe uid:0", "secrets.*.open subscribe anyone", "b subscribe uid:1000")
        let visibility = try #require(rules.visibility(for: .uid(1000)))
        for topic in ["a", "b", "secrets", "secrets.x", "secrets.x.open", "secrets.x.y.open"] {
            let name = try TopicName(topic)
            #expect(
                visibility.shows(name) == rules.decide(.subscribe, name, for: .uid(1000)).isAllowed,
                "\(topic)")
        }
        let limited = try Selector(">").limited(to: visibility)
        #expect(try limited.matches(TopicName("a")))
        #expect(try !limited.matches(TopicName("secrets.x")))
        #expect(try limited != Selector(">"))
        #expect(limited.limited(to: nil) == (try Selector(">")))
    }

    @Test func callersWhoMayKnowTheSameShareOneVisibility() throws {
        let rules = try AccessRules("a subscribe uid:1 uid:2", "b subscribe uid:1 uid:2 uid:3")
        let same = try AccessRules("a subscribe uid:2 uid:1", "b subscribe uid:3 uid:2 uid:1")
        let other = try AccessRules("a subscribe uid:2 uid:1", "c subscribe uid:3 uid:2 uid:1")
        let visibility = try #require(rules.visibility(for: .uid(4)))
        #expect(visibility == rules.visibility(for: .unknown))
        #expect(visibility == same.visibility(for: .uid(9)))
        #expect(visibility != rules.visibility(for: .uid(3)))
        #expect(visibility != other.visibility(for: .uid(4)))
        #expect(rules.visibility(for: .uid(1)) == nil)
    }

    /// A second implementation, by definition: among all selectors that match, the one that no
    /// other one beats segment by segment.
    @Test func theTreeFindsWhatASearchThroughAllSelectorsFinds() throws {
        var random = SeededRandom(for: "access rules")
        let words = ["a", "b", "*", ">"]
        func text(_ words: [String]) -> String {
            var segments: [String] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let word = words.randomElement(using: &random)!
                segments.append(word)
                if word == ">" { break }
            }
            return segments.joined(separator: ".")
        }
        func rank(_ selector: TopicPattern) -> [Int] {
            selector.text.split(separator: ".").map { $0 == ">" ? 2 : $0 == "*" ? 1 : 0 }
        }
        for _ in 0..<200 {
            let selectors = Set((0..<8).map { _ in text(words) })
            let lines = selectors.enumerated().map { "\($1) publish uid:\($0 + 1)" }
            let all = try lines.map { try AccessRule($0, users: Users()) }
            let rules = AccessRules(all)
            let topic = try TopicName(text(["a", "b"]))
            let best = all.filter { $0.selector.matches(topic) }.min {
                rank($0.selector).lexicographicallyPrecedes(rank($1.selector))
            }
            let decision = rules.decide(.publish, topic, for: .unknown)
            #expect(decision.selector == best?.selector, "\(topic) in \(lines)")
        }
    }
}
