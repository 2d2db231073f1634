import Telemetry
import TestSupport
import Testing

@Suite(.blocking) struct MemoryBudgetTests {
    @Test func eachUseIsCountedForItselfAndInTheSum() {
        let budget = MemoryBudget(bytesMax: 1_000)
        for (index, use) in MemoryBudget.Use.allCases.enumerated() {
            budget.charge(100 << index, to: use)
        }
        for (index, use) in MemoryBudget.Use.allCases.enumerated() {
            #expect(budget.used(use) == 100 << index)
        }
        let sum = 100 * ((1 << MemoryBudget.Use.allCases.count) - 1)
        #expect(budget.used == sum)
        #expect(budget.excess == sum - 1_000)
    }

    @Test func theExcessIsNothingUpToTheBoundAndExactBeyondIt() {
        let budget = MemoryBudget(bytesMax: 64)
        budget.charge(64, to: .events)
        #expect(budget.excess == 0)
        budget.charge(1, to: .unsent)
        #expect(budget.excess == 1)
        budget.release(64, from: .events)
        #expect(budget.excess == 0)
        #expect(budget.used == 1)
    }

    @Test func nothingIsLeftWhenAllThreadsGaveBackWhatTheyTook() throws {
        let budget = MemoryBudget(bytesMax: 1 << 20)
        try inParallel(8) { index in
            var random = SeededRandom(for: "budget, thread \(index)")
            for _ in 0..<2_000 {
                let use = MemoryBudget.Use.allCases.randomElement(using: &random) ?? .events
                let bytes = Int.random(in: 0...4_096, using: &random)
                budget.charge(bytes, to: use)
                budget.release(bytes, from: use)
            }
        }
        #expect(budget.used == 0)
        for use in MemoryBudget.Use.allCases { #expect(budget.used(use) == 0) }
    }
}
