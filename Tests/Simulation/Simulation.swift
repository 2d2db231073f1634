/// Runs by their seeds, and what they find.
package enum Simulation {
    /// The thing that is simulated, perhaps with a fault that is planted on purpose.
    package enum Subject: Sendable {
        /// A bus of one host.
        case bus(SimulatedFault?)
        /// A bus of three hosts on one order.
        case hosts(HostsFault?)

        /// Every fault of every kind.
        package static let faulty: [Subject] =
            SimulatedFault.allCases.map { .bus($0) } + HostsFault.allCases.map { .hosts($0) }

        func begin(seed: UInt64, isTraced: Bool = false) throws -> any SimulatedRun {
            switch self {
            case .bus(let fault):
                try BusSimulation(seed: seed, fault: fault, isTraced: isTraced)
            case .hosts(let fault):
                try HostsSimulation(seed: seed, fault: fault, isTraced: isTraced)
            }
        }
    }

    /// A broken promise, and how to have it again.
    package struct Finding: Sendable, CustomStringConvertible {
        /// The seed of the run.
        package let seed: UInt64
        /// The steps of it that are enough.
        package let steps: [Int]
        /// The promise, and how it was broken.
        package let text: String

        /// The promise without its numbers.
        var kind: String { text.filter { !$0.isNumber } }

        package var description: String { "seed \(seed), \(steps.count) steps: \(text)" }
    }

    /// Runs one seed of three hosts. Returns the things that it met, too.
    package static func runHosts(
        seed: UInt64
    ) throws -> (finding: Finding?, met: Set<HostsEvent>) {
        let (run, steps) = (try HostsSimulation(seed: seed), Array(0..<steps))
        let text = try run.run(steps)
        return (text.map { Finding(seed: seed, steps: steps, text: $0) }, run.met)
    }

    /// Steps of one run.
    package static let steps = 250

    /// Runs one seed. Nil where every promise was kept.
    package static func run(
        _ subject: Subject, seed: UInt64, steps: [Int] = Array(0..<steps)
    ) throws -> Finding? {
        try subject.begin(seed: seed).run(steps).map { Finding(seed: seed, steps: steps, text: $0) }
    }

    /// The same finding with as few steps as leaving out one part after the other gives: halves
    /// first, then smaller parts.
    ///
    /// - Complexity: O(steps²) runs at the worst, mostly some hundred.
    package static func shrink(_ finding: Finding, of subject: Subject) throws -> Finding {
        var shortest = finding
        var size = max(1, finding.steps.count / 2)
        while true {
            var isShorter = false
            var start = 0
            while start < shortest.steps.count {
                var steps = shortest.steps
                steps.removeSubrange(start..<min(start + size, steps.count))
                if let found = try run(subject, seed: finding.seed, steps: steps),
                    found.kind == finding.kind
                {
                    shortest = found
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { return shortest }
            if !isShorter { size = max(1, size / 2) }
        }
    }

    /// The story of a finding, a line for each thing that happened.
    package static func story(of finding: Finding, _ subject: Subject) throws -> [String] {
        let simulation = try subject.begin(seed: finding.seed, isTraced: true)
        let text = try simulation.run(finding.steps)
        return simulation.lines + [text ?? "nothing was found this time"]
    }
}
