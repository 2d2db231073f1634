import TestSupport
import Testing

@testable import Telemetry
@testable import Topics

struct MemoryTests {
    @Test func memoryStaysWithinItsBoundWhateverIsPublished() throws {
        let bytesMax = 2 << 20
        let bench = try Bench(memoryBytesMax: bytesMax)
        var random = SeededRandom(for: "memory bound")
        var published = 0
        for _ in 0..<3_000 {
            let topic = "t\(Int.random(in: 0..<20, using: &random))"
            let payloads = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                Payload(count: Int.random(in: 0...4_000, using: &random)) { _ in }
            }
            try bench.publish(topic, payloads)
            published += payloads.count
            guard bench.memory.used <= bytesMax else {
                Issue.record("\(bench.memory.used) bytes after \(published) events")
                return
            }
        }
        let statistics = bench.bus.statistics
        let retained = bench.bus.topics(matching: nil).topics.reduce(0) { $0 + $1.events }
        #expect(statistics.evicted > 0)
        #expect(statistics.published == published)
        #expect(retained + statistics.evicted == published)
        #expect(statistics.forgotten == statistics.evicted)
        #expect(statistics.retained == retained)
        #expect(bench.memory.used > bytesMax / 2)
    }

    @Test func theTopicFurthestAboveAnEqualShareLosesItsOldestEvents() throws {
        let bench = try Bench(memoryBytesMax: 1 << 20)
        let quiet = try bench.publish("quiet", "kept")
        let first = try bench.publish("loud", [Payload(count: 1_000) { _ in }])
        for _ in 0..<2_000 { try bench.publish("loud", [Payload(count: 1_000) { _ in }]) }
        #expect(try bench.read(after: quiet[0].before, "quiet").texts == ["kept"])
        let gap = try #require(try bench.read(after: first[0].before, "loud").gap)
        let oldest = try #require(bench.bus.description(of: try TopicName("loud"))?.oldest)
        #expect(gap.through < oldest)
        #expect(gap.through > first[0])
    }

    @Test func evenThoseWhoWaitAreToldWhatMemoryTook() throws {
        let bench = try Bench(memoryBytesMax: 1 << 20)
        let waiting = try bench.read(try bench.start(.now, "a"), "a").next
        for _ in 0..<2_000 { try bench.publish("a", [Payload(count: 1_000) { _ in }]) }
        let read = try bench.read(waiting, "a")
        #expect(read.gap?.after == waiting.after)
        var position = read.next
        var delivered = 0
        while case .events(let events, let next, _) = try bench.read(position, "a") {
            delivered += events.count
            position = next
        }
        #expect(delivered + bench.bus.statistics.evicted == 2_000)
    }

    @Test func othersWhoFillTheBudgetTakeFromTheEvents() throws {
        let bench = try Bench(memoryBytesMax: 1 << 20)
        for _ in 0..<500 { try bench.publish("a", [Payload(count: 1_000) { _ in }]) }
        #expect(bench.bus.statistics.evicted == 0)
        bench.memory.charge(768 << 10, to: .encodings)
        bench.bus.relieve()
        #expect(bench.memory.excess == 0)
        #expect(bench.bus.statistics.evicted > 0)
        bench.memory.charge(256 << 10, to: .bodies)
        #expect(throws: BusError.self) {
            try bench.publish("a", [Payload(count: 300_000) { _ in }])
        }
    }

    @Test func aBatchThatCannotFitIsRefusedAndNothingIsLostForIt() throws {
        let bench = try Bench(memoryBytesMax: 100_000)
        try bench.publish("a", "kept")
        let error = #expect(throws: BusError.self) {
            try bench.publish("a", [Payload(count: 100_000) { _ in }])
        }
        guard case .limit(.memory, let detail) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(detail.contains("100000"))
        #expect(try bench.read(from: .earliest, "a").texts == ["kept"])
        #expect(bench.memory.used(.events) < 1_000)
    }

    @Test func topicsAndTombstonesAreCountedAndComeBack() throws {
        let bench = try Bench(defaults: Retention(keep: nil, bytes: nil, age: 1_000_000))
        #expect(bench.memory.used == 0)
        for index in 0..<100 { try bench.publish("t\(index)", "x") }
        let full = bench.memory.used(.topics)
        #expect(full > 0)
        bench.clock.advance(seconds: 1)
        bench.bus.sweep()
        bench.clock.advance(seconds: 2)
        bench.bus.sweep()
        #expect(bench.memory.used(.events) == 0)
        #expect(bench.memory.used(.topics) < full)
        #expect(bench.memory.used(.topics) > 0)
    }

    @Test func theLevelIsTheHighestThatFreesEnough() {
        var random = SeededRandom(for: "water level")
        for _ in 0..<2_000 {
            let sizes = (0..<Int.random(in: 1...8, using: &random))
                .map { _ in Int.random(in: 1...50, using: &random) }.sorted(by: >)
            let bytes = Int.random(in: 1...sizes.reduce(0, +), using: &random)
            func freed(_ level: Int) -> Int { sizes.reduce(0) { $0 + max(0, $1 - level) } }
            let level = CommonLevel.of(sizes, freeing: bytes)
            #expect(freed(level) >= bytes && freed(level + 1) < bytes, "\(sizes) \(bytes)")
        }
    }

    @Test func makingRoomLooksAtTheTopicsThatLoseSomethingHoweverManyOthersThereAre() throws {
        let bench = try Bench()
        for number in 0..<5_000 { try bench.publish("small\(number)", "x") }
        for name in ["large", "larger", "largest"] {
            try bench.publish(name, [Payload](repeating: Payload([1, 2, 3]), count: 100))
        }
        try bench.publish("largest", "x", "x", "x")
        let (before, after) = bench.bus.withLog { log in
            let before = log.steps
            log.evict(1)
            return (before, log.steps)
        }
        #expect(after - before <= 4)
        #expect(bench.bus.statistics.evicted == 1)
        #expect(bench.bus.description(of: try TopicName("largest"))?.events == 102)
    }

    @Test func roomIsMadeByTheLargestWhateverTheyHeldBefore() throws {
        var random = SeededRandom(for: "largest")
        let bench = try Bench(defaults: Retention(keep: 40, bytes: nil, age: nil))
        let names = (0..<30).map { "topic\($0)" }
        for _ in 0..<1_000 {
            let name = names.randomElement(using: &random)!
            switch Int.random(in: 0..<20, using: &random) {
            case 0: _ = try? bench.remove(name)
            case 1:
                bench.bus.withLog { log in
                    let sizes = log.records.values.map(\.memoryBytes).sorted(by: >)
                    let most = sizes.reduce(0, +)
                    guard most > 0 else { return }
                    let bytes = Int.random(in: 1...most, using: &random)
                    let level = CommonLevel.of(sizes, freeing: bytes)
                    let spared = log.records.values.filter { $0.memoryBytes <= level }
                        .map { ($0, $0.memoryBytes) }
                    log.evict(bytes)
                    #expect(log.records.values.allSatisfy { $0.memoryBytes <= level })
                    #expect(spared.allSatisfy { $0.memoryBytes == $1 })
                }
                bench.clock.advance(seconds: 1)
                bench.bus.sweep()
            default: try bench.publish(name, String(repeating: "x", count: .random(in: 0...90)))
            }
        }
    }

    @Test func whatGoesIsReleasedAfterTheLockAndNotUnderIt() throws {
        var log = EventLog(
            contents: StoreContents(newest: .zero, floor: .zero, floorTime: .distantPast),
            store: StoreCapabilities(keepsOlder: false), limits: BusLimits(),
            defaults: Retention(keep: nil, bytes: nil, age: nil), autocreate: true,
            now: .distantPast)
        weak var evicted: Event?
        weak var removed: Event?
        let now = Timestamp(microseconds: 0)
        for id in UInt64(1)...2 {
            let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty])
            let prepared = try log.prepare(batch, room: MemoryRoom(bytesMax: 1 << 20, others: 0))
            let event = Event(
                id: EventID(rawValue: id), time: now, topic: batch.topic, payload: .empty,
                metadata: .none, sender: .unknown, isStored: false)
            if id == 1 { evicted = event } else { removed = event }
            log.settle(prepared)
            _ = log.arrive([event], owner: nil, now: now)
        }
        log.evict(1)
        log.remove(try TopicName("a"), at: EventID(rawValue: 3))
        var deferredEffects: DeferredEffects? = log.takeDeferredEffects()
        #expect(evicted != nil && removed != nil)
        #expect(deferredEffects?.events.count == 1)
        deferredEffects = nil
        #expect(evicted == nil && removed == nil)
    }
}
