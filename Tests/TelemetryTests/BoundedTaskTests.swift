import Telemetry
import Testing

@Suite struct BoundedTaskTests {
    @Test func aTurnBeginsThingsUntilItsStepsAreTaken() {
        let work = BoundedTask("looks", stepsMax: 10)
        work.begin(6)
        #expect(work.isLeft && work.left == 4)
        work.begin(6)
        #expect(!work.isLeft && work.left == 0)
        work.endTurn()
        #expect(work.left == 10)
        // The second thing began at the seventh step.
        #expect(work.mostSteps == 7)
    }

    @Test func theLongestTurnIsKept() {
        let work = BoundedTask("looks", stepsMax: 10)
        for steps in [2, 9, 0, 3] {
            for _ in 0..<steps { work.begin() }
            work.endTurn()
        }
        #expect(work.mostSteps == 9 && work.turns.value == 3)
        for _ in 0..<11 { work.begin() }
        #expect(work.mostSteps > work.stepsMax)
        work.endTurn()
        work.countTurn(of: 12)
        #expect(work.mostSteps == 12 && work.turns.value == 5 && work.left == 10)
    }

    @Test func thePageHasEachKindOnceForAllThatDoIt() {
        let works = (1...2).map { number in
            let work = BoundedTask("looks", stepsMax: 10)
            work.countTurn(of: number)
            return work
        }
        var page = PrometheusText()
        page.write(works + [BoundedTask("again", stepsMax: 7)])
        let lines = String(decoding: page.bytes, as: UTF8.self).split(separator: "\n")
        #expect(
            lines.filter { !$0.hasPrefix("#") } == [
                "belfry_turns_total{kind=\"again\"} 0", "belfry_turns_total{kind=\"looks\"} 2",
                "belfry_turn_steps_highest{kind=\"again\"} 0",
                "belfry_turn_steps_highest{kind=\"looks\"} 2",
                "belfry_turn_steps_bound{kind=\"again\"} 7",
                "belfry_turn_steps_bound{kind=\"looks\"} 10",
            ])
    }
}
