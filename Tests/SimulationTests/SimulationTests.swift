import Simulation
import TestSupport
import Testing

/// A simulated bus: `make sim` runs more of it, and docs/simulation.md says how.
@Suite(.blocking) struct SimulationTests {
    private static let seeds: UInt64 = 60

    @Test func noPromiseIsBrokenByFaultsKillsAndLossesOfPower() throws {
        let found = FirstFinding()
        try inParallel(2) { job in
            for seed in 1...Self.seeds where seed % 2 == UInt64(job) && found.value == nil {
                if let finding = try Simulation.run(.bus(nil), seed: seed) { found.note(finding) }
            }
        }
        #expect(found.value == nil)
    }

    @Test(arguments: SimulatedFault.allCases)
    func aFaultPlantedOnPurposeIsFound(fault: SimulatedFault) throws {
        var found: Simulation.Finding?
        for seed in 1...40 as ClosedRange<UInt64> where found == nil {
            found = try Simulation.run(.bus(fault), seed: seed)
        }
        #expect(found != nil)
    }

    @Test func aFindingShrinksToAShortStory() throws {
        let fault = SimulatedFault.publishesTwice
        let finding = try #require(try Simulation.run(.bus(fault), seed: 1))
        let shortest = try Simulation.shrink(finding, of: .bus(fault))
        #expect(shortest.steps.count < 20)
        let story = try Simulation.story(of: shortest, .bus(fault))
        #expect(story.last == shortest.text)
    }
}
