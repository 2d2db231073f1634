import TestSupport
import Testing
import Topics

@testable import SQLiteStore

@Suite(.blocking) struct StoreRetentionTests {
    @Test func boundsReachIntoTheFile() throws {
        var bench = try StoreBench(
            StoreBench.Settings(
                memoryBytesMax: 24_000, defaults: Retention(keep: 200, bytes: nil, age: nil)))
        let ids = try (0..<500).flatMap { try bench.publish("a", "\($0)") }
        #expect(try bench.settles("a") { $0?.events == 200 })
        #expect(try bench.description("a")?.oldest == ids[300])
        bench = try bench.reopened()
        #expect(try bench.description("a")?.events == 200)
        let received = try bench.follow("a", from: .after(ids[0]))
        #expect(received.gaps == [Gap(after: ids[0], through: ids[299])])
        #expect(received.ids == Array(ids[300...]))
    }

    @Test func whatAKillLeftOverTheBoundsDoesNotComeBackUnderWiderOnes() throws {
        var bench = try StoreBench()
        let ids = try (0..<5).flatMap { try bench.publish("a", "\($0)") }
        bench = try bench.reopened { $0.defaults.keep = 3 }
        // The writer stands still right behind the registration until the copy is made.
        let (isRegistered, isCopied) = (Gate(), Gate())
        let wide = TopicSettings(
            retention: Retention(keep: 30, bytes: nil, age: nil), persists: true)
        bench.bus.register(try TopicName("a"), settings: wide, by: .unknown) { _ in
            isRegistered.open()
            try? isCopied.wait()
        }
        try isRegistered.wait()
        let next = try bench.killed()
        isCopied.open()
        #expect(try next.follow("a", from: .earliest).ids == Array(ids[2...]))
    }

    @Test func ageReachesIntoTheFileAndTheTopicVanishes() throws {
        var bench = try StoreBench(
            StoreBench.Settings(defaults: Retention(keep: nil, bytes: nil, age: 10_000_000)))
        let ids = try (0..<300).flatMap { try bench.publish("a", "\($0)") }
        bench = try bench.reopened()
        bench.clock.advance(seconds: 10)
        bench.bus.sweep()
        #expect(try bench.settles("a") { $0 == nil })
        bench = try bench.reopened()
        #expect(try bench.description("a") == nil)
        #expect(
            try bench.follow("a", from: .after(ids[0])).gaps
                == [Gap(after: ids[0], through: ids[299])])
    }

    @Test func muchIsRemovedInTurnsAndItsRoomIsGivenBack() throws {
        let bench = try StoreBench()
        let payload = Payload([UInt8](repeating: 1, count: 1_000))
        for _ in 0..<8 { try bench.publish("big", [Payload](repeating: payload, count: 1_000)) }
        let last = try bench.publish("small", "x")
        bench.close()
        let full = Files.size(bench.path)
        #expect(full > 8_000_000)
        var again = try bench.reopened()
        try again.register("big", keep: 10)
        #expect(try again.settles("big") { $0?.events == 10 })
        #expect(try again.follow("big", from: .earliest).ids.count == 10)
        try again.remove("big")
        #expect(try again.settles("big") { $0 == nil })
        #expect(try again.follow(">", from: .earliest).ids.contains(last[0]))
        // The writer gives back a part in each turn, and has one for every publish at least.
        for _ in 0..<200 { try again.publish("small", "y") }
        again.close()
        #expect(Files.size(bench.path) < full / 2)
        #expect(try SQLiteStore.check(bench.path) == [])
        again = try again.reopened()
        #expect(try again.description("big") == nil)
    }

    @Test func atTheLimitOfTheFileTheLargestTopicsLoseTheirOldestEventsAndReadersAreTold() throws {
        var bench = try StoreBench(StoreBench.Settings(sizeBytesMax: 6 << 20))
        let payload = Payload([UInt8](repeating: 1, count: 10_000))
        var small: [EventID] = []
        var large: [EventID] = []
        for round in 0..<40 {
            small += try bench.publish("small", "\(round)")
            large += try bench.publish("large", [Payload](repeating: payload, count: 25))
        }
        #expect(try bench.follow("small", from: .after(small[0].before)).ids == small)
        let received = try bench.follow("large", from: .after(large[0].before))
        #expect(received.gaps.count >= 1 && received.ids.count < 600)
        #expect(received.ids == Array(large.suffix(received.ids.count)))
        #expect(received.gaps.last?.through == large[large.count - received.ids.count - 1])
        #expect(Files.size(bench.path) <= 6 << 20)
        bench = try bench.reopened()
        #expect(try bench.follow("large", from: .after(large[0].before)).ids == received.ids)
        bench.close()
        #expect(try SQLiteStore.check(bench.path) == [])
    }

    @Test func whatDoesNotFitIntoTheFileAtAllIsRefused() throws {
        let bench = try StoreBench(StoreBench.Settings(sizeBytesMax: 3 << 20))
        let payload = Payload([UInt8](repeating: 1, count: 1 << 20))
        do {
            try bench.publish("a", [payload, payload, payload])
            Issue.record("it fit")
        } catch BusError.storeFull(let detail) {
            #expect(detail.contains("is at its size limit"))
        }
        #expect(bench.bus.readiness == .ready)
        try bench.publish("a", [payload])
        #expect(bench.bus.readiness == .ready)
    }

    @Test func theLevelIsTheHighestThatFreesEnough() {
        var random = SeededRandom(for: "space level")
        for _ in 0..<2_000 {
            let sizes = (0..<Int.random(in: 1...8, using: &random))
                .map { _ in Int.random(in: 1...50, using: &random) }.sorted(by: >)
            let bytes = Int.random(in: 1...sizes.reduce(0, +), using: &random)
            func freed(_ level: Int) -> Int { sizes.reduce(0) { $0 + max(0, $1 - level) } }
            let level = CommonLevel.of(sizes, freeing: bytes)
            #expect(freed(level) >= bytes && freed(level + 1) < bytes, "\(sizes) \(bytes)")
        }
    }

    @Test func manyTombstonesMergeIntoTheFloor() throws {
        var bench = try StoreBench(StoreBench.Settings(tombstonesMax: 10))
        var ids: [EventID] = []
        for index in 0..<40 {
            ids += try bench.publish("t\(index)", "x")
            try bench.remove("t\(index)")
        }
        bench = try bench.reopened()
        #expect(bench.bus.statistics.tombstones <= 10)
        #expect(try bench.follow("t39", from: .after(ids[39])).gaps.isEmpty)
        #expect(try bench.follow("t39", from: .after(ids[39].before)).gaps.count == 1)
        #expect(try bench.follow("t0", from: .after(ids[0].before)).gaps.count == 1)
        #expect(try bench.follow("never", from: .after(ids[0])).gaps.count == 1)
        #expect(try bench.follow("never", from: .after(ids[38])).gaps.isEmpty)
    }

    private static let g = TopicHolder(group: GroupNumber(rawValue: 1), name: "g")
    private static let h = TopicHolder(group: GroupNumber(rawValue: 2), name: "h")

    private static func hold(
        _ bench: StoreBench, _ topic: String, for group: TopicHolder?, age: Int64? = nil
    ) throws {
        var settings = TopicSettings(
            retention: Retention(keep: nil, bytes: nil, age: age), persists: true)
        settings.hold = group
        let name = try TopicName(topic)
        _ = try bench.answer {
            bench.bus.register(name, settings: settings, by: .unknown, then: $0)
        }
    }

    private static func commit(_ bench: StoreBench, _ change: WorkChange) throws {
        _ = try bench.answer { bench.bus.commit(change, then: $0) }
    }

    @Test func aStartHoldsAllForAGroupUntilItSaysWhatItNeeds() throws {
        var bench = try StoreBench()
        try Self.commit(bench, WorkSamples.change(1, record: WorkSamples.record("g")))
        bench.bus.setHeld(group: Self.g.group, from: .zero)
        try Self.hold(bench, "a", for: Self.g, age: 10_000_000)
        let ids = try bench.publish("a", "1", "2", "3")
        bench = try bench.killed()
        #expect(try bench.description("a")?.hold == "g" && bench.bus.isHolding(for: Self.g.group))
        bench.clock.advance(seconds: 100)
        bench.bus.sweep()
        #expect(try bench.follow("a", from: .earliest).ids == ids)
        bench.bus.setHeld(group: Self.g.group, from: ids[1])
        bench.clock.advance(seconds: 1)
        bench.bus.sweep()
        #expect(try bench.settles("a") { $0?.events == 2 })
        #expect(try bench.follow("a", from: .earliest).ids == Array(ids[1...]))
        // A group that is gone holds nothing, in the next life neither.
        var end = WorkSamples.change(1)
        end.removesGroup = true
        try Self.commit(bench, end)
        bench = try bench.reopened()
        #expect(try bench.description("a")?.hold == nil && !bench.bus.isHolding(for: Self.g.group))
        bench.bus.sweep()
        #expect(try bench.settles("a") { $0?.events == 0 })
        bench.close()
        #expect(try SQLiteStore.check(bench.path) == [])
    }

    @Test func theSizeLimitTakesOfOthersAndNeverMoreThanHalfIsHeld() throws {
        let bench = try StoreBench(StoreBench.Settings(sizeBytesMax: 6 << 20))
        bench.bus.setHeld(group: Self.g.group, from: .zero)
        try Self.hold(bench, "held", for: Self.g)
        bench.bus.setHeld(group: Self.h.group, from: .zero)
        try Self.hold(bench, "settled", for: Self.h)
        let payload = [Payload([UInt8](repeating: 7, count: 30_000))]
        let one = try bench.publish("settled", payload)[0]
        for _ in 0..<60 { try bench.publish("settled", payload) }
        bench.bus.setHeld(
            group: Self.h.group, from: EventID(rawValue: bench.bus.newest.rawValue + 1))
        bench.clock.advance(seconds: 1)
        bench.bus.sweep()
        var held: [EventID] = []
        do {
            while true { held += try bench.publish("held", payload) }
        } catch BusError.topicFull(let detail) {
            #expect(detail.contains("half of the store"))
        }
        #expect((70...110).contains(held.count))
        for _ in 0..<200 { try bench.publish("other", payload) }
        #expect(Files.size(bench.path) <= 6 << 20)
        #expect(try bench.follow("held", from: .after(held[0].before)).ids == held)
        #expect(try bench.follow("settled", from: .earliest).ids.contains(one) == false)
        // What is settled goes like anything else, and its publisher goes on.
        bench.bus.setHeld(group: Self.g.group, from: held[50])
        held += try bench.publish("held", payload)
        for _ in 0..<200 { try bench.publish("other", payload) }
        let left = try bench.follow("held", from: .earliest).ids
        #expect(left.count < held.count && left.suffix(held.count - 50) == held[50...])
    }
}
