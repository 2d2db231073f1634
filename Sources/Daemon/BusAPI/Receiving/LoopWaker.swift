internal import HTTPFront
internal import Protection
internal import Topics

/// One loop's ear on the bus: gathers which topics changed, and wakes the loop once for all. It sleeps
/// while nobody waits on its loop, so that a publish that concerns nobody there costs it nothing.
///
/// Safe from any thread. A topic admitted before ``take(for:)`` is in what it returns; one admitted
/// after it wakes the loop anew. Whoever looks at the log behind ``listen()`` sees what was admitted
/// before it, and is told of what was admitted after it.
final class LoopWaker: TopicObserver {
    /// What has changed since it was last asked.
    struct Changes {
        /// Topics with new events, or that were removed.
        var topics: Set<TopicName> = []
        /// Topics that were removed, each with the place of its last removal.
        var removed: [TopicName: EventID] = [:]
        /// The newest id of these changes: there are no others up to here.
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
        var isListening = false
    }

    private let state = Protected(State())
    private let loop: LoopHandle

    init(loop: LoopHandle) { self.loop = loop }

    /// Gathers what changes from now on.
    func listen() { state.write { $0.isListening = true } }

    /// Sleeps until it is to listen again, unless something has changed; false where something has.
    func rest() -> Bool {
        state.write { state in
            if state.changes.isEmpty { state.isListening = false }
            return !state.isListening
        }
    }

    func admitted(_ admission: Admission) {
        let isFirst = state.write { state in
            guard state.isListening else { return false }
            let isFirst = state.changes.isEmpty
            state.changes.topics.insert(admission.topic)
            state.changes.through = admission.newest
            if admission.change == .removal {
                state.changes.removed[admission.topic] = admission.newest
            }
            return isFirst
        }
        if isFirst { loop.post { handler in (handler as! BusHandler).deliver() } }
    }

    /// Hands over what has changed, in exchange for empty changes with their memory.
    func take(for empty: inout Changes) {
        state.write { swap(&$0.changes, &empty) }
    }
}
