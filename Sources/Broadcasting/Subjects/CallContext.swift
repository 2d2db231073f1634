internal import Synchronization

/// Whether this thread is inside of a call to some subscriber, where nobody may be waited for.
///
/// Held as a task-local value, which threads outside of any task have too. A task made inside of
/// a call inherits the value, but counts as inside no longer than the call runs.
@usableFromInline
enum CallContext: Sendable {
    /// A subscription calls its subscriber, in this turn.
    case inside(any CallingSubscription, turn: Int)
    /// Something is released.
    case releasing(Release)

    /// Whether the release is over.
    @usableFromInline
    final class Release: Sendable {
        fileprivate let isOver = Atomic(false)
    }

    @TaskLocal static var current: CallContext?

    @usableFromInline static var mayWait: Bool {
        switch current {
        case nil: true
        case .inside(let subscription, let turn): !subscription.isCalling(in: turn)
        case .releasing(let release): release.isOver.load(ordering: .acquiring)
        }
    }

    /// Runs `body`, which calls the subscriber of `subscription`, in this turn.
    @usableFromInline
    static func calling(
        _ subscription: any CallingSubscription, turn: Int, _ body: () -> Void
    ) {
        $current.withValue(.inside(subscription, turn: turn), operation: body)
    }

    /// Runs `body` with cancellations that do not wait.
    static func withoutWaiting(_ body: () -> Void) {
        let release = Release()
        $current.withValue(.releasing(release)) { body() }
        release.isOver.store(true, ordering: .releasing)
    }
}

/// A subscription as seen from inside of its calls.
@usableFromInline
protocol CallingSubscription: AnyObject, Sendable {
    /// Whether a thread still is in this turn of calling the subscriber.
    func isCalling(in turn: Int) -> Bool
}
