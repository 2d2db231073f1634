import TestSupport
import Testing

@testable import HTTPFront

/// What is left of a turn that has lasted long.
@Suite struct LateTurnTests {
    private static let patient: [LoopTask] = [
        .longRequests, .messages, .hangUps, .encodings, .reads, .judgements, .deadlines, .drains,
        .removals,
    ]
    private static var urgent: [LoopTask] { LoopTask.allCases.filter { !patient.contains($0) } }

    private let time = TurnTime()
    private let budget: TurnBudget
    private let meters = LoopMeters()

    init() {
        budget = TurnBudget(clock: time.look)
        budget.beginTurn(at: 0)
    }

    /// Lets so much time pass, and does enough for somebody to look at the clock.
    private func work(_ work: LoopTask, lasting microseconds: Int) {
        time.pass(microseconds)
        budget.begin(work, HTTPFrontLimits.stepsPerLook)
    }

    @Test func aTurnThatTookItsTimeLeavesWhatCanWaitToTheNext() {
        budget.begin(.deadlines, HTTPFrontLimits.lateStepsPerKind)
        #expect(budget.isLeft(for: .deadlines))
        work(.messages, lasting: HTTPFrontLimits.punctualMicrosecondsMax)
        for work in [LoopTask.deadlines, .messages] { #expect(!budget.isLeft(for: work)) }
        for work in Self.patient where ![.deadlines, .messages].contains(work) {
            #expect(budget.left(for: work) == HTTPFrontLimits.lateStepsPerKind)
        }
        budget.endTurn(countingIn: meters)
        budget.beginTurn(at: 0)
        for work in LoopTask.allCases { #expect(budget.left(for: work) == work.stepsMax) }
    }

    @Test func requestsAndNewsKeepTheirShareOfALateTurn() {
        work(.messages, lasting: HTTPFrontLimits.punctualMicrosecondsMax)
        for work in Self.urgent { #expect(budget.left(for: work) == work.share) }
    }

    @Test func aTurnIsNotLateBeforeItsTime() {
        work(.writes, lasting: HTTPFrontLimits.punctualMicrosecondsMax - 1)
        #expect(budget.left(for: .messages) == LoopTask.messages.stepsMax)
        work(.writes, lasting: 1)
        #expect(budget.left(for: .messages) == HTTPFrontLimits.lateStepsPerKind)
    }

    @Test func whatIsLargeFindsNoMoreRoomAtTheEndOfALateTurnAndWhatIsSmallDoes() {
        work(.messages, lasting: HTTPFrontLimits.punctualMicrosecondsMax)
        #expect(budget.hasRoomForMuch)
        budget.begin(.writes, HTTPFrontLimits.lateStepsPerKind)
        #expect(!budget.hasRoomForMuch)
        budget.giveRest()
        #expect(!budget.hasRoomForMuch && budget.isLeft(for: .writes))
        budget.endTurn(countingIn: meters)
        #expect(meters.turnsCutShort.value == 1)
    }

    @Test func aPieceThatWasMadeBecauseThereWasRoomIsWrittenInALateTurn() {
        budget.add(LoopTask.writes.share, to: .writes)
        work(.messages, lasting: HTTPFrontLimits.punctualMicrosecondsMax)
        #expect(!budget.isLeft(for: .writes) && budget.hasRoomForPiece)
        budget.add(HTTPFrontLimits.sharedStepsPerTurn, to: .writes)
        #expect(!budget.hasRoomForPiece)
    }

    @Test func aTurnThatIsLateAtOnceHasSomeHalfOfItsSteps() {
        let steps = LoopTask.allCases.reduce(0) { $0 + $1.lateShare }
        #expect(steps * 100 / LoopTask.stepsPerTurnMax < 55)
    }

    @Test(arguments: LoopTask.allCases)
    func eachKindOfWorkAdvancesInEveryTurnHoweverSlowTheMachineIs(greedy: LoopTask) {
        work(greedy, lasting: 1_000_000)
        budget.begin(greedy, 1_000_000)
        for work in LoopTask.allCases where work != greedy { #expect(budget.isLeft(for: work)) }
    }

    /// Things of all kinds wait, and a turn is late as soon as anybody looks.
    @Test(arguments: [1, 2, 3, SeededRandom.runSeed])
    func nobodyWaitsForEver(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let time = TurnTime.ofASlowMachine
        let budget = TurnBudget(clock: time.look)
        let queues = LoopTask.allCases.map { work in
            let queue = TurnQueue<Int>()
            for number in 0..<100 { queue.append(number) }
            return (work, queue)
        }
        var done = Array(repeating: 0, count: queues.count)
        var turns = 0
        while queues.contains(where: { !$0.1.isEmpty }) {
            turns += 1
            budget.beginTurn(at: 0)
            for (work, queue) in queues.shuffled(using: &random) where !queue.isEmpty {
                let before = done[work.rawValue]
                queue.run(while: { budget.isLeft(for: work) }) { number in
                    #expect(number == done[work.rawValue])
                    done[work.rawValue] += 1
                    budget.begin(work, .random(in: 1...300, using: &random))
                }
                #expect(done[work.rawValue] > before, "\(work) in turn \(turns), seed \(seed)")
            }
            budget.endTurn(countingIn: meters)
        }
        #expect(turns <= 100)
        for task in meters.tasks { #expect(task.mostSteps <= task.stepsMax, "\(task.kind)") }
    }

    @Test func aLateTurnCountsAsCutShortWhenItLeavesSomethingThatHadSteps() {
        work(.messages, lasting: HTTPFrontLimits.punctualMicrosecondsMax)
        budget.endTurn(countingIn: meters)
        #expect(meters.turnsCutShort.value == 0)
        budget.beginTurn(at: 0)
        work(.messages, lasting: HTTPFrontLimits.punctualMicrosecondsMax)
        for _ in 0..<2 { #expect(!budget.isLeft(for: .messages)) }
        budget.endTurn(countingIn: meters)
        #expect(meters.turnsCutShort.value == 1)
    }

    @Test func aTurnWhoseStepsAreTakenIsNotCutShortByTheClock() {
        budget.begin(.messages, LoopTask.messages.stepsMax)
        work(.mail, lasting: HTTPFrontLimits.punctualMicrosecondsMax)
        #expect(!budget.isLeft(for: .messages))
        budget.endTurn(countingIn: meters)
        #expect(meters.turnsCutShort.value == 0)
    }

    @Test func theClockIsLookedAtOnceForManySteps() {
        for _ in 0..<LoopTask.mail.stepsMax {
            _ = budget.isLeft(for: .mail)
            budget.begin(.mail, 1)
        }
        #expect(time.looks == 1 + LoopTask.mail.stepsMax / HTTPFrontLimits.stepsPerLook)
    }

    @Test func theClockOfALateTurnIsNotLookedAt() {
        work(.messages, lasting: HTTPFrontLimits.punctualMicrosecondsMax)
        let looks = time.looks
        budget.begin(.messages, 1_000)
        #expect(time.looks == looks)
    }
}
