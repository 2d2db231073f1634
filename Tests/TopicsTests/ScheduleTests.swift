import TestSupport
import Testing

@testable import Topics

/// Schedules, by their grids.
@Suite struct ScheduleTests {
    private static let hour: Int64 = 3_600_000_000

    private static func held(
        _ every: Int64, _ name: String? = nil, print: UInt64 = 1, user: UInt32? = 1,
        at due: Int64 = 0, replacesOthers: Bool = false
    ) throws -> HeldBatch {
        let batch = PublishBatch(
            topic: try TopicName("a"), sender: Sender(uid: user, pid: nil), payloads: [.empty])
        return HeldBatch(
            batch, ttl: nil, at: .at(Timestamp(microseconds: due)),
            schedule: Schedule(every: every, name: name, print: print),
            replacesOthers: replacesOthers)
    }

    private static func hold(
        _ held: HeldBatch, _ ticket: UInt64, in table: inout LaterTable, at time: Int64 = 0
    ) throws {
        guard case .new(let other) = table.answer(to: held) else {
            Issue.record("\(ticket) is not new")
            return
        }
        let now = Timestamp(microseconds: time)
        if let other { table.end(other.ticket, .cancelled, at: now) }
        table.hold(held.head(EventID(rawValue: ticket), at: now, 0))
    }

    /// Never early, no time twice, no drift, over a year of a clock that is set and of a bus that is off.
    @Test(arguments: 0..<20) func eachTimeOfTheGridComesOnceAtMostAndNeverEarly(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let every = Int64.random(in: 1_000_000...3 * Self.hour, using: &random)
        let first = Int64.random(in: 1...Self.hour, using: &random)
        var table = LaterTable()
        try Self.hold(try Self.held(every, at: first), 1, in: &table)
        var (time, last) = (Int64(0), Int64.min)
        var count = 0
        while time < 365 * 24 * Self.hour {
            // Mostly a part of the interval, now and then many, and now and then back.
            time += Int64.random(in: 0...every / 2, using: &random)
            if Int.random(in: 0..<100, using: &random) == 0 { time += 7 * every }
            if Int.random(in: 0..<100, using: &random) == 0 { time -= min(time, 5 * every) }
            let moment = LaterTable.Moment(time: Timestamp(microseconds: time), now: 0)
            guard let head = table.next(at: moment) else { continue }
            let due = head.due.microseconds
            #expect(due <= time && due > last && (due - first) % every == 0)
            let next = table.published(head.ticket, as: EventID(rawValue: 7), at: moment.time)
            #expect(try #require(next).due.microseconds > time)
            #expect(next!.due.microseconds - time <= every)
            #expect(table.next(at: moment) == nil)
            last = due
            count += 1
            if count > 20_000 { break }
        }
        #expect(count > 1_000 && table.count == 1)
    }

    @Test func aTimeThatIsOverIsTheNextOneOfTheGrid() throws {
        let held = try Self.held(Self.hour, at: 5)
        let head = held.head(EventID(rawValue: 1), at: Timestamp(microseconds: 3 * Self.hour), 0)
        #expect(head.due.microseconds == 3 * Self.hour + 5 && head.until == nil)
    }

    @Test func theSameScheduleAgainChangesNothingAndAnotherReplacesIt() throws {
        var table = LaterTable()
        try Self.hold(try Self.held(Self.hour, "n"), 1, in: &table)
        guard case .known(let head) = table.answer(to: try Self.held(Self.hour, "n")) else {
            Issue.record("the same schedule is another one")
            return
        }
        #expect(head.ticket.rawValue == 1)
        try Self.hold(try Self.held(Self.hour, "n", print: 2), 2, in: &table)
        #expect(table.count == 1 && table.ticket(of: "n", head.topic)?.rawValue == 2)
        #expect(table.ending(of: EventID(rawValue: 1))?.outcome == .cancelled)
        let other = try Self.held(Self.hour, "n", user: 2)
        guard case .refused(.scheduleOfAnother("n")) = table.answer(to: other) else {
            Issue.record("another user replaced it")
            return
        }
        let administrator = try Self.held(Self.hour, "n", user: 0, replacesOthers: true)
        try Self.hold(administrator, 3, in: &table)
        table.rolledBack()
        #expect(table.count == 0 && table.ticket(of: "n", head.topic) == nil)
    }

    @Test func schedulesOfAUserMakeTenEventsASecond() throws {
        var table = LaterTable()
        for number in 1...10 as ClosedRange<UInt64> {
            try Self.hold(try Self.held(1_000_000, "n\(number)"), number, in: &table)
        }
        guard case .refused(.schedulesFull) = table.answer(to: try Self.held(Self.hour)) else {
            Issue.record("more than ten a second")
            return
        }
        // One that replaces another takes its share.
        try Self.hold(try Self.held(2_000_000, "n1"), 11, in: &table)
        try Self.hold(try Self.held(2_000_000), 12, in: &table)
        try Self.hold(try Self.held(1_000_000, user: 2), 13, in: &table)
    }
}
