import Protection
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import Work

/// What groups read of the store, which counts for the bus's memory before it is read.
@Suite(.blocking) struct GroupMemoryTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let clock = ManualClock()
    private let other = WorkCaller(uid: 2_000)

    /// Where groups have room for one read at a time.
    private static let fewBytes = 16 << 20

    private func bench(
        memoryBytes: Int = 64 << 20, holdingReads: Bool = false,
        _ body: (WorkBench) throws -> Void
    ) throws {
        let bench = try WorkBench(
            file: folder.path + "/bus.db", clock: clock, memoryBytes: memoryBytes,
            holdingReads: holdingReads)
        // A read that is held up to the end would hold the group that waits for it.
        defer {
            bench.bus.close()
            bench.store.releaseReads()
        }
        try body(bench)
    }

    @Test func readsOfTheStoreCountBeforeTheyAreMadeAndWaitForRoom() throws {
        let names = (0..<4).map { "g\($0)" }
        try bench { (bench) throws in
            for name in names { try bench.set(name) }
            try bench.publish("a")
        }
        try bench(memoryBytes: Self.fewBytes, holdingReads: true) { (bench) throws in
            let before = bench.bus.memory.used(.work)
            var answers = try names.map { try bench.ask(NextRequest(), of: $0).answer }
            try bench.awaitReads()
            #expect(bench.store.heldReadCount == 1)
            #expect(bench.bus.memory.used(.work) - before >= bench.bus.limits.eventBytesMax)
            bench.store.releaseReads()
            while !answers.isEmpty {
                #expect(try answers[0].get().delivery?.text == "a")
                // What is not on its way yet counts still.
                #expect(!answers.dropFirst().contains { $0.isGiven })
                answers.removeFirst()
            }
        }
    }

    @Test func oneUserLeavesRoomForTheReadsOfOthers() throws {
        let names = (0..<4).map { "g\($0)" }
        try bench { (bench) throws in
            for name in names { try bench.set(name) }
            try bench.set("theirs", by: other)
            try bench.publish("a")
        }
        try bench(holdingReads: true) { (bench) throws in
            let answers = try names.map { try bench.ask(NextRequest(), of: $0).answer }
            try bench.awaitReads()
            #expect(bench.store.heldReadCount == 3)
            let theirs = try bench.ask(NextRequest(), of: "theirs", by: other).answer
            try bench.awaitReads(of: other)
            #expect(bench.store.heldReadCount == 4)
            bench.store.releaseReads()
            for answer in answers + [theirs] {
                #expect(try answer.get().delivery?.text == "a")
            }
        }
    }

    /// What a group reads the store for.
    enum Reading: CaseIterable {
        case job, jobOfManyTopics, jobThatComesAgain, letter, letterOfAWorker, revival, place, seek
    }

    @Test(arguments: Reading.allCases) func everyReadForAGroupWaitsForRoom(
        _ reading: Reading
    ) throws {
        var (lease, letter) = ("", EventID.zero)
        try bench { (bench) throws in
            try bench.set("holder", of: "held")
            try bench.publish("held", to: "held")
            try bench.set("many", of: "jobs,jobs.*")
            try bench.set()
            let failed = try TopicName("failed")
            for name in ["buried", "dead", "revived"] {
                try bench.set(name) { ($0.attempts, $0.dead) = (1, .topic(failed)) }
            }
            try bench.publish("a")
            if reading == .jobThatComesAgain { _ = try bench.take() }
            _ = try bench.take("buried")
            lease = try bench.take("dead").lease
            try bench.settle(
                Settlement(.dead(refusal: nil), lease: try bench.take("revived").lease),
                of: "revived")
            letter = try #require(bench.bus.description(of: failed)?.newest)
        }
        try bench(memoryBytes: Self.fewBytes) { (bench) throws in
            var held: Answer<NextAnswer, WorkError>? = try bench.ask(
                NextRequest(), of: "holder"
            ).answer
            #expect(try held?.get().delivery?.text == "held")
            bench.store.holdReads()
            let end = try begin(reading, on: bench, lease, letter)
            try bench.awaitReads()
            #expect(bench.store.heldReadCount == 0)
            bench.store.releaseReads()
            held = nil
            try end()
        }
    }

    /// Has a group read the store. Returns what waits for what comes of it.
    private func begin(
        _ reading: Reading, on bench: WorkBench, _ lease: String, _ letter: EventID
    ) throws -> () throws -> Void {
        switch reading {
        case .job, .jobOfManyTopics, .jobThatComesAgain:
            if reading == .jobThatComesAgain { bench.advance(seconds: 61) }
            let name = reading == .jobOfManyTopics ? "many" : "g"
            let job = try bench.ask(NextRequest(waits: false), of: name).answer
            return { () throws in #expect(try job.get().delivery?.text == "a") }
        case .letter:
            bench.advance(seconds: 61)
            return { () throws in
                #expect(try bench.next("buried").delivery == nil)
                #expect(try bench.group("buried")?.failed == 1)
            }
        case .letterOfAWorker:
            let receipt = Answer<SettleReceipt, WorkError>()
            bench.work.settle(
                try GroupName("dead"), Settlement(.dead(refusal: nil), lease: lease),
                by: WorkBench.caller
            ) { receipt.give($0) }
            return { () throws in #expect(try receipt.get().count == 1) }
        case .revival:
            let receipt = Answer<PublishReceipt, WorkError>()
            bench.work.revive(
                try GroupName("revived"), id: letter, by: WorkBench.caller
            ) { receipt.give($0) }
            return { () throws in #expect(try receipt.get().first > letter) }
        case .place:
            var wish = GroupSettings(of: try Selector("jobs"))
            wish.start = .earliest
            let made = Answer<(group: GroupDescription, isNew: Bool), WorkError>()
            bench.work.set(
                try GroupName("made"), wish, by: WorkBench.caller
            ) { made.give($0) }
            return { () throws in #expect(try made.get().isNew) }
        case .seek:
            let sought = Answer<GroupDescription, WorkError>()
            bench.work.seek(
                try GroupName("g"), to: .earliest, by: WorkBench.caller
            ) { sought.give($0) }
            return { () throws in _ = try sought.get() }
        }
    }

    @Test func whoeverDoesNotWaitGetsALargeJobThatOnlyTheStoreHas() throws {
        let texts = (0..<5).map { String(repeating: "\($0)", count: 600_000) }
        try bench { (bench) throws in
            try bench.set()
            for text in texts { try bench.publish(text) }
        }
        try bench(memoryBytes: Self.fewBytes) { (bench) throws in
            let (round, name) = (GroupBatch(), try GroupName("g"))
            let lengths = Protected<[Int]>([])
            let gates = texts.map { _ in Gate() }
            for gate in gates {
                bench.work.next(
                    name, NextRequest(waits: false), by: WorkBench.caller, in: round
                ) { answer in
                    // It is let go of at once.
                    let delivery = try? answer.get().delivery
                    lengths.write { $0.append(delivery?.jobs[0].event.payload.count ?? 0) }
                    gate.open()
                }
            }
            round.go()
            for gate in gates { try gate.wait() }
            #expect(lengths.value == texts.map(\.utf8.count))
        }
    }
}
