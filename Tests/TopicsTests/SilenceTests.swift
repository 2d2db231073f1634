import Broadcasting
import Protection
import StoreSupport
import Telemetry
import TestSupport
import Testing

@testable import Topics

/// Topics that are expected to have events.
@Suite struct SilenceTests {
    private static let second: Int64 = 1_000_000
    private static let chance = Limits.chanceMicroseconds

    /// The clock that nobody sets, and the time, which somebody may.
    private struct Clocks {
        var now: Int64 = 5_000_000_000
        var time: Int64 = 1_700_000_000_000_000
        var timestamp: Timestamp { Timestamp(microseconds: time) }

        mutating func pass(_ span: Int64) { (now, time) = (now + span, time + span) }
    }

    /// Over restarts and set clocks: a silence is told once, never early, and in time; its end is told once, behind an
    /// event.
    @Test(arguments: 0..<30) func aSilenceIsToldOnceAndNeverEarly(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let expect = Int64.random(in: Self.second...2_000 * Self.second, using: &random)
        var clocks = Clocks()
        var silence = Silence(expect: expect, from: clocks.timestamp, now: clocks.now)
        /// How long the bus was on since the last event, and since its start.
        var (quiet, on) = (Int64(0), Int64.max / 2)
        var (isSilent, hasEvent, told) = (false, false, 0)
        for _ in 0..<3_000 {
            switch Int.random(in: 0..<40, using: &random) {
            case 0:
                silence.hear(at: clocks.timestamp, now: clocks.now)
                (quiet, hasEvent) = (0, true)
                if !isSilent { #expect(!silence.isDue(at: clocks.now)) }
            case 1:
                let off = Int64.random(in: 0...2 * expect, using: &random)
                clocks.time += off
                // Another boot may have begun.
                if Bool.random(using: &random) { clocks.now = 1_000 }
                silence = Silence(expect: expect, heard: silence.heard, phase: silence.phase)
                    .resumed(isKnown: true, at: clocks.timestamp, now: clocks.now)
                on = 0
            case 2:
                clocks.time += Int64.random(in: -3 * expect...3 * expect, using: &random)
            default:
                let span = Int64.random(in: 0...expect / 8, using: &random)
                clocks.pass(span)
                (quiet, on) = (quiet + span, on + span)
            }
            if isSilent {
                #expect(silence.isDue(at: clocks.now) == hasEvent)
            } else {
                // Not before its time since the last event, or since a start; and not later.
                if quiet < expect, on > expect { #expect(!silence.isDue(at: clocks.now)) }
                if on < min(expect, Self.chance) { #expect(!silence.isDue(at: clocks.now)) }
                if min(quiet, on) >= expect { #expect(silence.isDue(at: clocks.now)) }
            }
            guard silence.isDue(at: clocks.now) else { continue }
            silence.announced()
            isSilent.toggle()
            (hasEvent, told) = (false, told + 1)
            #expect((silence.since != nil) == isSilent)
            #expect(!silence.isDue(at: clocks.now) || !isSilent)
        }
        #expect(told > 5)
    }

    @Test func offTimeCountsAsFarAsPublishersHadTheChanceToBeHeard() {
        let day = 86_400 * Self.second
        let start = Timestamp(microseconds: 10 * day)
        let heard = { (days: Double) in
            Timestamp(microseconds: 10 * day - Int64(days * Double(day)))
        }
        func left(_ heard: Timestamp, expect: Int64, isKnown: Bool = true) -> Int64 {
            Silence(expect: expect, heard: heard, phase: .heard)
                .resumed(isKnown: isKnown, at: start, now: 0).due
        }
        #expect(left(heard(3), expect: day) == Self.chance)
        #expect(left(heard(0.5), expect: day) == day / 2)
        #expect(left(heard(-4), expect: day) == day)
        #expect(left(heard(3), expect: 10 * Self.second) == 10 * Self.second)
        #expect(left(heard(3), expect: day, isKnown: false) == day)
    }

    @Test(arguments: 0..<10) func theQueueKnowsTheFirstOfAll(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let topics = try (0..<20).map { try TopicName("t\($0)") }
        var (queue, dues) = (SilenceQueue(), [TopicName: Int64]())
        for _ in 0..<2_000 {
            let topic = topics.randomElement(using: &random)!
            var silence: Silence? = Silence(
                expect: Self.second, from: Timestamp(microseconds: 0),
                now: Int64.random(in: 0..<50, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: silence = nil
            case 1: silence?.announced()
            default: break
            }
            queue.note(silence, of: topic)
            dues[topic] = silence.flatMap { $0.since == nil ? $0.due : nil }
            let first = dues.min { ($0.value, $0.key.text) < ($1.value, $1.key.text) }
            #expect(queue.first() == first?.key)
            let now = Self.second + 25
            #expect(queue.first(by: now) == first.flatMap { $0.value <= now ? $0.key : nil })
        }
    }

    @Test func anotherExpectationAfterAStartCountsTheTimeOffToo() {
        let day = 86_400 * Self.second
        let start = Timestamp(microseconds: 10 * day)
        var silence = Silence(
            expect: day, heard: Timestamp(microseconds: 7 * day), phase: .heard
        ).resumed(isKnown: true, at: start, now: 0)
        silence.expect(3_600 * Self.second)
        #expect(silence.due == Self.chance)
        silence.expect(4 * day)
        #expect(silence.due == day)
        silence.hear(at: start.advanced(microseconds: 1), now: 1)
        #expect(silence.due == 4 * day + 1)
    }

    // MARK: A bus in memory

    private final class Rig {
        let clock = ManualClock()
        let store = MemoryStore(ceiling: nil)
        let bus: EventBus

        init() throws {
            let clock = clock
            bus = try EventBus(
                store: store, memory: MemoryBudget(bytesMax: 1 << 30),
                clock: clock,
                bootClock: BootClock(boot: "b") { clock.now().microseconds },
                broadcaster: Broadcaster(), log: Bench.silent)
        }

        func expect(_ seconds: Int64?, keep: Int? = nil) throws {
            var settings = TopicSettings(
                retention: Retention(keep: keep, bytes: nil, age: nil), persists: true)
            settings.expect = seconds.map { $0 * SilenceTests.second }
            bus.register(try TopicName("a"), settings: settings, by: .unknown) { _ in }
        }

        /// Registers the topic, and leaves the time within which an event is expected.
        func keepExpecting(keep: Int) throws {
            let settings = TopicSettings(
                retention: Retention(keep: keep, bytes: nil, age: nil), persists: true)
            let change = SettingsChange(settings, keeping: .expect)
            bus.register(try TopicName("a"), change, by: .unknown) { _ in }
        }

        func publish() throws {
            bus.publish(PublishBatch(topic: try TopicName("a"), payloads: [.empty])) { _ in }
        }

        /// An event of a type of the bus comes, as letters do.
        func copy(_ type: String) throws {
            let batch = PublishBatch(
                topic: try TopicName("a"), metadata: try EventMetadata(type: type),
                payloads: [.empty])
            store.commit(.events(batch, persists: true, owner: nil)) { [bus] outcome in
                guard case .success(.events(let events)) = outcome else { return }
                bus.storeApplied(.events(events, owner: nil))
            }
        }

        func pass(_ seconds: Double) {
            clock.advance(seconds: seconds)
            bus.sweep()
        }

        func types() throws -> [String] {
            bus.read(
                from: .earliest, matching: try Selector("a"), filter: .all,
                limit: ReadLimit(events: 1_000, bytes: 1 << 20)
            ).events.map { $0.metadata.type ?? "-" }
        }
    }

    @Test func aRegistrationThatKeepsTheExpectationChangesNothingOfIt() throws {
        let rig = try Rig()
        try rig.expect(10)
        rig.pass(6)
        try rig.keepExpecting(keep: 3)
        rig.pass(4)
        #expect(try rig.types() == ["$silent"])
        rig.bus.remove(try TopicName("a")) { _ in }
        try rig.keepExpecting(keep: 3)
        rig.pass(100)
        #expect(try rig.types() == [])
    }

    @Test func aTopicWithoutAnEventIsToldSilentOnceAndBackWithTheNextOne() throws {
        let rig = try Rig()
        try rig.expect(10)
        rig.pass(9)
        #expect(try rig.types() == [])
        try rig.publish()
        rig.pass(9.9)
        #expect(try rig.types() == ["-"])
        rig.pass(0.1)
        rig.pass(100)
        #expect(try rig.types() == ["-", "$silent"])
        #expect(rig.bus.statistics.silent == 1)
        let topic = try #require(rig.bus.description(of: try TopicName("a")))
        #expect(topic.expect == 10 * Self.second)
        #expect(topic.silentSince == rig.clock.now().advanced(microseconds: -110 * Self.second))
        try rig.publish()
        rig.pass(0)
        #expect(try rig.types() == ["-", "$silent", "-", "$back"])
        #expect(rig.bus.statistics.silent == 0)
        rig.pass(10)
        #expect(try rig.types() == ["-", "$silent", "-", "$back", "$silent"])
    }

    @Test func announcementsTakeNoPlaceOfTheEventsThatATopicKeeps() throws {
        let rig = try Rig()
        try rig.expect(10, keep: 1)
        try rig.publish()
        rig.pass(10)
        #expect(try rig.types() == ["-", "$silent"])
        try rig.publish()
        rig.pass(0)
        #expect(try rig.types() == ["$silent", "-", "$back"])
        // They go with the event that was kept beside them, so there are never more than a few.
        for _ in 0..<5 {
            rig.pass(10)
            try rig.publish()
            rig.pass(0)
            #expect(try rig.types() == ["$back", "$silent", "-", "$back"])
        }
        try rig.expect(10, keep: 0)
        rig.pass(10)
        #expect(try rig.types() == [])
    }

    /// A letter of an announcement that was a job.
    @Test(arguments: [EventMetadata.silentType, EventMetadata.backType])
    func aCopyIsNeitherAnAnnouncementNorAnEventThatIsExpected(type: String) throws {
        let rig = try Rig()
        try rig.expect(10)
        rig.pass(6)
        try rig.copy(type)
        #expect(rig.bus.statistics.silent == 0)
        rig.pass(4)
        try rig.copy(type)
        rig.pass(0)
        #expect(try rig.types() == [type, "$silent", type] && rig.bus.statistics.silent == 1)
        try rig.publish()
        rig.pass(0)
        #expect(try rig.types().suffix(2) == ["-", "$back"])
    }

    /// Hosts apply a registration at different times, and describe the topic alike.
    @Test func aTopicIsSilentSinceTheTimeOfItsAnnouncement() throws {
        let rig = try Rig()
        try rig.expect(10)
        let (topic, since) = (try TopicName("a"), rig.clock.now().advanced(microseconds: -7))
        let batch = Silence(expect: Self.second, from: since, now: 0).announcement(in: topic)
        rig.store.commit(.events(batch, persists: true, owner: nil)) { [bus = rig.bus] outcome in
            guard case .success(.events(let events)) = outcome else { return }
            bus.storeApplied(.released(ReleasedBatch(ticket: nil, events: events)))
        }
        #expect(rig.bus.description(of: topic)?.silentSince == since)
    }

    @Test func anExpectationThatEndsIsToldNoMore() throws {
        let rig = try Rig()
        try rig.expect(10)
        rig.pass(10)
        try rig.expect(nil)
        #expect(rig.bus.statistics.silent == 0)
        try rig.publish()
        rig.pass(1_000)
        #expect(try rig.types() == ["$silent", "-"])
    }

    /// The same settings again, as from a script at each start, give no more time.
    @Test func anExpectationThatIsSetAgainGoesOn() throws {
        let rig = try Rig()
        try rig.expect(10)
        rig.pass(6)
        try rig.expect(10)
        rig.pass(4)
        #expect(try rig.types() == ["$silent"])
        try rig.publish()
        rig.pass(0)
        try rig.expect(5)
        rig.pass(5)
        #expect(try rig.types().last == "$silent")
    }

    @Test func aTopicThatIsRemovedIsExpectedNoMore() throws {
        let rig = try Rig()
        try rig.expect(10)
        rig.bus.remove(try TopicName("a")) { _ in }
        try rig.publish()
        rig.pass(100)
        #expect(try rig.types() == ["-"])
    }

    @Test func anExpectationBeyondItsRangeStopsWithASentence() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Rig().expect(366 * 86_400)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("not 31622400000000 µs: correct 'expect'"), "\(said)")
    }

    @Test func theAnnouncementSaysSinceWhen() throws {
        let rig = try Rig()
        let start = rig.clock.now()
        try rig.expect(10)
        rig.pass(10)
        let event = rig.bus.read(
            from: .earliest, matching: try Selector("a"), filter: .all,
            limit: ReadLimit(events: 1, bytes: 1 << 20)
        ).events[0]
        #expect(event.metadata.attributes["since"] == start.rfc3339)
        #expect(event.payload.text == "No event since \(start.rfc3339).")
        #expect(event.sender == .unknown)
    }
}
