import Protection
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import Work

/// What requests have looked for beside their threads: in whose turns, how often, and for whom.
@Suite(.blocking) struct AskedTests {
    private let name = try! GroupName("g")
    private let other = WorkCaller(uid: 2_000)

    /// Says whether a client has left.
    private final class Client: Sendable {
        private let left = Protected(false)

        var hasLeft: @Sendable () -> Bool { { self.left.value } }

        func leave() { left.value = true }
    }

    private func seek(
        on bench: WorkBench, to start: StartPosition, by caller: WorkCaller = WorkBench.caller,
        for client: Client = Client()
    ) -> Answer<GroupDescription, WorkError> {
        let answer = Answer<GroupDescription, WorkError>()
        bench.work.seek(name, to: start, by: caller, unless: client.hasLeft) { answer.give($0) }
        return answer
    }

    @Test func seeksForTheSameThatWaitAreOneChange() throws {
        let bench = try WorkBench()
        try bench.set()
        let before = bench.store.changes
        let clients = (0..<100).map { _ in Client() }
        let answers = try bench.withoutWorkThread {
            let answers = clients.map { seek(on: bench, to: .earliest, for: $0) }
            for client in clients.dropLast() { client.leave() }
            return answers
        }
        for answer in answers { #expect(try answer.get().name == name) }
        #expect(bench.store.changes == before + 1)
        // Behind them it is another one.
        _ = try seek(on: bench, to: .earliest).get()
        #expect(bench.store.changes == before + 2)
    }

    @Test func aSeekWhoseClientsHaveAllLeftChangesNothing() throws {
        let bench = try WorkBench()
        try bench.set()
        try bench.publish("a")
        let lease = try bench.take().lease
        let clients = [Client(), Client()]
        let answers = try bench.withoutWorkThread {
            let answers = clients.map { seek(on: bench, to: .now, for: $0) }
            for client in clients { client.leave() }
            return answers
        }
        for answer in answers { #expect(refusal { _ = try answer.get() } == "bus") }
        #expect(try bench.settle(Settlement(.done(nil), lease: lease)).count == 1)
    }

    @Test func aUserHasSoManyRequestsWaitingAndOthersHaveTheirs() throws {
        let bench = try WorkBench()
        try bench.set()
        let (answers, refused, theirs) = try bench.withoutWorkThread {
            let answers = (1...Limits.askedPerUserMax).map { seek(on: bench, to: .last($0)) }
            let refused = seek(on: bench, to: .earliest)
            #expect(refused.isGiven)
            return (answers, refused, seek(on: bench, to: .earliest, by: other))
        }
        #expect(refusal { _ = try refused.get() } == "limit")
        _ = try theirs.get()
        for answer in answers { _ = try answer.get() }
        _ = try seek(on: bench, to: .earliest).get()
    }

    @Test func ofOneUserAFewLookAtOneTimeAndTheOthersWaitTheirTurn() throws {
        let folder = TemporaryFolder(inMemory: true)
        let clock = ManualClock()
        for isFirst in [true, false] {
            let bench = try WorkBench(
                file: folder.path + "/bus.db", clock: clock, memoryBytes: 256 << 20)
            defer {
                bench.bus.close()
                bench.store.releaseReads()
            }
            if isFirst {
                try bench.set()
                for _ in 0..<20 { try bench.publish("a") }
                continue
            }
            bench.store.holdReads()
            let answers = (1...10).map { seek(on: bench, to: .last($0)) }
            // Each has had its turn by then, if it may.
            for _ in 0..<20 { try bench.awaitReads() }
            #expect(bench.store.heldReadCount == Limits.askedUnderWayMax)
            let theirs = seek(on: bench, to: .last(1), by: other)
            for _ in 0..<20 { try bench.awaitReads(of: other) }
            #expect(bench.store.heldReadCount == Limits.askedUnderWayMax + 1)
            bench.store.releaseReads()
            for answer in answers + [theirs] { _ = try answer.get() }
        }
    }

    @Test func aGroupWhoseClientHasLeftIsNotMadeAndWhoWaitedForItMakesIt() throws {
        let bench = try WorkBench()
        let (leaver, left) = (Client(), Answer<String?, WorkError>())
        let (stayer, late) = (Answer<Bool, WorkError>(), Answer<String?, WorkError>())
        let wish = GroupSettings(of: try Selector("jobs"))
        func set(
            for client: Client, _ then: @escaping @Sendable (Result<Bool, WorkError>) -> Void
        ) {
            bench.work.set(name, wish, by: WorkBench.caller, unless: client.hasLeft) {
                then($0.map(\.isNew))
            }
        }
        try bench.withoutWorkThread {
            for answer in [left, late] {
                set(for: leaver) { result in answer.give(.success(result.failure?.kind)) }
            }
            set(for: Client()) { stayer.give($0) }
            leaver.leave()
        }
        #expect(try left.get() == "bus" && late.get() == "bus")
        #expect(try stayer.get())
        #expect(try bench.group() != nil)
    }

    @Test func aLetterThatSomebodyIsAboutToReviveIsRevivedByTheNextIfTheyDoNot() throws {
        let bench = try WorkBench()
        let dead = try TopicName("failed")
        try bench.set { $0.dead = .topic(dead) }
        try bench.publish("a")
        try bench.settle(Settlement(.dead(refusal: nil), lease: try bench.take().lease))
        let letter = try #require(bench.bus.description(of: dead)?.newest)
        let answers = (0..<3).map { _ in Answer<PublishReceipt, WorkError>() }
        let before = bench.store.changes
        bench.store.hold()
        for answer in answers {
            bench.work.revive(name, id: letter, by: WorkBench.caller) { answer.give($0) }
        }
        for _ in 0..<20 { try bench.awaitReads() }
        #expect(bench.store.changes == before + 1)
        #expect(!answers.contains { $0.isGiven })
        // The first one fails.
        bench.store.refuseHeld(.storeFull("full"))
        #expect(refusal { _ = try answers[0].get() } == "bus")
        #expect(try answers[1].get().first > letter)
        #expect(refusal { _ = try answers[2].get() } == "letterRevived")
        #expect(try bench.take().text == "a")
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
