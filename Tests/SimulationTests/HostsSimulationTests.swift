import Protection
import Simulation
import TestSupport
import Testing

/// A simulated bus of three hosts: `make sim ARGS='--of hosts'` runs more of it.
@Suite(.blocking) struct HostsSimulationTests {
    private static let seeds: UInt64 = 60

    @Test func noPromiseIsBrokenByHostsOrdersAndReadersThatChangeHost() throws {
        let (found, met) = (FirstFinding(), Protected<Set<HostsEvent>>([]))
        try inParallel(2) { job in
            for seed in 1...Self.seeds where seed % 2 == UInt64(job) && found.value == nil {
                let run = try Simulation.runHosts(seed: seed)
                if let finding = run.finding { found.note(finding) }
                met.write { $0.formUnion(run.met) }
            }
        }
        #expect(found.value == nil)
        // Else the runs show less than they seem to.
        #expect(met.value == Set(HostsEvent.allCases))
    }

    @Test(arguments: HostsFault.allCases)
    func aFaultPlantedOnPurposeIsFound(fault: HostsFault) throws {
        var found: Simulation.Finding?
        for seed in 1...40 as ClosedRange<UInt64> where found == nil {
            found = try Simulation.run(.hosts(fault), seed: seed)
        }
        #expect(found != nil)
    }
}
