import TestSupport

@testable import BusAPI

extension BackgroundReads {
    /// Holds their thread until the gate is opened; whatever is added meanwhile waits behind it.
    func hold() throws -> Gate {
        let (held, gate) = (Gate(), Gate())
        add(for: nil, unless: Cancellation()) {
            held.open()
            _ = try? gate.wait()
            return false
        }
        try held.wait()
        return gate
    }
}
