import TestSupport
import Testing

@testable import HTTPFront

/// What is left of a turn for each kind of work.
@Suite struct TurnBudgetTests {
    private let budget = TurnBudget()
    private let meters = LoopMeters()

    private func highest(_ kind: String) -> Int? {
        meters.tasks.first { $0.kind == kind }?.mostSteps
    }

    @Test func oneKindMayTakeItsShareAndWhatAllShare() {
        var steps = 0
        while budget.isLeft(for: .accepts) {
            budget.begin(.accepts, 1)
            steps += 1
        }
        #expect(steps == LoopTask.accepts.stepsMax)
        #expect(budget.left(for: .accepts) == 0)
    }

    @Test func whatAllShareIsNotOfItsOwn() {
        #expect(budget.ownLeft(for: .writes) == LoopTask.writes.share)
        budget.begin(.writes, LoopTask.writes.share)
        #expect(budget.ownLeft(for: .writes) == 0)
        #expect(budget.left(for: .writes) == HTTPFrontLimits.sharedStepsPerTurn)
    }

    @Test func muchIsWrittenWithWhatAllShareWhenTheOthersHadTheirPart() {
        while budget.hasRoomForMuch { budget.begin(.writes, 16) }
        #expect(budget.left(for: .arrivals) == LoopTask.arrivals.stepsMax)
        budget.giveRest()
        while budget.hasRoomForMuch { budget.begin(.writes, 16) }
        #expect(budget.left(for: .arrivals) == LoopTask.arrivals.share)
        budget.endTurn(countingIn: meters)
        budget.add(LoopTask.writes.share, to: .writes)
        #expect(!budget.hasRoomForMuch && budget.isLeft(for: .writes))
    }

    @Test(arguments: LoopTask.allCases)
    func noKindTakesTheShareOfAnother(greedy: LoopTask) {
        budget.begin(greedy, 1_000_000)
        #expect(!budget.isLeft(for: greedy))
        for work in LoopTask.allCases where work != greedy {
            #expect(budget.left(for: work) == work.share)
        }
    }

    @Test func whatTurnsOutLaterCountsForWhatBeganLast() {
        budget.begin(.deliveries, 1)
        budget.add(LoopTask.deliveries.share - 1)
        #expect(budget.left(for: .deliveries) == HTTPFrontLimits.sharedStepsPerTurn)
        budget.add(10)
        #expect(budget.left(for: .deliveries) == HTTPFrontLimits.sharedStepsPerTurn - 10)
        #expect(budget.left(for: .mail) == LoopTask.mail.stepsMax - 10)
    }

    @Test func whatWasForeseenCountsOnce() {
        budget.begin(.longRequests, 100)
        budget.begin(.arrivals, 1)
        budget.goOn(with: .longRequests, foreseen: 90)
        budget.add(60)
        budget.add(40)
        #expect(budget.left(for: .longRequests) == LoopTask.longRequests.stepsMax - 110)
        budget.goOn(with: .longRequests, foreseen: 90)
        budget.begin(.mail, 1)
        budget.add(10)
        #expect(budget.left(for: .mail) == LoopTask.mail.stepsMax - 11)
    }

    @Test(arguments: [1, 2, 3, SeededRandom.runSeed])
    func allKindsTogetherStayWithinTheBoundOfATurn(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            var waiting = LoopTask.allCases
            while let work = waiting.randomElement(using: &random) {
                guard budget.isLeft(for: work) else {
                    waiting.removeAll { $0 == work }
                    continue
                }
                budget.begin(work, .random(in: 1...300, using: &random))
                if Bool.random(using: &random) { budget.add(.random(in: 0...50, using: &random)) }
            }
            budget.endTurn(countingIn: meters)
        }
        for task in meters.tasks {
            #expect((1...task.stepsMax).contains(task.mostSteps), "\(task.kind)")
            #expect(task.turns.value == 200)
        }
        #expect(LoopTask.allCases.allSatisfy { budget.left(for: $0) == $0.stepsMax })
    }

    @Test func aTurnWithoutWorkIsNotCounted() {
        budget.endTurn(countingIn: meters)
        #expect(meters.tasks.allSatisfy { $0.turns.value == 0 })
        budget.begin(.mail, 4)
        budget.endTurn(countingIn: meters)
        #expect(highest("mail") == 1 && highest("all") == 1)
    }
}
