internal import Dispatch

/// The moment at which a delivering thread leaves, for a thread that waits for it.
@usableFromInline
final class Departure: Sendable {
    private let group = DispatchGroup()

    @usableFromInline
    init() {
        group.enter()
    }

    /// Lets the waiting thread go on; once.
    @usableFromInline
    func leave() { group.leave() }

    /// Returns when the delivering thread has left.
    @usableFromInline
    func wait() { group.wait() }
}
