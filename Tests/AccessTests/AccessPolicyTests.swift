import Access
import Testing
import Topics

@Suite struct AccessPolicyTests {
    private let topic: TopicName

    init() throws { topic = try TopicName("a") }

    private func policy(_ lines: String...) throws -> AccessPolicy {
        AccessPolicy(
            rules: AccessRules(try lines.map { try AccessRule($0, users: Users()) }),
            administrator: 7)
    }

    @Test(
        arguments: [
            (.uid(0), true), (.uid(7), true), (.uid(1000), true), (.uid(1001), false),
            (.unknown, false),
        ] as [(Caller, Bool)])
    func withoutRulesTopicsAreAdministeredByRootTheBusAndTheirMaker(
        caller: Caller, isAllowed: Bool
    ) throws {
        #expect(
            try policy().administer(topic, madeBy: 1000, caller).isAllowed == isAllowed)
    }

    @Test func aTopicThatNobodyIsKnownToHaveMadeIsNotTheUnknowns() throws {
        #expect(try !policy().administer(topic, madeBy: nil, .unknown).isAllowed)
        #expect(try policy().administer(topic, madeBy: nil, .uid(0)).isAllowed)
    }

    @Test func aRuleLetsOthersAdministerAndShutsNobodyOutWhoMightAnyway() throws {
        let policy = try policy("a administer uid:5")
        for uid in [0, 7, 1000, 5] as [UInt32] {
            #expect(policy.administer(topic, madeBy: 1000, .uid(uid)).isAllowed)
        }
        #expect(!policy.administer(topic, madeBy: 1000, .uid(6)).isAllowed)
    }

    @Test func registeringTakesTheRightToPublishOrToAdminister() throws {
        #expect(try policy().register(topic, .unknown).isAllowed)
        let policy = try policy("a publish uid:1", "a administer uid:2")
        for (uid, isAllowed) in [(1, true), (2, true), (3, false), (0, true), (7, true)] {
            #expect(policy.register(topic, .uid(UInt32(uid))).isAllowed == isAllowed)
        }
    }

    @Test func rootHasNoRightToPublishOrReceiveThatARuleDoesNotGive() throws {
        let policy = try policy("a publish,subscribe uid:1")
        #expect(!policy.publish(topic, .uid(0)).isAllowed)
        #expect(!policy.subscribe(topic, .uid(7)).isAllowed)
    }

    @Test func aTokenIsAskedForExactlyWhereOneCouldHelp() throws {
        let policy = try policy("a publish uid:1 token:t", "b publish uid:1")
        #expect(policy.publish(topic, .uid(2)).wantsToken)
        #expect(policy.register(topic, .uid(2)).wantsToken)
        #expect(!policy.publish(topic, .uid(1)).wantsToken)
        #expect(try !policy.publish(TopicName("b"), .uid(2)).wantsToken)
        #expect(!policy.subscribe(topic, .uid(2)).wantsToken)
    }

    @Test func theExplanationNamesTheRuleThatDecided() throws {
        let policy = try policy("> publish anyone", "a publish uid:1", "a publish user:ci")
        let allowed = policy.publish(topic, .uid(1001)).description
        #expect(allowed.hasPrefix("allowed: user 1001 may publish 'a'"))
        #expect(allowed.hasSuffix("the rule is\n    a publish user:ci"))
        let denied = policy.publish(topic, .uid(9)).description
        #expect(denied.hasPrefix("denied: user 9 may not publish 'a'"))
        #expect(denied.hasSuffix("where a decides\n    a publish uid:1\n    a publish user:ci"))
        #expect(
            policy.subscribe(topic, .unknown).description
                == "allowed: an unknown caller may subscribe 'a': no rule says who may, so everybody "
                + "may")
        #expect(
            policy.administer(topic, madeBy: nil, .uid(0)).description
                == "allowed: user 0 may administer 'a': root may, whatever the rules say")
        #expect(
            policy.administer(topic, madeBy: nil, .uid(3)).description.contains("no rule says who"))
    }
}
