import Glibc
import Protection
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

@Suite(.blocking) struct SQLiteStoreTests {
    @Test func everythingOfAnEventSurvivesARestart() throws {
        var bench = try StoreBench()
        let payloads = [
            Payload((0...255).map { UInt8($0) }), .empty,
            Payload([UInt8](repeating: 7, count: 1 << 20)),
        ]
        let batches = [
            PublishBatch(
                topic: try TopicName("a.b"),
                metadata: try EventMetadata(type: "t", key: "k k", contentType: "text/plain"),
                sender: Sender(uid: .max, pid: 4_711), payloads: payloads),
            PublishBatch(topic: try TopicName("c"), payloads: [Payload(Array("x".utf8))]),
        ]
        var receipts: [PublishReceipt] = []
        for batch in batches {
            receipts.append(try bench.answer { bench.bus.publish(batch, then: $0) })
            bench.clock.advance(seconds: 1)
        }
        bench = try bench.reopened()
        let received = try bench.follow(">", from: .after(receipts[0].first.before))
        #expect(received.gaps.isEmpty)
        #expect(
            received.events.map(\.payload.array) == (payloads + batches[1].payloads).map(\.array))
        let (first, last) = (received.events[0], received.events[3])
        #expect(
            received.ids == (0...2).map { EventID(rawValue: receipts[0].first.rawValue + $0) }
                + [receipts[1].first])
        #expect(first.topic.text == "a.b" && last.topic.text == "c")
        #expect(first.time == receipts[0].time && last.time == receipts[1].time)
        #expect(first.metadata == batches[0].metadata && last.metadata == .none)
        #expect(first.sender == batches[0].sender && last.sender == .unknown)
        #expect(received.events.allSatisfy { $0.isStored })
    }

    private static func topics(of bench: StoreBench) -> [TopicDescription] {
        bench.bus.topics(matching: nil).topics.filter { $0.name.text != "settling" }
    }

    @Test func topicsTheirSettingsOwnersAndLossesGoOn() throws {
        var bench = try StoreBench()
        try bench.register("kept", keep: 3, bytes: 1 << 20, age: 3_600_000_000, by: 7)
        let ids = try (0..<5).flatMap { try bench.publish("kept", "\($0)") }
        try bench.register("empty", by: 8)
        let gone = try bench.publish("gone", "x", "y")
        try bench.remove("gone")
        #expect(try bench.settles("kept") { $0?.events == 3 })
        let before = Self.topics(of: bench)
        bench = try bench.reopened()
        let after = Self.topics(of: bench)
        #expect(after == before.map(\.inTheNextLife))
        #expect(after.map(\.owner) == [8, 7])
        #expect(try bench.follow("kept", from: .after(ids[1])).gaps.isEmpty)
        #expect(
            try bench.follow("kept", from: .after(ids[0])).gaps
                == [Gap(after: ids[0], through: ids[1])])
        #expect(
            try bench.follow("gone", from: .after(gone[0])).gaps
                == [Gap(after: gone[0], through: gone[1])])
        #expect(try bench.follow("gone", from: .after(gone[1])).gaps.isEmpty)
        #expect(try bench.follow("never", from: .after(ids[0])).gaps.isEmpty)
    }

    @Test func idsAndTimesRiseOverRestartsWithTheClockSetBack() throws {
        var bench = try StoreBench()
        var ids: [EventID] = []
        for round in 0..<6 {
            ids += try bench.publish("a", "\(round)")
            bench.clock.advance(seconds: -1_000)
            bench = round.isMultiple(of: 2) ? try bench.reopened() : try bench.killed()
        }
        ids += try bench.publish("a", "last")
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        let received = try bench.follow("a", from: .after(ids[0].before))
        #expect(received.ids == ids && received.gaps.isEmpty)
        let times = received.events.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func timesDoNotFallAfterAKillBelowThoseOfEventsThatAreGone() throws {
        var bench = try StoreBench(StoreBench.Settings(tombstonesMax: 8))
        for round in 0..<30 {
            let last = bench.clock.now()
            let name = "gone\(round)"
            try bench.publish(name, "x")
            bench.clock.advance(seconds: -1_000)
            try bench.remove(name)
            bench = try bench.killed()
            let id = try bench.publish("kept", "y")
            let event = try bench.follow("kept", from: .after(id[0].before)).events[0]
            #expect(event.time >= last, "in round \(round)")
            bench.clock.advance(seconds: 1_001)
            try bench.remove("kept")
        }
    }

    @Test func aTopicWithoutEventsThatSomebodyWaitsForKeepsItsOwnerOverRestarts() throws {
        var bench = try StoreBench(
            StoreBench.Settings(defaults: Retention(keep: nil, bytes: nil, age: 1_000_000)))
        func publish(by uid: UInt32) throws {
            let batch = PublishBatch(
                topic: try TopicName("a"), sender: Sender(uid: uid, pid: nil), payloads: [.empty])
            _ = try bench.answer { bench.bus.publish(batch, then: $0) }
        }
        let waiter = try Selector("a")
        bench.bus.beginSubscription(waiter)
        try publish(by: 7)
        bench.clock.advance(seconds: 10)
        bench.bus.sweep()
        #expect(try bench.settles("a") { $0?.events == 0 })
        try publish(by: 8)
        #expect(try bench.description("a")?.owner == 7)
        bench = try bench.reopened()
        #expect(try bench.description("a")?.owner == 7)
        // Nobody waits in this life: once its event is gone, it is another one's.
        bench.clock.advance(seconds: 10)
        bench.bus.sweep()
        #expect(try bench.settles("a") { $0 == nil })
        try publish(by: 9)
        #expect(try bench.description("a")?.owner == 9)
        bench = try bench.reopened()
        #expect(try bench.description("a")?.owner == 9)
    }

    @Test func anEventThatNeverWasIsToldFromOneThatIsGoneInEveryLife() throws {
        var bench = try StoreBench()
        let name = try TopicName("a")
        let gone = try bench.publish("a", "x")[0]
        try bench.remove("a")
        let never = EventID(rawValue: 1)
        func check(_ moment: String) {
            #expect(Self.isUnknown(bench.bus.event(never, in: name)), "\(moment)")
            #expect(!Self.isUnknown(bench.bus.event(gone, in: name)), "\(moment)")
        }
        check("in the first life")
        bench = try bench.reopened()
        check("after a stop")
        bench = try bench.killed()
        check("after a kill")
        bench.close()
        // Of a file that comes from elsewhere nobody can say what was given here.
        let elsewhere = TemporaryFolder(inMemory: true)
        Files.copy(bench.path, to: "\(elsewhere.path)/belfry.db")
        let other = try StoreBench(in: elsewhere, clock: bench.clock)
        #expect(!Self.isUnknown(other.bus.event(never, in: name)))
    }

    @Test func aTimeBeforeTheFirstLifeIsNoGapUnlessSomethingMayBeMissing() throws {
        var bench = try StoreBench()
        func gaps() throws -> Int {
            try ["a", "nowhere", "*"].reduce(0) { count, selector in
                let day = StartPosition.ago(microseconds: 86_400_000_000)
                return count + (try bench.follow(selector, from: day).gaps.count)
            }
        }
        #expect(try gaps() == 0)
        bench.clock.advance(seconds: 1)
        try bench.publish("a", "x")
        #expect(try gaps() == 0)
        bench = try bench.reopened()
        #expect(try gaps() == 0)
        bench = try bench.killed()
        #expect(try gaps() == 0)
        // Without the record of its life it may be a copy, or lack what power took away.
        bench.close()
        unlink("\(bench.path)-life")
        bench = try bench.reopened()
        #expect(try gaps() == 3)
    }

    private static func isUnknown(_ lookup: EventLookup) -> Bool {
        if case .unknown = lookup { true } else { false }
    }

    @Test func commitsOfManyThreadsAreToldInIDOrderOneAtATimeEachOnce() throws {
        let bench = try StoreBench()
        let store = bench.store
        let answered = Protected<[EventID]>([])
        let inside = Protected(0)
        let overlaps = Protected(0)
        let gate = Gate(openings: 8 * 200)
        try inParallel(8) { thread in
            for round in 0..<200 {
                let batch = PublishBatch(
                    topic: try TopicName("t\(thread)"),
                    payloads: Array(repeating: .empty, count: 1 + (thread + round) % 3))
                store.commit(.events(batch, persists: round % 5 > 0)) {
                    if inside.write({
                        $0 += 1; return $0
                    }) > 1 {
                        overlaps.write { $0 += 1 }
                    }
                    if case .success(.events(let events)) = $0 {
                        answered.write { $0 += events.map(\.id) }
                    }
                    inside.write { $0 -= 1 }
                    gate.open()
                }
            }
        }
        try gate.wait(within: .seconds(60))
        let ids = answered.value
        #expect(overlaps.value == 0)
        let all = (0..<8).reduce(0) { sum, thread in
            sum + (0..<200).reduce(0) { $0 + 1 + (thread + $1) % 3 }
        }
        #expect(ids.count == all)
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func whatWaitsForTheStoreIsBounded() throws {
        let bench = try StoreBench(StoreBench.Settings(commitQueueBytesMax: 2_000))
        let store = bench.store
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty])
        let outcomes = Protected((taken: 0, refused: 0))
        let gate = Gate(openings: 21)
        store.commit(.events(batch, persists: true)) { _ in
            for _ in 0..<20 {
                store.commit(.events(batch, persists: true)) { outcome in
                    switch outcome {
                    case .success: outcomes.write { $0.taken += 1 }
                    case .failure(.limit): outcomes.write { $0.refused += 1 }
                    case .failure(let error): Issue.record("\(error)")
                    }
                    gate.open()
                }
            }
            #expect(outcomes.value.refused > 0 && outcomes.value.taken == 0)
            gate.open()
        }
        try gate.wait()
        #expect(outcomes.value.taken > 0 && outcomes.value.taken + outcomes.value.refused == 20)
        try bench.publish("a", "there is room again")
    }

    @Test func whatWaitsWhenTheStoreIsClosedIsCommittedAndNothingAfterwards() throws {
        var bench = try StoreBench()
        let answered = Protected(0)
        for index in 0..<100 {
            let batch = PublishBatch(
                topic: try TopicName("a"), payloads: [Payload(Array("\(index)".utf8))])
            bench.bus.publish(batch) { outcome in
                if case .success = outcome { answered.write { $0 += 1 } }
            }
        }
        bench.close()
        #expect(answered.value == 100)
        #expect(throws: BusError.draining) { try bench.publish("a", "too late") }
        bench = try bench.reopened()
        #expect(
            try bench.follow("a", from: .earliest).events.map(\.payload.text)
                == (0..<100).map { "\($0)" })
    }

    @Test func aKilledProcessLosesNothingThatWasAnswered() throws {
        for sync in SQLiteStoreConfiguration.Sync.allCases {
            var bench = try StoreBench(StoreBench.Settings(sync: sync))
            var ids: [EventID] = []
            for round in 0..<10 {
                for index in 0..<20 { ids += try bench.publish("t\(index % 3)", "\(round)") }
                bench = try bench.killed()
                let received = try bench.follow(">", from: .after(ids[0].before))
                #expect(received.ids == ids && received.gaps.isEmpty)
            }
        }
    }
}

extension TopicDescription {
    /// What a restart leaves of it: all but the number of events that this life has published.
    fileprivate var inTheNextLife: TopicDescription {
        TopicDescription(
            name: name, isRegistered: isRegistered, events: events, published: 0, bytes: bytes,
            oldest: oldest, newest: newest, newestTime: newestTime, subscribers: subscribers,
            retention: retention, persists: persists, hold: hold, owner: owner)
    }
}
