import TestSupport
import Testing

@testable import Topics

@Suite(.timeLimit(.minutes(30)))
struct SubscriptionModelTests {
    @Test(arguments: [1, 2, 3, 4, SeededRandom.runSeed])
    func subscriptionsTellWhatTheirModelSays(seed: UInt64) async throws {
        var pair = try SubscriptionsAgainstModel(seed: seed)
        let difference = try await pair.run(steps: 800)
        #expect(difference == nil, "seed \(seed)")
        // How much a seed that nobody has looked at tells is its own affair.
        #expect(seed > 4 || pair.told > 300 && pair.gaps > 20 && pair.ends > 2)
    }
}
