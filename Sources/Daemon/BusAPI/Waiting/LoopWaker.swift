internal import Protection
internal import Topics

/// One loop's ear on the bus: gathers which topics changed for somebody, and wakes the loop once for all.
/// What nobody waits for wakes no loop.
///
/// Safe from any thread. A topic admitted before ``take(for:)`` is in what it returns; one admitted
/// after it wakes the loop anew.
final class LoopWaker: TopicObserver {
    /// What has changed since it was last asked.
    struct Changes {
        /// Topics with new events for somebody, or that were removed.
        var topics: Set<TopicName> = []
        /// Topics that were removed, each with the place of its last removal.
        var removed: [TopicName: EventID] = [:]
        /// The newest id of all changes: there are no others up to here that anybody waited for.
        var through = EventID.zero

        var isEmpty: Bool { topics.isEmpty }

        /// Forgets them, and keeps their memory for the next.
        mutating func clear() {
            topics.removeAll(keepingCapacity: topics.count <= Limits.keptTopicsMax)
            removed.removeAll()
            through = .zero
        }
    }

    private struct State {
        var changes = Changes()
        /// How many wait here for all changes, and are no subscribers.
        var onlookers = 0
    }

    private let state = Protected(State())
    /// Has the loop take what changed.
    private let wake: @Sendable () -> Void

    init(_ wake: @escaping @Sendable () -> Void) { self.wake = wake }

    func admitted(_ admission: Admission) {
        let isFirst = state.write { state in
            state.changes.through = admission.newest
            let isRemoval = admission.change == .removal
            guard admission.subscribers > 0 || isRemoval || state.onlookers > 0 else {
                return false
            }
            let isFirst = state.changes.isEmpty
            state.changes.topics.insert(admission.topic)
            if isRemoval { state.changes.removed[admission.topic] = admission.newest }
            return isFirst
        }
        if isFirst { wake() }
    }

    /// Counts who waits for all changes, before they look: one more or one less.
    func countOnlooker(_ change: Int) { state.write { $0.onlookers += change } }

    /// How far nothing was admitted that is still to be taken; nil where something was.
    var quietThrough: EventID? {
        state.read { $0.changes.isEmpty ? $0.changes.through : nil }
    }

    /// Hands over what has changed, in exchange for empty changes with their memory.
    func take(for empty: inout Changes) {
        state.write { swap(&$0.changes, &empty) }
    }
}
