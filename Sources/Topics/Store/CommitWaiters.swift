internal import Protection
internal import Synchronization

/// Who is on the way to the lock of a ``CommitLine``: comes in before it, and out inside of it.
///
/// So, to whoever has the lock, somebody at the door is somebody who will have it later. That lock
/// orders all that counts; what is loaded here needs no order of its own.
final class CommitDoor: Sendable {
    private let count = Atomic(0)
    /// The thread that wants to be relieved.
    private let tired = ThreadMark()

    /// Whether somebody will have the lock later.
    var isSomebodyThere: Bool { count.load(ordering: .relaxed) > 0 }

    /// Comes in. Stays a moment where somebody wants to be relieved, so as to be seen, but waits
    /// for nobody: what is committed meanwhile may wait for this thread.
    func comeIn() {
        count.wrappingAdd(1, ordering: .relaxed)
        for _ in 0..<Limits.doorLooksMax {
            guard tired.isSet, !tired.isOwn() else { return }
        }
    }

    /// Goes out. With the lock.
    func goOut() { count.wrappingSubtract(1, ordering: .relaxed) }

    /// Says whether this thread, which commits, wants to be relieved. With the lock.
    func wantRelief(_ isTurnOver: Bool) {
        if isTurnOver { tired.set() } else { tired.clear() }
    }
}
