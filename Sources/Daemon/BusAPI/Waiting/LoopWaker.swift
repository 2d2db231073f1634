internal import Protection
internal import Topics

/// The observer of the bus for one loop. It gathers the topics that changed and have waiting
/// requests, and wakes the loop once for all of them. A change that nobody waits for wakes no loop.
///
/// Safe from any thread. ``take(for:)`` returns all changes that were admitted before it. A change
/// that is admitted after it wakes the loop anew.
final class LoopWaker: TopicObserver {
    /// The changes since they were last taken.
    struct Changes {
        /// Topics with new events for somebody, or that were removed.
        var topics: Set<TopicName> = []
        /// Topics that were removed, each with the place of its last removal.
        var removed: [TopicName: EventID] = [:]
        /// The newest admitted id. There are no other changes up to here that anybody waited for.
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
        /// Number of requests here that wait for all changes, and are no subscribers.
        var onlookers = 0
    }

    private let state = Protected(State())
    /// Has the loop take the changes.
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

    /// Counts one more or one less request that waits for all changes, before it looks.
    func countOnlooker(_ change: Int) { state.write { $0.onlookers += change } }

    /// Id up to which all admitted changes were taken; nil if some are still to be taken.
    var quietThrough: EventID? {
        state.read { $0.changes.isEmpty ? $0.changes.through : nil }
    }

    /// Hands over the changes, in exchange for empty changes with their memory.
    func take(for empty: inout Changes) {
        state.write { swap(&$0.changes, &empty) }
    }
}
