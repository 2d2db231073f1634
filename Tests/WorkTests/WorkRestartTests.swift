import StoreSupport
import TestSupport
import Testing
import Topics

@testable import Work

/// Groups on a file, over restarts.
@Suite(.blocking) struct WorkRestartTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let clock = ManualClock()

    /// - Parameters:
    ///   - boot: What tells the boot from others.
    ///   - wall: The clock that somebody may set, if not the one that nobody does.
    private func bench(
        boot: String = "b1", wall: ManualClock? = nil, holdingReads: Bool = false,
        _ body: (WorkBench) throws -> Void
    ) throws {
        let clock = clock
        let bench = try WorkBench(
            file: folder.path + "/bus.db", clock: wall ?? clock,
            boot: BootClock(boot: boot) { clock.now().microseconds }, holdingReads: holdingReads)
        // A read that is held up to the end would hold the group that waits for it.
        defer {
            bench.bus.close()
            bench.store.releaseReads()
        }
        try body(bench)
    }

    @Test func aLeaseOutlastsARestartAndItsSettlementTheNext() throws {
        var lease = ""
        try bench { (bench) throws in
            try bench.set { $0.attempts = 3 }
            try bench.publish("a")
            lease = try bench.take(worker: "w").lease
            bench.advance(seconds: 50)
        }
        try bench { (bench) throws in
            bench.advance(seconds: 5)
            #expect(try bench.next().delivery == nil)
            #expect(try bench.group()?.leased == 1)
            try bench.settle(Settlement(.done(nil), lease: lease))
        }
        try bench { (bench) throws in
            #expect(try bench.group()?.done == 1)
            let done = Settlement(.done(nil), lease: lease)
            #expect(refusal { try bench.settle(done) } == "jobSettled")
        }
    }

    // MARK: Spans

    /// Two spans that begin together.
    private enum Span: CaseIterable {
        case lease, delay

        /// Begins one of so many seconds.
        func begin(_ bench: WorkBench, seconds: Int64) throws {
            try bench.set { $0.lease = .seconds(seconds) }
            try bench.publish("a")
            let lease = try bench.take().lease
            guard self == .delay else { return }
            try bench.settle(Settlement(.retry(delay: seconds * 1_000_000), lease: lease))
        }
    }

    /// Lets time pass by the clock that nobody sets.
    private func pass(_ seconds: Double, _ bench: WorkBench? = nil) {
        clock.advance(seconds: seconds)
        bench?.work.sweep()
    }

    private func expectEnd(in seconds: Double, _ bench: WorkBench, _ comment: Comment) throws {
        pass(seconds - 0.1, bench)
        #expect(try bench.next().delivery == nil, comment)
        pass(0.2, bench)
        #expect(try bench.next().delivery?.jobs[0].attempt == 2, comment)
    }

    @Test(arguments: [0.0, -10_000, 10_000])
    func leasesAndDelaysGoOnOverARestartWhateverTheTimeIs(change: Double) throws {
        for span in Span.allCases {
            let rest = WorkRestartTests()
            let wall = ManualClock()
            try rest.bench(wall: wall) { (bench) throws in try span.begin(bench, seconds: 20) }
            rest.pass(15)
            wall.advance(seconds: change)
            try rest.bench(wall: wall) { (bench) throws in
                try rest.expectEnd(in: 5, bench, "\(span)")
            }
        }
    }

    @Test func aRetryKeepsItsJitterOverRestarts() throws {
        var dues: [Int64] = []
        func note(_ bench: WorkBench) throws {
            dues.append(
                try bench.work.jobs(of: GroupName("g"), countMax: 1)[0].due.wholeMicroseconds)
        }
        try bench { (bench) throws in
            try bench.set()
            try bench.publish("a")
            try bench.settle(Settlement(.retry(delay: nil), lease: bench.take().lease))
            try note(bench)
        }
        #expect((1_000_000...1_100_000).contains(dues[0]))
        for _ in 0..<2 { try bench { (bench) throws in try note(bench) } }
        #expect(Set(dues).count == 1)
    }

    @Test func leasesAndDelaysEndHoweverOftenTheBusRestarts() throws {
        for span in Span.allCases {
            let rest = WorkRestartTests()
            try rest.bench { (bench) throws in try span.begin(bench, seconds: 6) }
            rest.pass(4)
            try rest.bench { (bench) throws in #expect(try bench.next().delivery == nil) }
            rest.pass(4)
            try rest.bench { (bench) throws in
                #expect(try bench.next().delivery?.jobs[0].attempt == 2, "\(span)")
            }
        }
    }

    /// Nobody knows how long the machine was off: a lease has its full time, once.
    @Test(arguments: [-10_000.0, 0, 10_000])
    func aLeaseHasItsFullTimeAnewFromABootOn(change: Double) throws {
        let wall = ManualClock()
        try bench(wall: wall) { (bench) throws in try Span.lease.begin(bench, seconds: 20) }
        pass(15)
        wall.advance(seconds: change)
        clock.advance(seconds: -1_000)
        for _ in 0..<2 {
            try bench(boot: "b2", wall: wall) { (bench) throws in
                #expect(try bench.next().delivery == nil)
            }
            pass(8)
        }
        try bench(boot: "b2", wall: wall) { (bench) throws in
            try expectEnd(in: 4, bench, "16 s are over")
        }
    }

    @Test(arguments: [(12.0, 8.0), (0, 20), (-10_000, 20), (10_000, 0)])
    func aDelayGoesOnByTheTimeOverABootAndIsNoLongerThanAsked(
        change: Double, left: Double
    ) throws {
        let wall = ManualClock()
        try bench(wall: wall) { (bench) throws in try Span.delay.begin(bench, seconds: 20) }
        wall.advance(seconds: change)
        clock.advance(seconds: -1_000)
        try bench(boot: "b2", wall: wall) { (bench) throws in
            guard left > 0 else {
                #expect(try bench.next().delivery?.jobs[0].attempt == 2)
                return
            }
            #expect(try bench.next().delivery == nil)
        }
        guard left > 0 else { return }
        pass(5)
        // The time counts at the first start under a boot alone.
        wall.advance(seconds: 10_000)
        try bench(boot: "b2", wall: wall) { (bench) throws in
            try expectEnd(in: left - 5, bench, "\(change)")
        }
    }

    @Test func anExtensionOutlastsARestartThoughItIsAsLongAsTheLease() throws {
        try bench { (bench) throws in
            try bench.set { $0.lease = .seconds(20) }
            try bench.publish("a")
            let lease = try bench.take().lease
            pass(15, bench)
            try bench.extend(lease, seconds: 20)
        }
        pass(10)
        try bench { (bench) throws in
            try expectEnd(in: 10, bench, "10 s of the extension are over")
        }
    }

    /// A clock that begins anew under the same boot, as in a container of its own time.
    @Test func noSpanIsLongerFromAStartOnThanItWasAtFirst() throws {
        for span in Span.allCases {
            let rest = WorkRestartTests()
            try rest.bench { (bench) throws in try span.begin(bench, seconds: 20) }
            rest.clock.advance(seconds: -1_000)
            try rest.bench { (bench) throws in try rest.expectEnd(in: 20, bench, "\(span)") }
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

    /// A start reads rows and nothing of the log, so nothing waits for a look at it.
    @Test func keysGoOnInOrderBehindAStartThatReadsNothingOfTheLog() throws {
        var ids: [EventID] = []
        var taken: [JobDelivery] = []
        try bench { (bench) throws in
            try bench.set { $0.isOrderedByKey = true }
            ids = try ["k", "k", "l"].map { try bench.publish("x", key: $0) }
            taken = try (0..<2).map { _ in try bench.take() }
        }
        #expect(taken.flatMap(\.ids) == [ids[0], ids[2]])
        try bench(holdingReads: true) { (bench) throws in
            for delivery in taken {
                try bench.settle(Settlement(.done(nil), lease: delivery.lease))
            }
            let group = try bench.group()
            #expect(group?.done == 2 && group?.open == 1 && group?.parked == 0)
            // The key that had no other job is free.
            ids.append(try bench.publish("y", key: "l"))
            bench.store.releaseReads()
            #expect(try [bench.take(), bench.take()].flatMap(\.ids) == [ids[1], ids[3]])
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
            #expect(try bench.next().delivery == nil)
            try bench.publish("c")
            let delivery = try bench.take()
            #expect(delivery.text == "c" && delivery.gap?.through == missed)
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
