/// Runs of a simulated bus by their seeds, and what they find.
package enum Simulation {
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

    /// Steps of one run.
    package static let steps = 250

    /// Runs one seed. Nil where every promise was kept.
    package static func run(
        seed: UInt64, steps: [Int] = Array(0..<steps), fault: SimulatedFault? = nil
    ) throws -> Finding? {
        let simulation = try BusSimulation(seed: seed, fault: fault)
        return try simulation.run(steps).map { Finding(seed: seed, steps: steps, text: $0) }
    }

    /// The same finding with as few steps as leaving out one part after the other gives: halves
    /// first, then smaller parts.
    ///
    /// - Complexity: O(steps²) runs at the worst, mostly some hundred.
    package static func shrink(
        _ finding: Finding, fault: SimulatedFault? = nil
    ) throws -> Finding {
        var shortest = finding
        var size = max(1, finding.steps.count / 2)
        while true {
            var isShorter = false
            var start = 0
            while start < shortest.steps.count {
                var steps = shortest.steps
                steps.removeSubrange(start..<min(start + size, steps.count))
                if let found = try run(seed: finding.seed, steps: steps, fault: fault),
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
    package static func story(
        of finding: Finding, fault: SimulatedFault? = nil
    ) throws -> [String] {
        let simulation = try BusSimulation(seed: finding.seed, fault: fault, isTraced: true)
        let text = try simulation.run(finding.steps)
        return simulation.trace + [text ?? "nothing was found this time"]
    }
}
