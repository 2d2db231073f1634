import DiskSupport
import Protection
import StoreSupport
import Telemetry
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// Events that are held until they are due, on a bus with a file.
@Suite(.blocking) struct LaterTests {
    private static func batch(
        _ texts: String..., to topic: String = "a", key: IdempotencyKey? = nil,
        metadata: EventMetadata = .none
    ) throws -> PublishBatch {
        PublishBatch(
            topic: try TopicName(topic), metadata: metadata, sender: Sender(uid: 1, pid: 2),
            payloads: texts.map { Payload(Array($0.utf8)) }, idempotencyKey: key)
    }

    @discardableResult
    private static func hold(
        _ batch: PublishBatch, _ moment: DueTime, ttl: Int64? = nil,
        on bench: StoreBench
    ) throws -> HoldReceipt {
        try bench.answer { bench.bus.hold(HeldBatch(batch, ttl: ttl, at: moment), then: $0) }
    }

    private static func at(_ seconds: Int64, _ bench: StoreBench) -> DueTime {
        .at(bench.clock.now().advanced(microseconds: seconds * 1_000_000))
    }

    private static func cancel(
        _ receipt: HoldReceipt, of topic: String = "a", on bench: StoreBench
    ) throws -> HeldEnd {
        let name = try TopicName(topic)
        return try bench.answer { bench.bus.cancel(receipt.ticket, of: name, then: $0) }
    }

    private static func sweep(_ bench: StoreBench) throws {
        bench.bus.sweep()
        // Everything that a sweep asked for is answered before it.
        try bench.publish("other", "x")
    }

    private static func texts(_ bench: StoreBench) throws -> [String] {
        try bench.follow("a", from: .earliest, events: 10_000).events.map(\.payload.text)
    }

    @Test func payloadsOfHeldEventsAreReadOverRestarts() async throws {
        var bench = try StoreBench()
        let topic = try TopicName("a")
        let texts = (0..<150).map { "\($0)" }
        try Self.hold(Self.batch("one"), Self.at(10, bench), on: bench)
        let many = PublishBatch(topic: topic, payloads: texts.map { Payload(Array($0.utf8)) })
        try Self.hold(many, Self.at(20, bench), on: bench)
        for _ in 0..<2 {
            let heads = bench.bus.held(for: topic)
            #expect(heads.map(\.count) == [1, 150])
            #expect(try await bench.bus.payloads(of: heads[0]).map(\.text) == ["one"])
            #expect(try await bench.bus.payloads(of: heads[1]).map(\.text) == texts)
            bench = try bench.killed()
        }
        let head = bench.bus.held(for: topic)[0]
        bench.clock.advance(seconds: 10)
        try Self.sweep(bench)
        #expect(try await bench.bus.payloads(of: head).isEmpty)
    }

    @Test func heldEventsBecomeVisibleTogetherWhenTheyAreDue() throws {
        let bench = try StoreBench()
        let metadata = try EventMetadata(
            type: "t", key: "k", contentType: "text/plain",
            attributes: EventAttributes(["host": "web1"]))
        let receipt = try Self.hold(
            Self.batch("one", "two", metadata: metadata), Self.at(10, bench), ttl: 5_000_000,
            on: bench)
        #expect(
            !receipt.isRepeated
                && receipt.due == bench.clock.now().advanced(microseconds: 10_000_000))
        let before = try bench.publish("a", "before")
        bench.clock.advance(seconds: 9.999)
        try Self.sweep(bench)
        #expect(try Self.texts(bench) == ["before"])
        bench.clock.advance(seconds: 0.001)
        try Self.sweep(bench)
        let events = try bench.follow("a", from: .earliest).events
        #expect(events.map(\.payload.text) == ["before", "one", "two"])
        #expect(events[1].id > before[0] && events[1].time == receipt.due)
        let expires = events[1].time.advanced(microseconds: 5_000_000)
        #expect(events[1].metadata == metadata.with(metadata.attributes, expires: expires))
        #expect(events[1].sender == Sender(uid: 1, pid: 2))
        #expect(try Self.cancel(receipt, on: bench) == .published(events[1].id))
        #expect(bench.bus.laterCount == 0)
    }

    @Test func heldEventsOutliveStopsAndKills() throws {
        var bench = try StoreBench()
        let first = try Self.hold(Self.batch("one"), Self.at(10, bench), on: bench)
        let second = try Self.hold(Self.batch("two"), Self.at(20, bench), on: bench)
        let third = try Self.hold(Self.batch("three"), Self.at(30, bench), on: bench)
        #expect(try Self.cancel(second, on: bench) == .cancelled)
        bench = try bench.killed()
        #expect(bench.bus.laterCount == 2)
        #expect(try Self.cancel(second, on: bench) == .cancelled)
        #expect(try Self.cancel(third, of: "b", on: bench) == .unknown)
        bench.clock.advance(seconds: 15)
        try Self.sweep(bench)
        #expect(try Self.texts(bench) == ["one"])
        bench = try bench.reopened()
        let ids = try bench.follow("a", from: .earliest).ids
        #expect(try Self.cancel(first, on: bench) == .published(ids[0]))
        bench.clock.advance(seconds: 15)
        try Self.sweep(bench)
        #expect(try Self.texts(bench) == ["one", "three"])
        bench.close()
        #expect(try SQLiteStore.check(bench.path) == [])
    }

    @Test func dueEventsComeByTheirTimesAndTickets() throws {
        var bench = try StoreBench()
        for (text, seconds) in [("c", 30), ("a", 10), ("d", 30), ("b", 20)] as [(String, Int64)] {
            try Self.hold(Self.batch(text), Self.at(seconds, bench), on: bench)
        }
        bench = try bench.reopened()
        bench.clock.advance(seconds: 60)
        try Self.sweep(bench)
        #expect(try Self.texts(bench) == ["a", "b", "c", "d"])
    }

    @Test func manyAreDueInSeveralCommits() throws {
        let bench = try StoreBench()
        for number in 0..<2_500 {
            try Self.hold(Self.batch("\(number)"), Self.at(1, bench), on: bench)
        }
        bench.clock.advance(seconds: 1)
        // Each commit asks for the next.
        while bench.bus.laterCount > 0 { try Self.sweep(bench) }
        #expect(try Self.texts(bench) == (0..<2_500).map { "\($0)" })
    }

    @Test func removingATopicCancelsWhatIsHeldForIt() throws {
        var bench = try StoreBench()
        let held = try Self.hold(Self.batch("one"), Self.at(10, bench), on: bench)
        for _ in 0..<3_000 { try Self.hold(Self.batch("x"), Self.at(10, bench), on: bench) }
        try bench.remove("a")
        #expect(bench.bus.laterCount == 0)
        let after = try Self.hold(Self.batch("two"), Self.at(20, bench), on: bench)
        // Their rows go some at a time, and a life that ends before tells none of them.
        bench = try bench.killed()
        #expect(bench.bus.laterCount == 1)
        bench.clock.advance(seconds: 60)
        try Self.sweep(bench)
        #expect(try Self.cancel(held, on: bench) == .unknown)
        #expect(try Self.texts(bench) == ["two"])
        bench.close()
        #expect(try SQLiteStore.check(bench.path) == [])
        let database = try Database(path: bench.path, mode: .reading)
        func count(_ table: String) throws -> Int64 {
            try database.integer("SELECT count(*) FROM \(table)")
        }
        #expect(try count("held") == 0 && count("later_removed") == 0 && count("later") == 1)
        bench = try bench.reopened()
        #expect(try Self.cancel(after, on: bench) != .unknown)
        try bench.remove("a")
        #expect(throws: BusError.topicUnknown(try TopicName("a"))) { try bench.remove("a") }
    }

    @Test func aRepeatWithItsKeyGetsTheTicketOfTheFirst() throws {
        var bench = try StoreBench()
        let key = IdempotencyKey(
            IdempotencyKey.Identity(high: 1, low: 1), print: 1, windowSeconds: 900)
        let first = try Self.hold(Self.batch("one", key: key), Self.at(10, bench), on: bench)
        let due = DueTime.at(first.due)
        func again() throws -> HoldReceipt {
            try Self.hold(Self.batch("one", key: key), due, on: bench)
        }
        let second = try again()
        #expect(second.isRepeated && second.ticket == first.ticket && second.due == first.due)
        bench = try bench.killed()
        bench.clock.advance(seconds: 20)
        try Self.sweep(bench)
        #expect(try again().ticket == first.ticket)
        try Self.sweep(bench)
        #expect(try Self.texts(bench) == ["one"])
    }

    @Test func aTopicThatDoesNotPersistGetsItsEventsToo() throws {
        let bench = try StoreBench()
        try bench.register("a", persists: false)
        try Self.hold(Self.batch("one"), Self.at(10, bench), on: bench)
        let next = try bench.reopened()
        next.clock.advance(seconds: 10)
        try Self.sweep(next)
        #expect(try Self.texts(next) == ["one"])
    }

    @Test func aScheduleGoesOnOverRestartsAndMissesNoNextTime() throws {
        var bench = try StoreBench()
        let start = bench.clock.now()
        let schedule = Schedule(every: 10_000_000, name: "tick", print: 1)
        let first = start.advanced(microseconds: 5_000_000)
        func hold(_ schedule: Schedule) throws -> HoldReceipt {
            let held = HeldBatch(
                try Self.batch("t"), ttl: nil, at: .at(first), schedule: schedule)
            return try bench.answer { bench.bus.hold(held, then: $0) }
        }
        let receipt = try hold(schedule)
        #expect(receipt.due == first)
        for seconds in [5, 10, 10] as [Double] {
            bench.clock.advance(seconds: seconds)
            try Self.sweep(bench)
        }
        #expect(try Self.texts(bench).count == 3)
        // The same again changes nothing.
        let again = try hold(schedule)
        #expect(again.ticket == receipt.ticket && again.isRepeated)
        bench = try bench.killed()
        // Off for four times of it: it comes once, and then at the next time.
        bench.clock.advance(seconds: 41)
        try Self.sweep(bench)
        try Self.sweep(bench)
        #expect(try Self.texts(bench).count == 4)
        bench.clock.advance(seconds: 8.9)
        try Self.sweep(bench)
        #expect(try Self.texts(bench).count == 4)
        bench.clock.advance(seconds: 0.1)
        try Self.sweep(bench)
        #expect(try Self.texts(bench).count == 5)
        let times = try bench.follow("a", from: .earliest).events.map {
            ($0.time.microseconds - start.microseconds) / 1_000_000
        }
        #expect(times == [5, 15, 25, 66, 75])
        let other = try hold(Schedule(every: 20_000_000, name: "tick", print: 2))
        #expect(other.ticket != receipt.ticket && bench.bus.laterCount == 1)
        #expect(try Self.cancel(receipt, on: bench) == .cancelled)
        bench = try bench.reopened()
        #expect(bench.bus.laterCount == 1)
        #expect(try Self.cancel(other, on: bench) == .cancelled)
        bench.close()
        #expect(try SQLiteStore.check(bench.path) == [])
    }

    @Test func aFullDiskHoldsNothingAndDelaysTheRest() throws {
        let disk = Disk()
        var settings = StoreBench.Settings()
        settings.disk = disk
        let bench = try StoreBench(settings)
        try Self.hold(Self.batch("one"), Self.at(10, bench), on: bench)
        disk.fail(.write, Disk.full, skip: 0, count: -1)
        #expect(throws: BusError.self) {
            try Self.hold(Self.batch("two"), Self.at(10, bench), on: bench)
        }
        #expect(bench.bus.laterCount == 1)
        bench.clock.advance(seconds: 10)
        bench.bus.sweep()
        disk.heal()
        // The disk is tried again each second.
        while bench.bus.laterCount > 0 {
            bench.bus.sweep()
            _ = try? bench.publish("other", "x")
        }
        #expect(try Self.texts(bench) == ["one"])
    }

    /// A delay is counted by a clock that nobody sets; over a boot by the time, and is no longer than asked.
    @Test func aDelayDoesNotFollowTheClock() throws {
        let passed = Protected<Int64>(1_000_000)
        func boot(_ id: String) -> BootClock { BootClock(boot: id) { passed.value } }
        func pass(_ seconds: Int64) { passed.write { $0 += seconds * 1_000_000 } }
        var settings = StoreBench.Settings()
        settings.boot = boot("one")
        var bench = try StoreBench(settings)
        try Self.hold(Self.batch("one"), .after(microseconds: 10_000_000), on: bench)
        bench.clock.advance(seconds: 3_600)
        pass(5)
        try Self.sweep(bench)
        #expect(bench.bus.laterCount == 1)
        bench.clock.advance(seconds: -7_200)
        pass(5)
        try Self.sweep(bench)
        #expect(try Self.texts(bench) == ["one"])
        try Self.hold(Self.batch("two"), .after(microseconds: 10_000_000), on: bench)
        // The same boot: the delay goes on while the bus is off.
        bench.close()
        pass(6)
        bench = try bench.reopened()
        pass(4)
        try Self.sweep(bench)
        #expect(try Self.texts(bench) == ["one", "two"])
        // Another boot, whose clock is far behind: no longer than asked.
        try Self.hold(Self.batch("three"), .after(microseconds: 10_000_000), on: bench)
        bench.close()
        passed.value = 7_000_000
        bench.clock.advance(seconds: -3_600)
        bench = try bench.reopened { $0.boot = boot("two") }
        pass(9)
        try Self.sweep(bench)
        #expect(bench.bus.laterCount == 1)
        pass(1)
        try Self.sweep(bench)
        #expect(try Self.texts(bench) == ["one", "two", "three"])
    }
}
