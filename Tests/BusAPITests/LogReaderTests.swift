import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import HTTPFront

/// What a reader keeps between its looks at the log.
@Suite(.blocking) struct LogReaderTests {
    private let server: StreamServer
    private let budget = TurnBudget()
    private let limit = ReadLimit(events: 5, bytes: 1 << 20)

    init() throws {
        server = try StreamServer()
        for index in 0..<300 { try server.publish("x", to: "a.t\(index)") }
    }

    private func reader() throws -> LogReader {
        LogReader(
            try Selector("a.*"), .all, from: LoopLog(of: server.bus, within: budget),
            server.memory)
    }

    @Test func aTurnWithoutStepsLeavesAReadOfManyTopicsToAnotherThread() throws {
        var first = try reader()
        guard case .events = first.begin(at: .earliest, limit, within: .all) else {
            Issue.record("a turn has room for one")
            return
        }
        var looks = 1
        while budget.isLeft(for: .reads) {
            var reader = try reader()
            _ = reader.begin(at: .earliest, limit, within: .all)
            looks += 1
        }
        // Each looks at 300 topics.
        #expect(looks <= LoopTask.reads.stepsMax * Limits.readStepsPerStep / 300 + 1)
        var second = try reader()
        guard case .older = second.begin(at: .earliest, limit, within: .all),
            case .older = first.next(limit, within: .all)
        else {
            Issue.record("nothing is left for reads")
            return
        }
        #expect(budget.left(for: .mail) == LoopTask.mail.share)
    }

    @Test func aReaderOfNowBeginsAtItsRequestAlsoWhereNothingIsLeftForReads() throws {
        while budget.isLeft(for: .reads) {
            var reader = try reader()
            _ = reader.begin(at: .earliest, limit, within: .all)
        }
        let newest = server.bus.newest
        var reader = try reader()
        _ = reader.begin(at: .now, limit, within: .all)
        #expect(reader.isPlaced && reader.cursor == newest)
    }

    private var keptBytes: Int { server.memory.used(.reads) }

    @Test func aReadGoesOnWhenItsReaderBeginsToWait() throws {
        let first = try server.publish("gone", to: "a.gone")
        for index in 0..<10 { try server.publish("y", to: "a.t\(index)") }
        try server.remove("a.gone")
        var reader = try reader()
        guard case .gap = reader.begin(at: .after(first.predecessor), limit, within: .all) else {
            Issue.record("a gap comes first")
            return
        }
        #expect(keptBytes > 0)
        reader.wait()
        #expect(reader.isCatchingUp)
        guard case .events(let events, isCutShort: true) = reader.next(limit, within: .all) else {
            Issue.record("five events follow")
            return
        }
        #expect(events.count == 5)
        #expect(keptBytes > 0 && reader.isCatchingUp)
        while case .events(_, isCutShort: true) = reader.next(limit, within: .all) {}
        #expect(keptBytes == 0 && reader.isCaughtUp)
    }

    @Test func aReadThatNoLongerFitsIsLetGoAtThatMoment() throws {
        var reader = try reader()
        guard
            case .events(let events, isCutShort: true) = reader.begin(
                at: .earliest, limit, within: .all)
        else {
            Issue.record("five events")
            return
        }
        #expect(keptBytes > 0)
        reader.rewind(to: events[2].id)
        #expect(keptBytes == 0)
        guard case .events(let again, isCutShort: true) = reader.next(limit, within: .all) else {
            Issue.record("the events that it went back over")
            return
        }
        #expect(again.prefix(2).map(\.id) == events.suffix(2).map(\.id))
    }
}
