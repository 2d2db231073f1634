import Broadcasting
import Protection
import TestSupport
import Testing

/// Eight threads at once, more than a million operations together where the code is optimised, and
/// every outcome counted.
@Suite(.blocking) struct BroadcasterHammeringTests {
    private struct Tally {
        var registered = 0
        var unregistered = 0
        var released = 0
        var calls = 0
        /// Those that nobody let go, and whether they are registered.
        var kept: [(listener: Listener, isRegistered: Bool)] = []
    }

    private static let threads = 8
    /// Of each thread. A sanitizer looks at each access, and finds in a tenth what it finds at all.
    #if DEBUG
        private static let operations = 13_000
    #else
        private static let operations = 130_000
    #endif
    /// What one thread owns at most, so that a notification stays short.
    private static let ownedMax = 12

    private let bus = Broadcaster()
    private let heard = Protected(0)
    private let ended = Protected(0)

    /// Each thread owns the observers of a topic, and registers, unregisters and releases them
    /// while all threads notify all topics.
    @Test func registeredMinusUnregisteredEqualsAlive() throws {
        let tallies = Protected<[Tally]>([])
        try inParallel(Self.threads) { index in
            let tally = hammer(topic: index)
            tallies.write { $0.append(tally) }
        }

        var kept = tallies.value.flatMap(\.kept)
        let created = tallies.value.reduce(0) { $0 + $1.released + $1.kept.count }
        let alive = tallies.value.reduce(0) { $0 + $1.registered - $1.unregistered }
        #expect(alive == kept.count { $0.isRegistered })
        #expect(bus.observerships.reduce(0) { $0 + $1.observers.count } == alive)
        #expect(tallies.value.reduce(0) { $0 + $1.calls } == heard.value)
        // Nobody outlives the last who owned it, and the bus is no owner.
        #expect(ended.value == created - kept.count)

        heard.value = 0
        for topic in 0..<Self.threads { bus.ring(0, at: topic) }
        #expect(heard.value == alive)
        tallies.value = []
        kept = []
        #expect(ended.value == created)
        #expect(bus.observerships.isEmpty)
    }

    private func hammer(topic: Int) -> Tally {
        var random = SeededRandom(for: "hammering topic \(topic)")
        var tally = Tally()
        for _ in 0..<Self.operations {
            switch Int.random(in: 0..<16, using: &random) {
            case 0:
                let topic = Int.random(in: 0..<Self.threads, using: &random)
                bus.notify((any BellObserver).self, topic: topic) {
                    tally.calls += 1
                    $0.rang(topic)
                }
            case 1..<6 where tally.kept.count < Self.ownedMax:
                let listener = Listener(
                    { [heard] _ in heard.write { $0 += 1 } },
                    onEnd: { [ended] in ended.write { $0 += 1 } })
                bus.add(listener, at: topic)
                tally.kept.append((listener, true))
                tally.registered += 1
            case let choice where !tally.kept.isEmpty:
                let place = Int.random(in: tally.kept.indices, using: &random)
                let isRegistered = tally.kept[place].isRegistered
                if choice < 11, isRegistered {
                    bus.drop(tally.kept[place].listener)
                    tally.kept[place].isRegistered = false
                    tally.unregistered += 1
                } else if choice < 13, !isRegistered {
                    bus.add(tally.kept[place].listener, at: topic)
                    tally.kept[place].isRegistered = true
                    tally.registered += 1
                } else {
                    tally.kept.remove(at: place)
                    tally.released += 1
                    // To be released ends a registration too.
                    if isRegistered { tally.unregistered += 1 }
                }
            default:
                bus.ring(topic, at: Self.threads)
            }
        }
        return tally
    }
}
