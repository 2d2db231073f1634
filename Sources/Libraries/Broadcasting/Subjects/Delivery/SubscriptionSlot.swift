internal import Protection

/// The place where a subscriber keeps its one subscription, until the end.
///
/// Can be cancelled before the subscription has come.
final class SubscriptionSlot: Cancellable {
    private struct State {
        var subscription: (any Subscription)?
        var isTaken = false
        var droppedCount = 0
    }

    private let state = Protected(State())

    /// Keeps the first subscription, unless it is cancelled already; cancels all others.
    ///
    /// - Returns: Whether it was kept.
    func fill(_ subscription: any Subscription) -> Bool {
        let isFree = state.write { state in
            guard !state.isTaken else { return false }
            state.isTaken = true
            state.subscription = subscription
            return true
        }
        if !isFree { subscription.cancel() }
        return isFree
    }

    func cancel() {
        let subscription = state.write { state in
            state.isTaken = true
            return state.subscription
        }
        subscription?.cancel()
        empty()
    }

    /// Lets go of the subscription, which has ended.
    func empty() {
        guard let subscription = state.value.subscription else { return }
        let count = subscription.droppedCount
        state.write {
            $0.droppedCount = count
            $0.subscription = nil
        }
    }

    /// How many values the subscription has dropped, or had dropped when it was let go of.
    var droppedCount: Int {
        let state = state.value
        return state.subscription?.droppedCount ?? state.droppedCount
    }
}
