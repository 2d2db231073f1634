import CSQLite
import DiskSupport
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// Topics that do not persist: they share the order, and a restart gaps them.
@Suite(.blocking) struct UnstoredEventsTests {
    @Test func theyTakeTheirPlaceInTheOrderAndJoinFromMemory() throws {
        let bench = try StoreBench(StoreBench.Settings(memoryBytesMax: 24_000))
        try bench.register("live", persists: false)
        var ids: [EventID] = []
        for round in 0..<300 {
            ids += try bench.publish(round % 30 == 0 ? "live" : "a", "\(round)")
        }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(try bench.follow("*", from: .after(ids[0].before)).ids == ids)
    }

    @Test func aRestartInOrderGapsExactlyWhatWasThere() throws {
        var bench = try StoreBench()
        try bench.register("live", persists: false)
        let ids = try bench.publish("live", "x", "y")
        let others = try bench.publish("a", "z")
        bench = try bench.reopened()
        #expect(
            try bench.follow("live", from: .after(ids[0])).gaps
                == [Gap(after: ids[0], through: ids[1])])
        #expect(try bench.follow("live", from: .after(ids[1])).gaps.isEmpty)
        #expect(try bench.follow("a", from: .after(ids[1])).ids == others)
        #expect(try bench.description("live")?.persists == false)
        #expect(try bench.description("live")?.events == 0)
    }

    @Test func afterAKillEveryCursorOfBeforeHasAGapOnThemAlone() throws {
        var bench = try StoreBench()
        try bench.register("live", persists: false)
        let ids = try bench.publish("live", "x", "y")
        let others = try bench.publish("a", "z")
        bench = try bench.killed()
        let received = try bench.follow("live", from: .after(ids[1]))
        #expect(received.gaps.count == 1 && received.ids.isEmpty)
        #expect(try bench.follow("a", from: .after(ids[1])).gaps.isEmpty)
        let new = try bench.publish("live", "new")
        #expect(try bench.follow("live", from: .after(received.position.after)).ids == new)
        bench = try bench.reopened()
        #expect(try bench.follow("a", from: .after(ids[1])).ids == others)
    }

    @Test func aTopicThatPersistsFromNowOnKeepsWhatComesAndGapsWhatCameBefore() throws {
        for isKilled in [false, true] {
            var bench = try StoreBench()
            try bench.register("a", persists: false)
            let before = try bench.publish("a", "x", "y")
            try bench.register("a", persists: true)
            let after = try bench.publish("a", "z")
            bench = isKilled ? try bench.killed() : try bench.reopened()
            #expect(
                try bench.follow("a", from: .after(before[0])).gaps
                    == [Gap(after: before[0], through: before[1])])
            #expect(try bench.follow("a", from: .after(before[1])).ids == after)
        }
    }

    @Test func aTopicThatPersistsNoMoreLosesItsEventsAtAStartAndSaysSo() throws {
        for isKilled in [false, true] {
            var bench = try StoreBench()
            let before = try bench.publish("a", "x", "y")
            try bench.register("a", persists: false)
            let after = try bench.publish("a", "z")
            bench = isKilled ? try bench.killed() : try bench.reopened()
            let received = try bench.follow("a", from: .after(before[0]))
            #expect(received.ids.isEmpty && received.gaps.count == 1)
            #expect(received.gaps.first.map { $0.through >= after[0] } == true)
            bench.close()
            #expect(try SQLiteStore.check(bench.path) == [])
        }
    }

    @Test func howeverFewAreKeptNothingOfThemIsWritten() throws {
        let disk = Disk()
        let bench = try StoreBench(StoreBench.Settings(disk: disk))
        try bench.register("live", keep: 1, persists: false)
        try bench.publish("live", "first")
        disk.fail(.write, SQLITE_FULL)
        for index in 0..<500 { try bench.publish("live", "\(index)") }
        #expect(bench.bus.readiness == .ready)
        #expect(bench.store.meters?.failures.value == 0)
        #expect(bench.store.meters?.waitingTrims.value == 0)
        disk.heal()
    }

    @Test func boundsCountThemWithWhatIsStored() throws {
        var bench = try StoreBench()
        try bench.publish("a", "1", "2", "3", "4", "5")
        bench = try bench.reopened()
        try bench.register("a", keep: 6, persists: false)
        for index in 0..<4 { try bench.publish("a", "live \(index)") }
        #expect(try bench.settles("a") { $0?.events == 6 })
        let texts = try bench.follow("a", from: .earliest).events.map(\.payload.text)
        #expect(texts == ["4", "5", "live 0", "live 1", "live 2", "live 3"])
    }
}
