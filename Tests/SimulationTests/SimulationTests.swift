import Protection
import TestSupport
import Testing

@testable import Simulation

/// Simulated buses: `make sim` runs more of them, and Tests/Simulation/README.md says how.
@Suite(.blocking) struct SimulationTests {
    /// Runs the seeds from 1 on two threads until one finds something.
    private static func run(
        _ seeds: UInt64, _ body: @Sendable @escaping (UInt64) throws -> Simulation.Finding?
    ) throws -> Simulation.Finding? {
        let found = FirstFinding()
        try inParallel(2) { job in
            for seed in 1...seeds where seed % 2 == UInt64(job) && found.value == nil {
                if let finding = try body(seed) { found.note(finding) }
            }
        }
        return found.value
    }

    @Test func noPromiseIsBrokenByFaultsKillsAndLossesOfPower() throws {
        #expect(try Self.run(200) { try Simulation.run(.bus(nil), seed: $0) } == nil)
    }

    @Test func noPromiseIsBrokenByHostsOrdersAndReadersThatChangeHost() throws {
        let met = Protected<Set<HostsEvent>>([])
        let found = try Self.run(100) { seed in
            let run = try Simulation.runHosts(seed: seed)
            met.write { $0.formUnion(run.met) }
            return run.finding
        }
        #expect(found == nil)
        // Else the runs show less than they seem to.
        #expect(met.value == Set(HostsEvent.allCases))
    }

    @Test(arguments: Simulation.Subject.faulty)
    func aFaultPlantedOnPurposeIsFound(subject: Simulation.Subject) throws {
        var found: Simulation.Finding?
        for seed in 1...40 as ClosedRange<UInt64> where found == nil {
            found = try Simulation.run(subject, seed: seed)
        }
        #expect(found != nil)
    }

    /// The folders of its hosts too: a hundred thousand seeds run in one process.
    @Test(arguments: [Simulation.Subject.bus(nil), .hosts(nil)])
    func aRunThatIsOverLeavesNothingBehind(subject: Simulation.Subject) throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            weak var left: AnyObject?
            do {
                let run = try subject.begin(seed: seed)
                #expect(try run.run(Array(0..<Simulation.steps)) == nil)
                left = run
            }
            #expect(left == nil, "seed \(seed)")
        }
    }

    @Test func aFindingShrinksToAShortStory() throws {
        let subject = Simulation.Subject.bus(.publishesTwice)
        var found: Simulation.Finding?
        for seed in 1...40 as ClosedRange<UInt64> where found == nil {
            found = try Simulation.run(subject, seed: seed)
        }
        let finding = try #require(found)
        let shortest = try Simulation.shrink(finding, of: subject)
        #expect(shortest.steps.count < 20)
        let story = try Simulation.story(of: shortest, subject)
        #expect(story.last == shortest.text)
    }
}
