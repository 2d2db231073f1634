import StoreSupport
import TestSupport
import Testing
import Topics

@testable import Work

/// Groups on a file, over restarts.
@Suite(.blocking) struct WorkRestartTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let clock = ManualClock()

    private func bench(holdingReads: Bool = false, _ body: (WorkBench) throws -> Void) throws {
        let bench = try WorkBench(
            file: folder.path + "/bus.db", clock: clock, holdingReads: holdingReads)
        // A read that is held up to the end would hold the group that waits for it.
        defer {
            bench.bus.close()
            bench.store.releaseReads()
        }
        try body(bench)
    }

    @Test func leasesGoOnWithTheirFullTime() throws {
        var lease = ""
        try bench { (bench) throws in
            try bench.set { $0.attempts = 3 }
            try bench.publish("a")
            lease = try bench.take(worker: "w").lease
            bench.advance(seconds: 50)
        }
        try bench { (bench) throws in
            bench.advance(seconds: 50)
            #expect(try bench.next().handout == nil)
            #expect(try bench.group()?.leased == 1)
            try bench.settle(Settlement(.done(nil), lease: lease))
        }
        try bench { (bench) throws in
            #expect(try bench.group()?.done == 1)
            let done = Settlement(.done(nil), lease: lease)
            #expect(refusal { try bench.settle(done) } == "jobSettled")
        }
    }

    @Test func aWorkerGetsItsJobAgainAndAttemptsAreExact() throws {
        for attempt in 1...3 {
            try bench { (bench) throws in
                if attempt == 1 {
                    try bench.set()
                    try bench.publish("a")
                }
                #expect(try bench.take(worker: "w").jobs[0].attempt == attempt)
            }
        }
    }

    @Test func whatWasGivenBackIsThereAtOnce() throws {
        try bench { (bench) throws in
            try bench.set { $0.lease = .seconds(43_200) }
            try bench.publish("a")
            bench.work.giveBack(try bench.take().ticket)
            // Its answer comes behind the commit of what was given back.
            try bench.set()
        }
        try bench { (bench) throws in
            #expect(try bench.take().jobs[0].attempt == 1)
        }
    }

    @Test func whatIsParkedIsFoundAgain() throws {
        var ids: [EventID] = []
        var lease = ""
        try bench { (bench) throws in
            try bench.set { $0.isOrderedByKey = true }
            ids = try ["k", "k", nil, "k", "l"].map { try bench.publish("x", key: $0) }
            lease = try bench.take().lease
            #expect(try bench.take().ids == [ids[2]])
            #expect(try bench.take().ids == [ids[4]])
            #expect(try bench.group()?.parked == 2)
        }
        try bench { (bench) throws in
            let second = try bench.take(settling: Settlement(.done(nil), lease: lease))
            #expect(second.ids == [ids[1]])
            #expect(try bench.group()?.parked == 1)
            lease = second.lease
        }
        try bench { (bench) throws in
            let third = try bench.take(settling: Settlement(.done(nil), lease: lease))
            #expect(third.ids == [ids[3]])
            #expect(try bench.group()?.parked == 0)
        }
    }

    @Test func onlyHandingOutWaitsForTheLookAtTheLogThatAStartNeeds() throws {
        var ids: [EventID] = []
        var taken: [Handout] = []
        try bench { (bench) throws in
            try bench.set { $0.isOrderedByKey = true }
            ids = try ["k", "k", "k", "l", "m"].map { try bench.publish("x", key: $0) }
            taken = try (0..<3).map { _ in try bench.take() }
        }
        #expect(taken.flatMap(\.ids) == [ids[0], ids[3], ids[4]])
        let done = Settlement(.done(nil), lease: taken[0].lease)
        try bench(holdingReads: true) { (bench) throws in
            try bench.settle(done)
            #expect(refusal { try bench.settle(done) } == "jobSettled")
            try bench.extend(taken[1].lease, seconds: 600)
            bench.work.giveBack(taken[2].ticket)
            try bench.set(of: nil)
            let group = try bench.group()
            #expect(group?.done == 1 && group?.open == 2 && group?.leased == 1)
            let (answer, _) = try bench.ask(NextRequest(waits: false))
            #expect(!answer.isGiven)
        }
        // What was settled is so over another restart, and its key goes on in order.
        try bench { (bench) throws in
            #expect(refusal { try bench.settle(done) } == "jobSettled")
            let found = try (0..<2).map { _ in try bench.ask(NextRequest()).answer.get().handout }
            #expect(Set(found.compactMap { $0?.ids.first }) == [ids[1], ids[4]])
            let second = try #require(found.first { $0?.ids == [ids[1]] } ?? nil)
            let last = try bench.take(settling: Settlement(.done(nil), lease: second.lease))
            #expect(last.ids == [ids[2]] && last.jobs[0].attempt == 1)
            #expect(try bench.group()?.parked == 0)
        }
    }

    @Test func aKeyThatIsSettledWhileItIsNotKnownToHaveMoreIsFreeAfterwards() throws {
        var leases: [String] = []
        try bench { (bench) throws in
            try bench.set { $0.isOrderedByKey = true }
            for key in ["k", "l", "m"] { try bench.publish("x", key: key) }
            leases = try (0..<3).map { _ in try bench.take().lease }
        }
        try bench(holdingReads: true) { (bench) throws in
            for lease in leases.dropLast() {
                try bench.settle(Settlement(.done(nil), lease: lease))
            }
            let (answer, _) = try bench.ask(NextRequest())
            bench.store.releaseReads()
            let id = try bench.publish("y", key: "k")
            #expect(try answer.get().handout?.ids == [id])
            #expect(try bench.group()?.done == 2)
        }
        try bench { (bench) throws in
            let id = try bench.publish("y", key: "l")
            #expect(try bench.ask(NextRequest()).answer.get().handout?.ids == [id])
        }
    }

    @Test func aSeekAndAnEndOfTheGroupWaitForNoLookEither() throws {
        for removes in [false, true] {
            let group = removes ? "removed" : "sent"
            try bench { (bench) throws in
                try bench.set(group, of: group) { $0.isOrderedByKey = true }
                for _ in 0..<2 { try bench.publish("x", to: group, key: "k") }
                _ = try bench.take(group)
            }
            try bench(holdingReads: true) { (bench) throws in
                let name = try GroupName(group)
                if removes {
                    try WorkBench.answer {
                        bench.work.remove(name, isForced: false, by: WorkBench.caller, then: $0)
                    }
                    #expect(try bench.group(group) == nil)
                } else {
                    _ = try WorkBench.answer {
                        bench.work.seek(name, to: .now, by: WorkBench.caller, then: $0)
                    }
                    let id = try bench.publish("y", to: group, key: "k")
                    #expect(
                        try bench.ask(NextRequest(), of: group).answer.get().handout?.ids == [id])
                }
                bench.store.releaseReads()
            }
        }
    }

    @Test func aGroupThatDoesNotPersistBeginsNowAndSaysSo() throws {
        var missed = EventID.zero
        try bench { (bench) throws in
            try bench.set { $0.persists = false }
            missed = try bench.publish("a")
            _ = try bench.take()
            missed = try bench.publish("b")
        }
        try bench { (bench) throws in
            #expect(try bench.next().handout == nil)
            try bench.publish("c")
            let handout = try bench.take()
            #expect(handout.text == "c" && handout.gap?.through == missed)
        }
    }

    @Test func aGroupThatWasRemovedIsGone() throws {
        try bench { (bench) throws in
            try bench.set()
            try bench.publish("a")
            _ = try bench.take()
            let name = try GroupName("g")
            try WorkBench.answer {
                bench.work.remove(name, isForced: false, by: WorkBench.caller, then: $0)
            }
        }
        try bench { (bench) throws in #expect(bench.work.descriptions().isEmpty) }
    }

    @Test func jobsWhoseEventsOnlyTheFileHasComeAgain() throws {
        var ids: [EventID] = []
        try bench { (bench) throws in
            try bench.set()
            ids = try (0..<3).map { try bench.publish("\($0)") }
            for id in ids { #expect(try bench.take().ids == [id]) }
        }
        try bench { (bench) throws in
            bench.advance(seconds: 61)
            for id in ids { #expect(try bench.take().ids == [id]) }
        }
    }
}
