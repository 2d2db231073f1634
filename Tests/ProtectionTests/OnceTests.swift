import Protection
import TestSupport
import Testing

@Suite(.blocking) struct OnceTests {
    private enum Failure: Error, Equatable { case refused(Int) }

    @Test func onlyTheFirstBlockRuns() {
        let once = Once()
        var runs: [Int] = []
        #expect(!once.isDone)
        #expect(once.run { runs.append(1) })
        #expect(once.isDone)
        #expect(!once.run { runs.append(2) })
        #expect(runs == [1])
    }

    @Test func ofManyThreadsOneRunsItsBlock() throws {
        for _ in 0..<200 {
            let once = Once()
            let runs = Protected(0)
            let told = Protected(0)
            try inParallel(4) { _ in
                if once.run({ runs.value += 1 }) { told.value += 1 }
            }
            #expect(runs.value == 1)
            #expect(told.value == 1)
        }
    }

    @Test func nobodyReturnsBeforeTheFirstRunHasFinished() throws {
        let once = Once()
        let isInside = Gate()
        let isAsked = Gate(openings: 7)
        let hasReturned = Gate()
        try inParallel(8) { index in
            if index == 0 {
                try once.run {
                    isInside.open()
                    try isAsked.wait()
                    #expect(throws: Gate.TimedOut.self) {
                        try hasReturned.wait(within: .milliseconds(50))
                    }
                }
            } else {
                try isInside.wait()
                isAsked.open()
                #expect(!once.run {})
                hasReturned.open()
            }
        }
        #expect(hasReturned.isOpen)
    }

    @Test func whatTheBlockDidIsSeenByWhoeverReturns() throws {
        // Written by the one block, read behind the call that waits for it.
        final class Plain: @unchecked Sendable {
            var number = 0
        }
        for _ in 0..<200 {
            let once = Once()
            let plain = Plain()
            try inParallel(4) { _ in
                once.run { plain.number = 7 }
                if plain.number != 7 { throw Failure.refused(plain.number) }
            }
        }
    }

    @Test func anErrorComesOutTypedAndLeavesItUnused() {
        let once = Once()
        do throws(Failure) {
            try once.run { () throws(Failure) in throw .refused(1) }
            Issue.record("the error was swallowed")
        } catch {
            #expect(error == .refused(1))
        }
        #expect(!once.isDone)
        #expect(once.run {})
        #expect(once.isDone)
    }

    @Test func afterAnErrorOneOfThoseWhoWaitedRunsItsOwnBlock() throws {
        let once = Once()
        let isInside = Gate()
        let isAsked = Gate(openings: 3)
        let runs = Protected(0)
        let ended = Protected(0)
        try inParallel(4) { index in
            if index == 0 {
                #expect(throws: Failure.refused(0)) {
                    try once.run {
                        isInside.open()
                        try isAsked.wait()
                        throw Failure.refused(0)
                    }
                }
            } else {
                try isInside.wait()
                isAsked.open()
                if once.run({ runs.value += 1 }) { ended.value += 1 }
            }
        }
        #expect(runs.value == 1)
        #expect(ended.value == 1)
        #expect(once.isDone)
    }

    @Test func blocksMayRunOthersOfAnyDepth() {
        let all = (0..<1_000).map { _ in Once() }
        var order: [Int] = []
        func run(_ index: Int) {
            guard index < all.count else { return }
            all[index].run {
                run(index + 1)
                order.append(index)
            }
        }
        run(0)
        #expect(order == (0..<1_000).reversed())
    }

    @Test func aBlockMayWaitForOneThatAnotherThreadRuns() throws {
        let first = Once()
        let second = Once()
        let isInside = Gate()
        let isInsideToo = Gate()
        try inParallel(2) { index in
            if index == 0 {
                try first.run {
                    isInside.open()
                    try isInsideToo.wait()
                }
            } else {
                try second.run {
                    try isInside.wait()
                    isInsideToo.open()
                    #expect(!first.run {})
                    #expect(first.isDone)
                }
            }
        }
        #expect(first.isDone && second.isDone)
    }
}
