import Protection
import Telemetry
import TestSupport
import Testing

@testable import BusAPI
@testable import HTTPFront

/// Whose turn it is among reads that take many.
@Suite(.blocking) struct LongReadsTests {
    private let reads = LongReads()
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
        let space = AnswerSpace(of: memory, relieve: {}) { _ in }
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
}
