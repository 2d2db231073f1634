import Protection
import Telemetry
import TestSupport
import Testing

@testable import BusAPI
@testable import HTTPFront

/// Whose turn it is among reads that take many.
@Suite(.blocking) struct BackgroundReadsTests {
    private let reads = BackgroundReads()
    private let alice = CallerAccount(uid: 1)
    private let bob = CallerAccount(uid: 2)
    private let taken = Protected<[String]>([])

    /// Adds a read that takes so many turns, each noted by its name.
    private func add(_ name: String, turns: Int, for account: CallerAccount) {
        let left = Protected(turns)
        reads.add(for: account, unless: Cancellation()) { [taken] in
            taken.write { $0.append(name) }
            return left.write { left in
                left -= 1
                return left > 0
            }
        }
    }

    /// Returns once all that was added for this account has had its turns.
    private func finish(_ account: CallerAccount) throws {
        let gate = Gate()
        reads.add(for: account, unless: Cancellation()) {
            gate.open()
            return false
        }
        try gate.wait()
    }

    @Test func usersTakeTurnsAndEachHasOneReadUnderWay() throws {
        let gate = try reads.hold()
        add("a1", turns: 4, for: alice)
        add("a2", turns: 2, for: alice)
        add("b1", turns: 2, for: bob)
        add("b2", turns: 1, for: bob)
        gate.open()
        for account in [alice, bob] { try finish(account) }
        #expect(taken.value == ["a1", "b1", "a1", "b1", "a1", "b2", "a1", "a2", "a2"])
    }

    @Test func aReadThatIsCancelledTakesNoFurtherTurn() throws {
        let cancellation = Cancellation()
        reads.add(for: alice, unless: cancellation) { [taken] in
            let turns = taken.write { taken in
                taken.append("a")
                return taken.count
            }
            if turns == 3 { cancellation.cancel() }
            return true
        }
        try finish(alice)
        #expect(taken.value == ["a", "a", "a"])
    }

    @Test func aReadThatIsCancelledBeforeItBeginsTakesNone() throws {
        let gate = try reads.hold()
        let cancellation = Cancellation()
        reads.add(for: alice, unless: cancellation) { [taken] in
            taken.write { $0.append("a") }
            return false
        }
        cancellation.cancel()
        gate.open()
        try finish(alice)
        #expect(taken.value.isEmpty)
    }

    @Test func aReadThatHasRoomDoesNotWaitBehindOneThatFindsNone() throws {
        let memory = MemoryBudget(bytesMax: 4_000)
        let space = ResponseQuota(of: memory, relieve: {}) { _ in }
        let (first, second) = (space.room(for: 900), space.room(for: 900))
        #expect(first.take())
        let gate = Gate()
        reads.add(for: alice, unless: Cancellation(), in: second) { [taken] in
            taken.write { $0.append("second") }
            return false
        }
        reads.add(for: alice, unless: Cancellation(), in: first) { [taken] in
            taken.write { $0.append("first") }
            gate.open()
            return false
        }
        try gate.wait()
        #expect(taken.value == ["first"])
        first.settle(at: 0)
        try finish(alice)
        #expect(taken.value == ["first", "second"])
    }

    /// Reads that ask a store which answers when `answer` says so, noted by name.
    private func addAsking(
        _ names: [String], for account: CallerAccount, in space: ResponseQuota,
        _ answers: Protected<[@Sendable () -> Void]>, unless cancellation: Cancellation
    ) {
        for name in names {
            reads.addAsking(
                for: account, unless: cancellation, in: space.room(for: 10)
            ) { [taken] answered in
                taken.write { $0.append(name) }
                answers.write { $0.append(answered) }
            }
        }
    }

    @Test func aUserAsksTheStoreForAFewReadsAtATimeAndOthersForTheirs() throws {
        let memory = MemoryBudget(bytesMax: 4_000)
        let space = ResponseQuota(of: memory, relieve: {}) { _ in }
        let (answers, left) = (Protected<[@Sendable () -> Void]>([]), Cancellation())
        addAsking((0..<10).map { "a\($0)" }, for: alice, in: space, answers, unless: left)
        try wait { taken.value.count == 4 }
        // What does not ask waits for none of these.
        for _ in 0..<3 { try finish(alice) }
        #expect(taken.value == ["a0", "a1", "a2", "a3"])
        addAsking(["b0"], for: bob, in: space, answers, unless: Cancellation())
        try wait { taken.value.count == 5 }
        #expect(taken.value.last == "b0")
        answers.value[1]()
        try wait { taken.value.count == 6 }
        #expect(taken.value.last == "a4")
        // Those that wait take no room, and none asks once its client has left.
        left.cancel()
        for (index, answer) in answers.value.enumerated() where index != 1 { answer() }
        for _ in 0..<10 { try finish(alice) }
        #expect(taken.value.count == 6)
        #expect(memory.used(.unsent) == 0)
    }

    /// Returns once something holds, within so many turns.
    private func wait(until holds: () -> Bool) throws {
        for _ in 0..<10_000 where !holds() {
            let gate = Gate()
            reads.add(for: bob, unless: Cancellation()) {
                gate.open()
                return false
            }
            try gate.wait()
        }
    }
}
