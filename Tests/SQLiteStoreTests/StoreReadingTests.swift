import Protection
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// Memory holds about a hundred small events here; the rest is read from the file.
@Suite(.blocking) struct StoreReadingTests {
    private static func bench(_ memoryBytesMax: Int = 24_000) throws -> StoreBench {
        try StoreBench(StoreBench.Settings(memoryBytesMax: memoryBytesMax))
    }

    @Test func whatMemoryLetsGoIsReadInOrderAndJoinedWithoutASeam() throws {
        let bench = try Self.bench()
        let names = ["a", "a.x", "a.y", "b"]
        var ids: [(topic: String, id: EventID)] = []
        for round in 0..<600 {
            let topic = names[round % 4]
            ids.append(
                (topic, try bench.publish(topic, "\(round)", type: round % 3 == 0 ? "t" : nil)[0]))
        }
        let first = ids[0].id.before
        for (selector, topics) in [
            ("a", ["a"]), ("a.*", ["a.x", "a.y"]), (">", names), ("a,b", ["a", "b"]),
        ] {
            let expected = ids.filter { topics.contains($0.topic) }.map(\.id)
            for events in [1, 7, 1_000] {
                let received = try bench.follow(selector, from: .after(first), events: events)
                #expect(received.ids == expected && received.gaps.isEmpty, "\(selector)")
            }
            let typed = ids.enumerated().filter {
                $0.offset % 3 == 0 && topics.contains($0.element.topic)
            }
            #expect(
                try bench.follow(selector, from: .after(first), type: "t").ids
                    == typed.map(\.element.id))
        }
    }

    @Test func hiddenTopicsAreNotReadFromTheFileEither() throws {
        let bench = try Self.bench()
        let visibility = TopicVisibility([1]) { !$0.text.hasPrefix("h") }
        try bench.register("h.lossy", keep: 1)
        var visible: [EventID] = []
        for round in 0..<600 {
            let topic = ["a", "h", "h.lossy", "b"][round % 4]
            let ids = try bench.publish(topic, "\(round)")
            if topic.first != "h" { visible += ids }
        }
        for events in [1, 7, 1_000] {
            let received = try bench.follow(
                ">", from: .after(visible[0]), events: events, showing: visibility)
            #expect(received.ids == Array(visible.dropFirst()) && received.gaps.isEmpty)
        }
        #expect(
            try bench.follow(">", from: .last(250), showing: visibility).ids
                == Array(visible.suffix(250)))
    }

    @Test func startsThatOnlyTheFileCanFindAreFound() throws {
        var bench = try Self.bench()
        var early: [EventID] = []
        var late: [EventID] = []
        for round in 0..<200 { early += try bench.publish(round % 2 == 0 ? "a" : "b", "\(round)") }
        bench.clock.advance(seconds: 10)
        let time = bench.clock.now()
        for round in 0..<300 {
            late += try bench.publish(round % 2 == 0 ? "a" : "b", "\(round)", type: "late")
        }
        for _ in 0..<2 {
            func follow(_ start: StartPosition, _ selector: String, type: String? = nil) throws
                -> [EventID]
            {
                let received = try bench.follow(selector, from: start, type: type)
                #expect(received.gaps.isEmpty)
                return received.ids
            }
            #expect(try follow(.earliest, "*") == early + late)
            #expect(try follow(.last(250), "*") == Array(late.suffix(250)))
            #expect(try follow(.last(9_999), "a,b") == early + late)
            #expect(try follow(.last(301), "*", type: "late") == late)
            #expect(try follow(.last(450), ">") == Array((early + late).suffix(450)))
            #expect(try follow(.time(time), "*") == late)
            #expect(try follow(.time(time), "a").count == 150)
            #expect(try follow(.latest, "*") == late.suffix(1))
            bench = try bench.reopened()
        }
    }

    @Test func ofMoreTopicsThanAreMergedEveryRowIsLookedAt() throws {
        let bench = try Self.bench(200_000)
        var ids: [EventID] = []
        for round in 0..<400 { ids += try bench.publish("many.t\(round % 90)", "\(round)") }
        try bench.publish("other", "x")
        try bench.remove("many.t7")
        let left = ids.enumerated().filter { $0.offset % 90 != 7 }.map(\.element)
        let again = try bench.reopened()
        #expect(try again.follow("many.*", from: .earliest, events: 50).ids == left)
        #expect(try again.follow("many.*", from: .last(30)).ids == Array(left.suffix(30)))
    }

    @Test func aLongSearchIsDoneInTurnsAndFindsWhatThereIs() throws {
        let bench = try StoreBench()
        let wanted = try bench.publish("a", "wanted", type: "rare")
        for _ in 0..<10 { try bench.publish("a", (0..<1_000).map { _ in Payload.empty }) }
        let again = try bench.reopened()
        #expect(try again.follow("a", from: .earliest, type: "rare").ids == wanted)
        #expect(try again.follow(">", from: .last(1), type: "rare").ids == wanted)
        #expect(try again.follow("a", from: .last(1), type: "none").ids.isEmpty)
    }

    @Test func noTurnLooksAtMoreEventsThanItsBound() throws {
        let bench = try StoreBench()
        for _ in 0..<3 { try bench.publish("a", (0..<1_000).map { _ in Payload.empty }) }
        let again = try bench.reopened()
        let work = try #require(again.store.tasks.first)
        #expect(try again.follow(">", from: .earliest, type: "none").ids.isEmpty)
        #expect(try again.follow("a", from: .last(2_500)).ids.count == 2_500)
        #expect(work.turns.value >= 3_000 / work.stepsMax)
        #expect(work.mostSteps == work.stepsMax)
    }

    @Test func nothingIsReadForAClientThatHasLeft() throws {
        let rig = try StoreRig(.sqlite)
        let last = try rig.publish("a", "x")[0].id
        var request = StoreRead(
            start: .after(.zero), through: last, selector: try Selector("a"), filter: .all,
            limit: .standard)
        let asked = Protected(0)
        request.client = StoreClient(user: 1) {
            asked.write { $0 += 1 }
            return true
        }
        let outcome = try rig.wait { rig.store.read(request, then: $0) }
        guard case .failure = outcome else {
            Issue.record("a page was read for nobody")
            return
        }
        #expect(asked.value == 1)
        request.client = StoreClient(user: 1)
        #expect(try rig.wait { rig.store.read(request, then: $0) }.get().events.count == 1)
    }

    /// Finding the topics would take longer than a turn may: every event is looked at instead.
    @Test func listsOfPatternsThatTakeLongToFindAreReadAsOthersAre() throws {
        let bench = try StoreBench()
        let ids = Protected<[Int: EventID]>([:])
        for round in 0..<1_100 {
            let batch = PublishBatch(
                topic: try TopicName("n\(round)"), payloads: [Payload(Array("x".utf8))])
            bench.bus.publish(batch) { outcome in
                if round % 100 == 7 { ids.write { $0[round] = try? outcome.get().last } }
            }
        }
        // What a store commits last is told last.
        try bench.publish("last", "x")
        let again = try bench.reopened()
        let wide = (0..<120).map { "x\($0).*" } + (0..<11).map { "n\($0 * 100 + 7)" }
        let list = wide.suffix(127).joined(separator: ",")
        let told = try again.follow(list, from: .earliest).ids
        #expect(told == ids.value.values.sorted() && told.count == 11)
    }

    @Test func readersAndPublishersOfManyThreadsLoseNothing() throws {
        let bench = try Self.bench(60_000)
        let bus = bench.bus
        let start = bus.newest
        let all = 4 * 300
        try inParallel(7) { thread in
            if thread < 4 {
                for round in 0..<300 {
                    let gate = Gate()
                    let batch = PublishBatch(
                        topic: try TopicName("t\(thread)"),
                        payloads: [Payload([UInt8(round % 256)])])
                    bus.publish(batch) { _ in gate.open() }
                    try gate.wait()
                }
                return
            }
            var received = StoreBench.Received(position: LogPosition(after: start))
            var ids: [EventID] = []
            while ids.count < all {
                received = try bench.follow(">", at: received.position, events: 17)
                #expect(received.gaps.isEmpty)
                ids += received.ids
            }
            #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
            #expect(ids.count == all)
        }
    }

    @Test func attributesAndExpiriesAreReadAsTheyWerePublished() throws {
        var rig = try StoreRig(.sqlite)
        let attributes = try EventAttributes(["source": "/a=b \"ä\"", "id": "7"])
        let expires = Timestamp(microseconds: 1_700_000_000_123_456)
        let type = try EventMetadata(type: "t")
        // One behind the other: what the last event said is not said of the next.
        let metadata = [
            EventMetadata.none, type.with(attributes, expires: expires), type,
            type.with(attributes, expires: nil), type.with(.none, expires: expires), .none,
            EventMetadata.none.with(attributes, expires: expires),
        ]
        var ids: [EventID] = []
        for metadata in metadata {
            let batch = PublishBatch(
                topic: try TopicName("a"), metadata: metadata, payloads: [.empty])
            guard case .events(let events) = try rig.commit(.events(batch, persists: true)) else {
                throw StoreRig.WrongReceipt()
            }
            #expect(events[0].metadata == metadata)
            ids.append(events[0].id)
        }
        for _ in 0..<2 {
            let read = try rig.read("a", from: .after(.zero), through: ids[ids.count - 1])
            #expect(read.map(\.metadata) == metadata)
            rig = try rig.reopened()
        }
    }

    @Test func theViewShowsLabelsAndExpiries() throws {
        let bench = try StoreBench()
        let batch = PublishBatch(
            topic: try TopicName("a"),
            metadata: EventMetadata.none.with(
                try EventAttributes(["b": "2", "a": "1"]),
                expires: Timestamp(microseconds: 1_500_000)),
            payloads: [.empty])
        _ = try bench.answer { bench.bus.publish(batch, then: $0) }
        bench.close()
        let database = try Database(path: bench.path, mode: .reading)
        #expect(
            try database.texts("SELECT attributes || ' ' || expires FROM log")
                == ["a=1\nb=2 1970-01-01T00:00:01.500000Z"])
    }
}
