import StoreSupport
import TestSupport
import Testing
import Topics

@testable import Work

/// Dead letters that are published again: once each, and at a cost that nothing else in the dead topic
/// changes.
@Suite(.blocking) struct RevivalTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let clock = ManualClock()

    /// A bus on a file, until its next life.
    private func life(_ body: (WorkBench) throws -> Void) throws {
        let bench = try WorkBench(file: folder.path + "/bus.db", clock: clock)
        defer { bench.bus.close() }
        try body(bench)
    }

    /// Has a job of a group become a letter.
    private func bury(_ text: String = "a", on bench: WorkBench) throws -> EventID {
        let dead = try TopicName("failed")
        try bench.set { $0.dead = .topic(dead) }
        try bench.publish(text)
        try bench.settle(Settlement(.dead(refusal: nil), lease: try bench.take().lease))
        return try #require(bench.bus.description(of: dead)?.newest)
    }

    private func revive(_ letter: EventID, on bench: WorkBench) throws {
        let name = try GroupName("g")
        let _: PublishReceipt = try WorkBench.answer {
            bench.work.revive(name, id: letter, by: WorkBench.caller, then: $0)
        }
    }

    /// Fills the dead topic behind its letters.
    private func fill(_ count: Int, on bench: WorkBench) throws {
        let batch = PublishBatch(
            topic: try TopicName("failed"),
            payloads: (0..<count).map { Payload(Array("\($0)".utf8)) })
        let _: PublishReceipt = try WorkBench.answer { bench.bus.publish(batch, then: $0) }
    }

    @Test func inMemoryNothingIsReadForALetter() throws {
        let bench = try WorkBench()
        let letters = try (0..<2).map { try bury("\($0)", on: bench) }
        try fill(10_000, on: bench)
        let turns = bench.bus.tasks.reads.turns.value
        for letter in letters {
            try revive(letter, on: bench)
            #expect(refusal { try revive(letter, on: bench) } == "letterRevived")
        }
        #expect(bench.bus.tasks.reads.turns.value == turns)
        #expect(try bench.take().text == "0" && bench.take().text == "1")
    }

    @Test func ofTheStoreTheLetterAloneIsRead() throws {
        var letters: [EventID] = []
        try life { (bench) throws in
            letters = try (0..<2).map { try bury("\($0)", on: bench) }
            try fill(10_000, on: bench)
        }
        for isFirst in [true, false] {
            try life { (bench) throws in
                let (turns, reads) = (bench.bus.tasks.reads.turns.value, bench.store.reads)
                for letter in letters {
                    let outcome = refusal { try revive(letter, on: bench) }
                    #expect(outcome == (isFirst ? nil : "letterRevived"))
                }
                #expect(bench.store.reads - reads == letters.count)
                // One asks the store, and one takes what it said.
                #expect(bench.bus.tasks.reads.turns.value - turns <= 2 * letters.count)
            }
        }
    }

    @Test func thatALetterWasRevivedIsKnownInTheNextLivesWhereverTheLetterLies() throws {
        var letters: [EventID] = []
        try life { (bench) throws in
            letters = try (0..<3).map { try bury("\($0)", on: bench) }
            try revive(letters[0], on: bench)
            #expect(refusal { try revive(letters[0], on: bench) } == "letterRevived")
        }
        try life { (bench) throws in
            #expect(refusal { try revive(letters[0], on: bench) } == "letterRevived")
            try revive(letters[1], on: bench)
        }
        try life { (bench) throws in
            for letter in letters.prefix(2) {
                #expect(refusal { try revive(letter, on: bench) } == "letterRevived")
            }
            try revive(letters[2], on: bench)
        }
    }

    @Test func aLetterIsRevivedByTheIDOfItsJobOverStartsToo() throws {
        var jobs: [EventID] = []
        try life { (bench) throws in
            for text in ["0", "1", "2"] {
                let letter = try bury(text, on: bench)
                let event = try bench.bus.event(letter, in: TopicName("failed"))
                guard case .found(let found) = event else { throw WorkBench.Nothing() }
                let job = try #require(found.metadata.attributes["deadid"])
                jobs.append(try #require(EventID(decimal: job)))
            }
            try revive(jobs[0], on: bench)
            #expect(refusal { try revive(jobs[0], on: bench) } == "letterRevived")
            #expect(try bench.take().text == "0")
        }
        try life { (bench) throws in
            #expect(refusal { try revive(jobs[0], on: bench) } == "letterRevived")
            try revive(jobs[1], on: bench)
            try bench.settle(Settlement(.done(nil), lease: try bench.take().lease))
            #expect(refusal { try revive(EventID(rawValue: 1), on: bench) } == "letterUnknown")
        }
    }

    @Test(arguments: [false, true]) func aMarkThatSomebodyElsePublishesRevivesNothing(
        isOnDisk: Bool
    ) throws {
        let bench = try WorkBench(file: isOnDisk ? folder.path + "/bus.db" : nil)
        defer { bench.bus.close() }
        let letter = try bury(on: bench)
        let forged = PublishBatch(
            topic: try TopicName("failed"),
            metadata: try EventMetadata(type: "revived", key: letter.description),
            payloads: [.empty])
        let _: PublishReceipt = try WorkBench.answer { bench.bus.publish(forged, then: $0) }
        try revive(letter, on: bench)
        #expect(try bench.take().text == "a")
        #expect(refusal { try revive(letter, on: bench) } == "letterRevived")
    }

    @Test func aRevivalThatTheStoreRefusesLeavesTheLetterAsItWas() throws {
        let bench = try WorkBench(file: folder.path + "/bus.db")
        defer { bench.bus.close() }
        let letter = try bury(on: bench)
        bench.store.refuse(.storeFull("full"))
        #expect(refusal { try revive(letter, on: bench) } == "bus")
        bench.store.refuse(nil)
        try revive(letter, on: bench)
        #expect(refusal { try revive(letter, on: bench) } == "letterRevived")
    }

    @Test func aLetterOfATopicWithoutRowsIsRevivedOnceToo() throws {
        let bench = try WorkBench(file: folder.path + "/bus.db")
        defer { bench.bus.close() }
        let dead = try TopicName("failed")
        let settings = TopicSettings(retention: .standard, persists: false)
        let _: Void = try WorkBench.answer { then in
            bench.bus.register(dead, settings: settings, by: .unknown) {
                then($0.map { _ in () })
            }
        }
        let letter = try bury(on: bench)
        try revive(letter, on: bench)
        #expect(refusal { try revive(letter, on: bench) } == "letterRevived")
    }
}
