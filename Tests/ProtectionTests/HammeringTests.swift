import Dispatch
import Protection
import TestSupport
import Testing

/// Eight threads at once, and every outcome counted: together more than a million operations.
@Suite(.blocking) struct HammeringTests {
    private static let threads = 8

    private struct Account: StateMachine, Sendable {
        var deposits = 0
        var isOpen = true
        func canTransition(to next: Account) -> Bool { isOpen != next.isOpen }
    }

    private struct Uneven: Error {}

    private struct Key: Hashable, Sendable {
        let number: Int
    }

    /// Blocks, accesses in place and whole values, each a deposit of one.
    @Test func everyDepositIsInTheSum() throws {
        let rounds = 15_000
        let account = Protected(Account())
        try inParallel(Self.threads) { _ in
            for _ in 0..<rounds {
                account.write { $0.deposits += 1 }
                account.deposits += 1
                account.value.deposits += 1
                account.mutate { $0.deposits += 1 }
            }
        }
        #expect(account.deposits == Self.threads * rounds * 4)
    }

    @Test func whatIsTakenAndWhatIsLeftIsWhatWasAppended() throws {
        let rounds = 20_000
        let numbers = Protected<[Int]?>(nil)
        let taken = Protected(0)
        try inParallel(Self.threads) { index in
            var sum = 0
            for round in 0..<rounds {
                if index.isMultiple(of: 2) {
                    numbers.append(round)
                } else if let number = numbers.write({ $0?.popLast() }) {
                    sum += number
                }
            }
            taken.value += sum
        }
        let left = (numbers.value ?? []).reduce(0, +)
        #expect(taken.value + left == Self.threads / 2 * (rounds * (rounds - 1) / 2))
    }

    @Test func aChangeTakenBackIsNeverSeen() throws {
        let rounds = 12_500
        let pair = Protected((0, 0))
        let kept = Protected(0)
        try inParallel(Self.threads) { index in
            var changes = 0
            for round in 0..<rounds {
                let isKept = (round + index).isMultiple(of: 2)
                do {
                    try pair.mutate { pair in
                        pair.0 += 1
                        if !isKept { throw Uneven() }
                        pair.1 += 1
                    }
                    changes += 1
                } catch is Uneven {}
                if pair.read({ $0.0 != $0.1 }) { throw Uneven() }
            }
            kept.value += changes
        }
        #expect(pair.value == (kept.value, kept.value))
        #expect(kept.value == Self.threads * rounds / 2)
    }

    @Test func openingsAndClosingsAlternate() throws {
        let rounds = 12_500
        let account = Protected(Account())
        let moves = Protected((closings: 0, openings: 0))
        try inParallel(Self.threads) { _ in
            var own = (closings: 0, openings: 0)
            for _ in 0..<rounds {
                if account.attemptToTransition(to: Account(isOpen: false)) { own.closings += 1 }
                if account.attemptToTransition(to: Account(isOpen: true)) { own.openings += 1 }
            }
            moves.write { [own] moves in
                moves.closings += own.closings
                moves.openings += own.openings
            }
        }
        let (closings, openings) = moves.value
        #expect(closings >= 1)
        #expect(closings - openings == (account.isOpen ? 0 : 1))
    }

    @Test func everyOnceRunsOnceThoughItsBlocksFail() throws {
        let rounds = 15_000
        let all = (0..<rounds).map { _ in Once() }
        let counts = Protected((done: 0, failed: 0, waited: 0))
        try inParallel(Self.threads) { index in
            var own = (done: 0, failed: 0, waited: 0)
            for round in 0..<rounds {
                do {
                    let isOwn = try all[round].run {
                        if (round + index).isMultiple(of: 3) { throw Uneven() }
                    }
                    if isOwn { own.done += 1 } else { own.waited += 1 }
                } catch is Uneven {
                    own.failed += 1
                }
            }
            counts.write { [own] counts in
                counts.done += own.done
                counts.failed += own.failed
                counts.waited += own.waited
            }
        }
        let (done, failed, waited) = counts.value
        #expect(done == rounds)
        #expect(done + failed + waited == Self.threads * rounds)
        #expect(all.allSatisfy { $0.isDone })
    }

    @Test func everyTokenOfManyRunsItsBlockOnce() throws {
        let rounds = 15_000
        let runs = Protected([Int](repeating: 0, count: rounds))
        try inParallel(Self.threads) { index in
            for round in 0..<rounds {
                let number = index.isMultiple(of: 2) ? round : rounds - 1 - round
                DispatchQueue.once(token: Key(number: number)) { runs.value[number] += 1 }
            }
        }
        #expect(runs.value.allSatisfy { $0 == 1 })
    }
}
