internal import HTTPFront
internal import Protection
internal import Topics

/// One loop's ear on the bus: gathers which topics changed, and wakes the loop once for all.
///
/// Safe from any thread. A topic admitted before ``take(for:)`` is in what it returns; one admitted
/// after it wakes the loop anew.
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

    private let changes = Protected(Changes())
    private let loop: LoopHandle

    init(loop: LoopHandle) { self.loop = loop }

    func admitted(_ admission: Admission) {
        let wasIdle = changes.write { changes in
            let wasIdle = changes.isEmpty
            changes.topics.insert(admission.topic)
            changes.through = admission.newest
            if admission.change == .removal { changes.removed[admission.topic] = admission.newest }
            return wasIdle
        }
        if wasIdle { loop.post { handler in (handler as! BusHandler).deliver() } }
    }

    /// Hands over what has changed, in exchange for empty changes with their memory.
    func take(for empty: inout Changes) {
        changes.write { swap(&$0, &empty) }
    }
}
