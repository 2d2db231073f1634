import Protection
import StoreSupport
import TestSupport
import Testing

@testable import Topics

struct OlderTests {
    /// A bus whose memory holds about a hundred small events.
    private static func bench(
        _ store: ShelfStore, defaults: Retention = Retention(keep: nil, bytes: nil, age: nil)
    ) throws -> Bench {
        try Bench(store: store, defaults: defaults, memoryBytesMax: 24_000)
    }

    @Test func theStoreIsNotAskedToTrimWhatItNeverHad() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        let name = try TopicName("live")
        func register(persists: Bool) throws {
            let settings = TopicSettings(
                retention: Retention(keep: 1, bytes: nil, age: nil), persists: persists)
            _ = try bench.answer {
                bench.bus.register(name, settings: settings, by: .unknown, then: $0)
            }
        }
        try register(persists: false)
        for _ in 0..<100 { try bench.publish("live", "x") }
        #expect(store.trims == 0)
        #expect(bench.bus.statistics.retained == 1)
        try register(persists: true)
        // The event that goes now has no copy there either, the next one has.
        try bench.publish("live", "y")
        #expect(store.trims == 0)
        let last = try bench.publish("live", "z")
        #expect(store.trims == 1 && store.ids(name) == last)
    }

    /// What a reader got from a position up to the newest event.
    private struct Received {
        var ids: [EventID] = []
        var gaps: [Gap] = []
        var position: LogPosition
    }

    private static func follow(
        _ bench: Bench, _ selector: String, from position: LogPosition, type: String? = nil,
        events: Int = 10
    ) throws -> Received {
        var received = Received(position: position)
        let terms = try Selector(selector)
        let filter = EventFilter(type: type, key: nil)
        let limit = ReadLimit(events: events, bytes: 1 << 20)
        var read = bench.bus.read(position, matching: terms, filter: filter, limit: limit)
        while true {
            received.position = read.next
            switch read {
            case .events(let events, _, _): received.ids += events.map(\.id)
            case .gap(let gap, _): received.gaps.append(gap)
            case .caughtUp: return received
            case .older(let position):
                read = try bench.answer { then in
                    bench.bus.readStore(
                        position, matching: terms, filter: filter, limit: limit, then: then)
                }
                continue
            }
            read = bench.bus.read(read.next, matching: terms, filter: filter, limit: limit)
        }
    }

    @discardableResult
    private static func fill(
        _ bench: Bench, _ topics: [String] = ["a"], rounds: Int
    ) throws -> [EventID] {
        try (0..<rounds).flatMap { round in
            try bench.publish(topics[round % topics.count], "\(round)")
        }
    }

    @Test func whatMemoryLetsGoIsReadFromTheStoreAndNothingIsLost() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        let ids = try Self.fill(bench, rounds: 500)
        #expect(bench.bus.statistics.evicted > 300)
        #expect(try bench.read(after: ids[0].before, "a").isOlder)
        let received = try Self.follow(bench, "a", from: LogPosition(after: ids[0].before))
        #expect(received.ids == ids)
        #expect(received.gaps.isEmpty)
        let topic = try #require(bench.bus.description(of: try TopicName("a")))
        #expect(topic.events == 500 && topic.oldest == ids[0] && topic.newest == ids[499])
        #expect(bench.memory.excess == 0)
    }

    @Test(arguments: ["a", "a,b", ">"])
    func oneAnswerHasWhatOnlyTheStoreHasAndWhatIsInMemory(selector: String) throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        let ids = try Self.fill(bench, rounds: 500)
        let position = try bench.read(after: ids[0].before, selector).next
        let terms = try Selector(selector)
        let read = try bench.answer { then in
            bench.bus.readStore(
                position, matching: terms, filter: .all,
                limit: ReadLimit(events: 500, bytes: 1 << 20), then: then)
        }
        #expect(read.ids == ids)
        guard case .events(_, let next, isCutShort: false) = read else {
            Issue.record("\(read)")
            return
        }
        #expect(next.after == ids[499])
    }

    @Test func liveEventsGoOnWhileTheStoreReadsAndJoinWithoutASeamOrARepeat() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        var ids = try Self.fill(bench, rounds: 300)
        let position = try bench.read(after: ids[0].before, "a").next
        store.closeDoor()
        let answer = Protected<Result<LogRead, BusError>?>(nil)
        bench.bus.readStore(
            position, matching: try Selector("a"), filter: .all,
            limit: ReadLimit(events: 1_000, bytes: 1 << 20)
        ) { outcome in answer.value = outcome }
        #expect(store.waiting == 1)
        let live = try bench.read(try bench.start(.now, "a"), "a").next
        let meanwhile = try Self.fill(bench, rounds: 50)
        #expect(try bench.read(live, "a").ids == meanwhile)
        ids += meanwhile + (try Self.fill(bench, rounds: 250))
        #expect(answer.value == nil)
        store.openDoor()
        let first = try #require(answer.value).get()
        #expect(first.ids.first == ids[0])
        let rest = try Self.follow(bench, "a", from: first.next)
        #expect(first.ids + rest.ids == ids)
        #expect(rest.gaps.isEmpty)
    }

    @Test func whatGoesWhileTheStoreReadsIsAGap() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        let ids = try Self.fill(bench, rounds: 300)
        let position = try bench.read(after: ids[0].before, "a").next
        store.closeDoor()
        let answer = Protected<Result<LogRead, BusError>?>(nil)
        bench.bus.readStore(
            position, matching: try Selector("a"), filter: .all,
            limit: ReadLimit(events: 10, bytes: 1 << 20)
        ) { outcome in answer.value = outcome }
        try bench.register("a", keep: 200)
        store.openDoor()
        let read = try #require(answer.value).get()
        #expect(read.gap == Gap(after: ids[0].before, through: ids[99]))
        let rest = try Self.follow(bench, "a", from: read.next)
        #expect(rest.ids == Array(ids[100...]))
    }

    @Test func aRemovedTopicIsAGapForTheReaderOfTheStore() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        let ids = try Self.fill(bench, ["a", "b"], rounds: 300)
        let position = try bench.read(after: ids[0].before, "a,b").next
        store.closeDoor()
        let answer = Protected<Result<LogRead, BusError>?>(nil)
        bench.bus.readStore(
            position, matching: try Selector("a,b"), filter: .all,
            limit: ReadLimit(events: 10, bytes: 1 << 20)
        ) { outcome in answer.value = outcome }
        try bench.remove("a")
        store.openDoor()
        let read = try #require(answer.value).get()
        #expect(read.gap == Gap(after: ids[0].before, through: ids[298]))
        let rest = try Self.follow(bench, "a,b", from: read.next)
        #expect(rest.ids == ids.enumerated().filter { $0.offset % 2 == 1 }.map(\.element))
    }

    @Test func retentionReachesIntoTheStore() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store, defaults: Retention(keep: 200, bytes: nil, age: nil))
        let ids = try Self.fill(bench, rounds: 500)
        let name = try TopicName("a")
        #expect(store.ids(name) == Array(ids[300...]))
        let topic = try #require(bench.bus.description(of: name))
        #expect(topic.events == 200 && topic.oldest == ids[300])
        let read = try bench.read(after: ids[0], "a")
        #expect(read.gap == Gap(after: ids[0], through: ids[299]))
        #expect(try Self.follow(bench, "a", from: read.next).ids == Array(ids[300...]))
    }

    @Test func ageReachesIntoTheStoreAndTheTopicVanishes() throws {
        let store = ShelfStore()
        let bench = try Self.bench(
            store, defaults: Retention(keep: nil, bytes: nil, age: 10_000_000))
        let ids = try Self.fill(bench, rounds: 300)
        bench.clock.advance(seconds: 10)
        bench.bus.sweep()
        bench.clock.advance(seconds: 2)
        bench.bus.sweep()
        #expect(store.ids(try TopicName("a")).isEmpty)
        #expect(bench.bus.description(of: try TopicName("a")) == nil)
        #expect(try bench.read(after: ids[0], "a").gap == Gap(after: ids[0], through: ids[299]))
    }

    @Test func startsThatOnlyTheStoreCanFindAreFound() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        let early = try Self.fill(bench, ["a", "b"], rounds: 200)
        bench.clock.advance(seconds: 10)
        let time = bench.clock.now()
        let late = try Self.fill(bench, ["a", "b"], rounds: 300)
        func follow(_ start: StartPosition, _ selector: String) throws -> [EventID] {
            let received = try Self.follow(bench, selector, from: try bench.start(start, selector))
            #expect(received.gaps.isEmpty)
            return received.ids
        }
        #expect(try follow(.earliest, "*") == early + late)
        #expect(try follow(.last(250), "*") == Array(late.suffix(250)))
        #expect(
            try follow(.last(200), "a")
                == Array(
                    (early + late).enumerated()
                        .filter { $0.offset % 2 == 0 }.map(\.element).suffix(200)))
        #expect(try follow(.last(9_999), "a,b") == early + late)
        #expect(try follow(.time(time), "*") == late)
        #expect(try follow(.latest, "*") == late.suffix(1))
    }

    @Test func aStartInTheStoreIsFoundInMemoryOnceTheStoreHasNothing() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        try Self.fill(bench, rounds: 300)
        let position = try bench.start(.last(250), "a")
        #expect(try bench.read(position, "a").isOlder)
        try bench.register("a", keep: 5)
        let topic = try #require(bench.bus.description(of: try TopicName("a")))
        let read = try bench.answer { then in
            bench.bus.readStore(
                position, matching: try! Selector("a"), filter: .all,
                limit: ReadLimit(events: 9, bytes: 1 << 20), then: then)
        }
        #expect(topic.events == 5)
        #expect(read.ids.count == 5 && read.ids.first == topic.oldest)
    }

    @Test func topicsThatDoNotPersistJoinFromMemory() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        let settings = TopicSettings(
            retention: Retention(keep: nil, bytes: nil, age: nil), persists: false)
        let name = try TopicName("live")
        _ = try bench.answer { then in
            bench.bus.register(name, settings: settings, by: .unknown, then: then)
        }
        var ids: [EventID] = []
        for round in 0..<300 {
            ids += try bench.publish(round % 30 == 0 ? "live" : "a", "\(round)")
        }
        #expect(store.ids(name).isEmpty)
        let received = try Self.follow(bench, "*", from: LogPosition(after: ids[0].before))
        #expect(received.ids == ids)
    }

    @Test func oneEventThatOnlyTheStoreHasIsSaidToBeThere() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        let ids = try Self.fill(bench, rounds: 300)
        guard case .older(let position) = bench.bus.event(ids[3], in: try TopicName("a")) else {
            return #expect(Bool(false), "the store has it")
        }
        let read = try bench.answer { then in
            bench.bus.readStore(
                position, matching: try! Selector("a"), filter: .all,
                limit: ReadLimit(events: 1, bytes: 1), then: then)
        }
        #expect(read.ids == [ids[3]])
    }

    @Test func aBusGoesOnWithWhatItsStoreRetained() throws {
        let names = try ["a", "b", "gone"].map { try TopicName($0) }
        let events = (1...6).map { index in
            Event(
                id: EventID(rawValue: UInt64(100 + index)),
                time: Timestamp(microseconds: Int64(index)), topic: names[0],
                payload: Payload([UInt8(index)]), metadata: .none, sender: .unknown,
                isStored: true)
        }
        let older = OlderEvents(
            EventSum(count: 4, bytes: 4), oldest: events[0].id, oldestTime: events[0].time,
            newest: events[3].id, newestTime: events[3].time)
        let settings = TopicSettings(
            retention: Retention(keep: 9, bytes: nil, age: nil), persists: true)
        let id = { (number: UInt64) in EventID(rawValue: number) }
        let contents = StoreContents(
            newest: id(200), floor: id(50), floorTime: .distantPast,
            topics: [
                StoredTopic(
                    name: names[0], settings: settings, owner: 7, removedThrough: id(90),
                    removedTime: .distantPast, older: older, recent: Array(events[4...])),
                StoredTopic(
                    name: names[1], settings: settings, owner: nil, removedThrough: id(60),
                    removedTime: .distantPast, older: nil, recent: []),
            ],
            tombstones: [
                StoredTombstone(name: names[2], removedThrough: id(70), removedTime: .distantPast)
            ])
        let store = ShelfStore(contents: contents, events: [names[0]: events])
        let bench = try Self.bench(store)
        let described = bench.bus.topics(matching: nil)
        #expect(described.cursor == id(200))
        #expect(described.topics.map(\.events) == [6, 0])
        #expect(described.topics[0].owner == 7)
        let received = try Self.follow(bench, "a", from: LogPosition(after: id(90)))
        #expect(received.ids == events.map(\.id) && received.gaps.isEmpty)
        #expect(try bench.read(after: id(89), "a").gap?.through == id(90))
        #expect(try bench.read(after: id(59), "b").gap?.through == id(60))
        #expect(try bench.read(after: id(69), "gone").gap?.through == id(70))
        #expect(try bench.read(after: id(49), "never").gap?.through == id(50))
        #expect(try bench.read(after: id(50), "never").isCaughtUp)
        #expect(try bench.publish("b", "new")[0] > id(200))
    }

    @Test func everyReaderOfAnyMixGetsEverythingOnceInOrder() throws {
        var random = SeededRandom(for: "older mix")
        for _ in 0..<10 {
            let store = ShelfStore()
            store.pageEventsMax = Int.random(in: 1...20, using: &random)
            let bench = try Self.bench(store)
            let settings = TopicSettings(
                retention: Retention(keep: nil, bytes: nil, age: nil), persists: false)
            _ = try bench.answer { then in
                bench.bus.register(
                    try! TopicName("b.live"), settings: settings, by: .unknown, then: then)
            }
            let topics = ["a", "a.x", "a.y", "b.live"]
            let selectors = ["a", "a.*", ">", "a,b.live", "*.*"]
            var positions = try selectors.map { try bench.start(.now, $0) }
            var received = selectors.map { _ in [EventID]() }
            var published: [(topic: TopicName, id: EventID)] = []
            for _ in 0..<400 {
                let topic = topics[Int.random(in: 0..<topics.count, using: &random)]
                // Few enough to stay below an equal share of memory, so that none is evicted.
                if topic != "b.live" || published.count(where: { $0.topic.text == topic }) < 20 {
                    for id in try bench.publish(topic, "x") {
                        published.append((try TopicName(topic), id))
                    }
                }
                if Int.random(in: 0..<60, using: &random) == 0 {
                    let reader = Int.random(in: 0..<selectors.count, using: &random)
                    let got = try Self.follow(
                        bench, selectors[reader], from: positions[reader],
                        events: Int.random(in: 1...30, using: &random))
                    positions[reader] = got.position
                    received[reader] += got.ids
                    #expect(got.gaps.isEmpty)
                }
            }
            for (reader, text) in selectors.enumerated() {
                let got = try Self.follow(bench, text, from: positions[reader])
                let selector = try Selector(text)
                let all = received[reader] + got.ids
                #expect(got.gaps.isEmpty)
                #expect(all == published.filter { selector.matches($0.topic) }.map(\.id))
            }
        }
    }
}
