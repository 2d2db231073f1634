internal import Protection
internal import Synchronization

/// The threads that wait for the lock of a ``CommitLine``: each arrives before it takes the lock,
/// and leaves with it.
///
/// So, to the thread that has the lock, a waiting thread is one that will have it later. That lock
/// orders all that counts, and the loads here need no order of their own.
final class CommitWaiters: Sendable {
    private let count = Atomic(0)
    /// The thread that wants to hand over.
    private let overdue = ThreadMark()

    /// Whether no other thread will have the lock later.
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Notes that this thread will take the lock. It stays a moment where another one wants to hand
    /// over, so as to be seen. It does not wait any longer: a callback of an entry that is
    /// committed meanwhile may wait for this thread.
    func arrive() {
        count.wrappingAdd(1, ordering: .relaxed)
        for _ in 0..<Limits.handOverLooksMax {
            guard overdue.isSet, !overdue.isOwn() else { return }
        }
    }

    /// This thread has the lock.
    func leave() { count.wrappingSubtract(1, ordering: .relaxed) }

    /// Tells the others whether this thread, which commits, wants to hand over. Call it with the
    /// lock.
    func requestHandOver(_ isTurnOver: Bool) {
        if isTurnOver { overdue.set() } else { overdue.clear() }
    }
}
