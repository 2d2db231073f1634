internal import Dispatch

/// The moment at which a delivering thread leaves, for a thread that waits for it.
final class Departure: Sendable {
    private let group = DispatchGroup()

    init() {
        group.enter()
    }

    /// Lets the waiting thread go on; once.
    func leave() { group.leave() }

    /// Returns when the delivering thread has left.
    func wait() { group.wait() }
}
