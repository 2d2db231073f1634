import Broadcasting
import Telemetry
import TestSupport
import Testing
import Topics

@testable import BusAPI

/// Deliveries in slices: everybody is told each piece of news once, in order.
@Suite struct DeliveryQueueTests {
    private static func topic(_ number: Int) -> TopicName {
        try! TopicName("t\(number)")
    }

    @Test(arguments: [1, 2, 3, SeededRandom.runSeed])
    func slicesTellEverybodyEachNewsOnceAndInOrder(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bus = try EventBus(
            store: MemoryStore(ceiling: nil), memory: MemoryBudget(bytesMax: 1 << 20),
            broadcaster: Broadcaster(), log: Log(level: .error) { _, _ in })
        let listeners = try (0..<40).map { _ in QuietListener(try Selector(">"), bus) }
        var queue = DeliveryQueue()
        var expected: [ObjectIdentifier: [UInt64]] = [:]
        var told: [ObjectIdentifier: [UInt64]] = [:]
        var newest: UInt64 = 0
        func take(atMost countMax: Int) {
            let before = queue.deliveredThrough
            guard let (all, news, isOnlyOne) = queue.next() else {
                #expect(queue.deliveredThrough.rawValue == newest && queue.isEmpty)
                return
            }
            let members = all.prefix(countMax)
            #expect(!members.isEmpty)
            #expect(!isOnlyOne || members.count == 1)
            // What was not told yet is not passed by those who were not woken.
            #expect(news.after == queue.deliveredThrough && queue.deliveredThrough >= before)
            for member in members {
                told[ObjectIdentifier(member), default: []].append(news.through.rawValue)
            }
            queue.pass(members.count)
        }
        for _ in 0..<300 {
            if Bool.random(using: &random) {
                newest += UInt64.random(in: 1...5, using: &random)
                let woken = (0..<Int.random(in: 0...3, using: &random)).map { group in
                    let members = listeners.filter { _ in Bool.random(using: &random) }
                    return (
                        members: SubscriptionTable.Found(
                            members.map { $0 as any HTTPSubscription }),
                        topics: [Self.topic(group)]
                    )
                }.filter { !$0.members.isEmpty }
                for group in woken {
                    for member in group.members {
                        expected[ObjectIdentifier(member), default: []].append(newest)
                    }
                }
                queue.add(through: EventID(rawValue: newest)) { $0 = woken }
            } else {
                take(atMost: Int.random(in: 1...7, using: &random))
            }
        }
        while !queue.isEmpty { take(atMost: 7) }
        #expect(told == expected)
    }
}
