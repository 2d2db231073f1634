import TestSupport
import Testing

@testable import Topics

struct LogModelTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, SeededRandom.runSeed])
    func theLogAnswersAsItsModelDoes(seed: UInt64) throws {
        var pair = try LogAgainstModel(seed: seed)
        let difference = pair.run(steps: 3_000)
        #expect(difference == nil, "seed \(seed)")
    }

    @Test(arguments: [11, 12, 13, 14, SeededRandom.runSeed])
    func whatAStatedCursorSeesDoesNotDependOnSweeping(seed: UInt64) throws {
        var pair = try LogAgainstModel(seed: seed, sweeps: false)
        let difference = pair.run(steps: 3_000)
        #expect(difference == nil, "seed \(seed)")
    }

    @Test(arguments: LogAgainstModel.Fault.allCases)
    func aDeliveryBrokenOnPurposeIsCaught(fault: LogAgainstModel.Fault) throws {
        var pair = try LogAgainstModel(seed: 1, fault: fault)
        #expect(pair.run(steps: 3_000) != nil)
    }
}
