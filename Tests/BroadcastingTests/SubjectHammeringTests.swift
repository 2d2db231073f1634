import Broadcasting
import Protection
import TestSupport
import Testing

/// Eight threads at once, more than a million operations together where the code is optimised, and
/// every outcome counted.
@Suite(.blocking) struct SubjectHammeringTests {
    /// Counts what it receives, without a lock: its calls must not overlap.
    // @unchecked: a subscriber is called by one thread at a time, and asked when all have ended.
    private final class Tally: Subscriber, @unchecked Sendable {
        private let first: Subscribers.Demand
        private let member: Census.Member
        private(set) var subscription: (any Subscription)?
        private(set) var received = 0
        private(set) var completions = 0

        init(demanding first: Subscribers.Demand, _ census: Census) {
            self.first = first
            member = census.member()
        }

        func receive(subscription: any Subscription) {
            self.subscription = subscription
            subscription.request(first)
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            received += 1
            return .none
        }

        func receive(completion: Subscribers.Completion<Never>) { completions += 1 }

        /// Ends the ring of a subscription that its subscriber keeps.
        func forget() { subscription = nil }
    }

    /// What one thread did.
    private struct Deeds {
        var sent = 0
        var demanded = 0
        /// Of subscribers that came and went.
        var dropped = 0
    }

    private static let threads = 8
    /// Of each thread. A sanitizer looks at each access, and finds in a tenth what it finds at all.
    #if DEBUG
        private static let operations = 13_000
    #else
        private static let operations = 130_000
    #endif

    private let census = Census()

    @Test func whatEverySubjectSentWasReceivedOrReported() throws {
        try hammer(PassthroughSubject<Int, Never>(), first: 0)
        try hammer(CurrentValueSubject<Int, Never>(0), first: 1)
        #expect(census.count == 0)
    }

    /// Half of the operations on one subject, of whose values some were there before.
    private func hammer(_ subject: some Subject<Int, Never>, first: Int) throws {
        let eager = Tally(demanding: .unlimited, census)
        let modest = Tally(demanding: .none, census)
        subject.subscribe(eager)
        subject.subscribe(modest)
        // Let go of here and not by a thread, which may end after the test.
        let asked = Protected<Tally?>(modest)
        let all = Protected<[Deeds]>([])
        try inParallel(Self.threads) { index in
            let deeds = hammer(subject, asking: asked, random: "hammering subject \(index)")
            all.append(deeds)
        }
        asked.value = nil
        subject.send(completion: .finished)

        let offered = first + all.value.reduce(0) { $0 + $1.sent }
        for tally in [eager, modest] {
            let dropped = try #require(tally.subscription).droppedCount
            #expect(tally.received + dropped == offered)
            #expect(tally.completions == 1)
        }
        #expect(modest.received <= all.value.reduce(0) { $0 + $1.demanded })
        let standing = [eager, modest].reduce(0) { $0 + ($1.subscription?.droppedCount ?? 0) }
        #expect(subject.droppedCount == standing + all.value.reduce(0) { $0 + $1.dropped })
        [eager, modest].forEach { $0.forget() }
    }

    private func hammer(
        _ subject: some Subject<Int, Never>, asking modest: Protected<Tally?>, random name: String
    ) -> Deeds {
        var random = SeededRandom(for: name)
        var deeds = Deeds()
        var passing: Tally?
        for number in 0..<(Self.operations / 2) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<2:
                subject.send(number)
                deeds.sent += 1
            case 2..<6:
                modest.value?.subscription?.request(.max(1))
                deeds.demanded += 1
            default:
                if let leaving = passing {
                    leaving.subscription?.cancel()
                    deeds.dropped += leaving.subscription?.droppedCount ?? 0
                    leaving.forget()
                    passing = nil
                } else {
                    let coming = Tally(demanding: .max(number % 3), census)
                    subject.subscribe(coming)
                    passing = coming
                }
            }
        }
        passing?.subscription?.cancel()
        deeds.dropped += passing?.subscription?.droppedCount ?? 0
        passing?.forget()
        return deeds
    }
}
