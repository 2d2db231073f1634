import Protection

/// The finding of the lowest seed that several threads have.
package final class FirstFinding: Sendable {
    private let first = Protected<Simulation.Finding?>(nil)

    package init() {}

    package var value: Simulation.Finding? { first.value }

    package func note(_ finding: Simulation.Finding) {
        first.write { first in
            if finding.seed < first?.seed ?? .max { first = finding }
        }
    }
}
