import Protection
import StoreSupport
import TestSupport
import Testing

@testable import Topics

/// Topics whose events stay until a work group has settled them.
@Suite struct HoldTests {
    private static let g = TopicHolder(group: GroupNumber(rawValue: 1), name: "g")
    private static let h = TopicHolder(group: GroupNumber(rawValue: 2), name: "h")

    /// A bus with one topic that is held for the group `g`.
    private static func bench(
        keep: Int? = nil, bytes: Int? = nil, age: Int64? = nil, memoryBytesMax: Int = 1 << 30,
        store: any EventStore = MemoryStore(ceiling: nil)
    ) throws -> Bench {
        let bench = try Bench(store: store, memoryBytesMax: memoryBytesMax)
        bench.bus.setHeld(group: Self.g.group, from: .zero)
        try hold(bench, "a", for: Self.g, Retention(keep: keep, bytes: bytes, age: age))
        return bench
    }

    private static func hold(
        _ bench: Bench, _ topic: String, for group: TopicHolder?, _ retention: Retention,
        by owner: Sender = .unknown
    ) throws {
        var settings = TopicSettings(retention: retention, persists: true)
        settings.hold = group
        let name = try TopicName(topic)
        _ = try bench.answer {
            bench.bus.register(name, settings: settings, by: owner, then: $0)
        }
    }

    private static func isFull(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return false
        } catch BusError.topicFull {
            return true
        }
    }

    private static func ids(_ bench: Bench, _ topic: String) throws -> [EventID] {
        try bench.read(bench.start(.earliest, topic), topic).events.map(\.id)
    }

    @Test func aBoundTakesOnlyWhatIsSettledAndRefusesWhatItHasNoRoomFor() throws {
        let bench = try Self.bench(keep: 3)
        var ids = try (0..<3).flatMap { try bench.publish("a", "\($0)") }
        #expect(try Self.isFull { try bench.publish("a", "x") })
        #expect(try Self.ids(bench, "a") == ids)
        bench.bus.setHeld(group: Self.g.group, from: ids[2])
        ids += try bench.publish("a", "3")
        ids += try bench.publish("a", "4")
        #expect(try Self.ids(bench, "a") == Array(ids[2...]))
        #expect(try Self.isFull { try bench.publish("a", "x") })
        // Four at once would have to take one of themselves.
        bench.bus.setHeld(group: Self.g.group, from: ids[4].following)
        #expect(try Self.isFull { try bench.publish("a", "1", "2", "3", "4") })
        try bench.publish("a", "1", "2", "3")
        // Others go on as ever.
        try bench.publish("b", "x")
    }

    @Test func theBoundOfBytesIsHeldToo() throws {
        let bench = try Self.bench(bytes: 10)
        let ids = try bench.publish("a", "12345") + bench.publish("a", "12345")
        #expect(try Self.isFull { try bench.publish("a", "1") })
        bench.bus.setHeld(group: Self.g.group, from: ids[1])
        try bench.publish("a", "1")
        #expect(try Self.ids(bench, "a").first == ids[1])
        #expect(try Self.isFull { try bench.publish("a", "123456") })
        #expect(throws: BusError.eventTooLarge(bytesMax: 10, index: 0)) {
            try bench.publish("a", "12345678901")
        }
    }

    @Test func ageTakesNothingThatIsHeldAndTakesItWithinASecondAfterwards() throws {
        let bench = try Self.bench(age: 10_000_000)
        let ids = try bench.publish("a", "1") + bench.publish("a", "2")
        bench.clock.advance(seconds: 100)
        for _ in 0..<3 {
            bench.bus.sweep()
            #expect(try Self.ids(bench, "a") == ids)
            bench.clock.advance(seconds: 1)
        }
        bench.bus.setHeld(group: Self.g.group, from: ids[1])
        bench.bus.sweep()
        #expect(bench.bus.statistics.retained == 1)
        bench.bus.setHeld(group: Self.g.group, from: nil)
        bench.clock.advance(seconds: 1)
        bench.bus.sweep()
        #expect(bench.bus.statistics.retained == 0)
    }

    @Test func oneUserHoldsThreeQuartersOfWhatAllMayHold() throws {
        let bench = try Bench(memoryBytesMax: 100_000)
        bench.bus.setHeld(group: Self.g.group, from: .zero)
        let all = Retention(keep: nil, bytes: nil, age: nil)
        for topic in ["a", "b"] {
            try Self.hold(bench, topic, for: Self.g, all, by: Sender(uid: 7, pid: nil))
        }
        try Self.hold(bench, "c", for: Self.g, all, by: Sender(uid: 8, pid: nil))
        let payload = [Payload([UInt8](repeating: 1, count: 840))]
        var counts: [String: Int] = [:]
        for topic in ["a", "b", "c"] {
            while try !Self.isFull({ try bench.publish(topic, payload) }) {
                counts[topic, default: 0] += 1
                if topic == "a", counts["a"] == 20 { break }
            }
        }
        let own = (counts["a"] ?? 0) + (counts["b"] ?? 0)
        #expect((30...37).contains(own))
        #expect((8...13).contains(counts["c"] ?? 0))
        // A topic that goes gives back what it held.
        _ = try bench.remove("a")
        #expect(try !Self.isFull { try bench.publish("b", payload) })
    }

    @Test func memoryIsMadeOfOthersAndHalfOfItIsTheMostThatIsHeld() throws {
        let bench = try Self.bench(memoryBytesMax: 100_000)
        let payload = [Payload([UInt8](repeating: 1, count: 840))]
        var held: [EventID] = []
        while try !Self.isFull({ held += try bench.publish("a", payload) }) {}
        #expect((40...50).contains(held.count))
        for _ in 0..<200 { try bench.publish("b", payload) }
        #expect(try Self.ids(bench, "a") == held)
        #expect(bench.memory.used(.events) <= 100_000)
        #expect(try Self.isFull { try bench.publish("a", payload) })
        // What is settled may be evicted again, and makes room for more.
        bench.bus.setHeld(group: Self.g.group, from: held[30])
        held += try bench.publish("a", payload)
        for _ in 0..<200 { try bench.publish("b", payload) }
        #expect(Set(try Self.ids(bench, "a")).isSuperset(of: held[30...]))
        #expect(bench.bus.statistics.forgotten > 0)
        bench.bus.setHeld(group: Self.g.group, from: nil)
        try bench.publish("a", payload)
        for _ in 0..<200 { try bench.publish("b", payload) }
        #expect(try Self.ids(bench, "a").count < held.count)
    }

    @Test func aTopicThatNobodyTouchesCountsForNothingOnceItsGroupHasSettledIt() throws {
        let bench = try Self.bench(memoryBytesMax: 100_000)
        let payload = [Payload([UInt8](repeating: 1, count: 840))]
        while try !Self.isFull({ try bench.publish("a", payload) }) {}
        bench.bus.setHeld(group: Self.h.group, from: .zero)
        try Self.hold(bench, "b", for: Self.h, .standard)
        #expect(try Self.isFull { try bench.publish("b", payload) })
        bench.bus.setHeld(group: Self.g.group, from: .max)
        bench.clock.advance(seconds: 1)
        bench.bus.sweep()
        try bench.publish("b", payload)
    }

    @Test func theHoldIsASettingAndItsGroupKnowsOfIt() throws {
        let bench = try Self.bench(keep: 1)
        #expect(bench.bus.isHolding(for: Self.g.group) && !bench.bus.isHolding(for: Self.h.group))
        let name = try TopicName("a")
        #expect(bench.bus.description(of: name)?.hold == "g")
        let first = try bench.publish("a", "1")
        bench.bus.setHeld(group: Self.h.group, from: .max)
        try Self.hold(bench, "a", for: Self.h, Retention(keep: 1, bytes: nil, age: nil))
        #expect(bench.bus.isHolding(for: Self.h.group) && !bench.bus.isHolding(for: Self.g.group))
        #expect(bench.bus.description(of: name)?.hold == "h")
        let second = try bench.publish("a", "2")
        #expect(try Self.ids(bench, "a") == second)
        // A group that goes back holds what is left.
        bench.bus.setHeld(group: Self.h.group, from: second[0].following)
        let third = try bench.publish("a", "3")
        bench.bus.setHeld(group: Self.h.group, from: first[0])
        #expect(try Self.isFull { try bench.publish("a", "4") })
        #expect(try Self.ids(bench, "a") == third)
        try bench.remove("a")
        #expect(!bench.bus.isHolding(for: Self.h.group))
        try bench.publish("a", "5")
        try bench.publish("a", "6")
    }

    @Test func aHoldEndsWithItsGroupAndOthersOfTheNameHoldNothing() throws {
        let bench = try Self.bench(keep: 1)
        let names = try ["a", "b"].map { try TopicName($0) }
        try Self.hold(bench, "b", for: Self.g, .standard)
        try bench.publish("a", "1")
        try bench.publish("b", "1")
        let namesake = TopicHolder(group: Self.h.group, name: Self.g.name)
        bench.bus.setHeld(group: namesake.group, from: .zero)
        #expect(!bench.bus.isHolding(for: namesake.group))
        bench.bus.setHeld(group: Self.g.group, from: nil)
        // A sweep looks after topics that nobody touches.
        bench.bus.sweep()
        #expect(!bench.bus.isHolding(for: Self.g.group))
        #expect(bench.bus.withLog { $0.heldBytes } == HeldBytes())
        #expect(names.allSatisfy { bench.bus.description(of: $0)?.hold == nil })
        let last = try bench.publish("a", "2") + bench.publish("a", "3")
        #expect(try Self.ids(bench, "a") == Array(last.suffix(1)))
        // One that was on its way when the group went is over at once.
        try Self.hold(bench, "b", for: Self.g, .standard)
        #expect(bench.bus.description(of: names[1])?.hold == nil)
        #expect(!bench.bus.isHolding(for: Self.g.group))
        // The number of the other group is its own.
        try Self.hold(bench, "a", for: namesake, Retention(keep: 1, bytes: nil, age: nil))
        #expect(try Self.isFull { try bench.publish("a", "4") })
    }

    private static let fixedSeeds: [UInt64] = [1, 2, 3]

    /// Random publishes, groups that go on and back, ages and little memory, on a store without
    /// anything older and on one with it: what is held stays, and no more than the bounds else.
    @Test(arguments: fixedSeeds + [SeededRandom.runSeed], [false, true])
    func whateverHappensWhatIsHeldStays(seed: UInt64, keepsOlder: Bool) throws {
        var random = SeededRandom(seed: seed)
        let store: any EventStore = keepsOlder ? ShelfStore() : MemoryStore(ceiling: nil)
        let bench = try Self.bench(keep: 40, age: 30_000_000, memoryBytesMax: 40_000, store: store)
        var (all, from) = ([EventID](), EventID.zero)
        var refusals = 0
        for step in 0..<800 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let count = Int.random(in: 1...3, using: &random)
                let size = Int.random(in: 0...300, using: &random)
                let payload = Payload([UInt8](repeating: 1, count: size))
                let isFull = try Self.isFull {
                    all += try bench.publish("a", Array(repeating: payload, count: count))
                }
                if isFull { refusals += 1 }
            case 5..<7:
                let next = all.filter { $0 >= from }.prefix(20).randomElement(using: &random)
                from = next?.following ?? from
                bench.bus.setHeld(group: Self.g.group, from: from)
            case 7:
                if step % 11 == 0, let kept = try Self.kept(bench).first { from = min(from, kept) }
                bench.bus.setHeld(group: Self.g.group, from: from)
            case 8:
                bench.clock.advance(seconds: 5)
                bench.bus.sweep()
            default:
                try bench.publish("b", [Payload([UInt8](repeating: 2, count: 500))])
            }
            let kept = try Self.kept(bench)
            #expect(kept.suffix(all.count { $0 >= from }) == all.filter { $0 >= from }[...])
            #expect(kept.count <= 43)
        }
        // A seed of chance may have held too little for one; those that are fixed have some.
        #expect(refusals > 0 || !Self.fixedSeeds.contains(seed))
        // With everything settled all of it goes by age.
        bench.bus.setHeld(group: Self.g.group, from: nil)
        bench.clock.advance(seconds: 40)
        for _ in 0..<2 {
            bench.bus.sweep()
            bench.clock.advance(seconds: 40)
        }
        #expect(try Self.kept(bench).isEmpty)
        #expect(bench.bus.withLog { $0.heldBytes } == HeldBytes())
    }

    /// What a topic retains, also where only the store has it.
    private static func kept(_ bench: Bench) throws -> [EventID] {
        let selector = try Selector("a")
        let limit = ReadLimit(events: 1_000, bytes: 1 << 20)
        var position = bench.bus.position(.earliest, matching: selector, filter: .all)
        var ids: [EventID] = []
        while true {
            var read = bench.bus.read(position, matching: selector, filter: .all, limit: limit)
            if case .older(let older) = read {
                read = try bench.answer {
                    bench.bus.readStore(
                        older, matching: selector, filter: .all, limit: limit, then: $0)
                }
            }
            switch read {
            case .events(let events, let next, _):
                ids += events.map(\.id)
                position = next
            case .gap(_, let next): position = next
            case .caughtUp, .older: return ids
            }
        }
    }
}

extension EventID {
    fileprivate var following: EventID { EventID(rawValue: rawValue + 1) }
}
