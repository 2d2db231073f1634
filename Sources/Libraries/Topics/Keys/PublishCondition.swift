/// A condition of a publish: where it does not hold, nothing is published.
///
/// The store decides it at the place that the publish takes in the order. So of two publishers that saw the same
/// newest event, one is first, and the condition of the other one does not hold any more.
public enum PublishCondition: Hashable, Sendable {
    /// The event of this id is the newest that the topic has had since it was made, retained or not. An id of zero:
    /// the topic is there, and has had none.
    case newest(EventID)
    /// The topic is there.
    case exists
    /// There is no such topic.
    case isNew

    /// Whether it holds for a topic of this version.
    package func holds(for version: TopicVersion) -> Bool {
        switch self {
        case .newest(.zero): version.exists && version.newest == .zero
        case .newest(let id): version.newest == id
        case .exists: version.exists
        case .isNew: !version.exists
        }
    }
}

/// The state of a topic, for conditions of publishes.
public struct TopicVersion: Hashable, Sendable {
    /// Whether there is the topic: it is registered, or has events.
    public let exists: Bool
    /// The newest event that it has had since it was made. It stays where the topic vanishes with its last event, as
    /// long as the bus knows the losses of the topic, and is forgotten where the topic is removed. Zero for none.
    public let newest: EventID

    /// A version as given.
    package init(exists: Bool, newest: EventID) {
        self.exists = exists
        self.newest = newest
    }

    /// Why a condition refuses a publish to a topic of this version; nil where it does not.
    package func refusal(of condition: PublishCondition) -> BusError? {
        guard !condition.holds(for: self) else { return nil }
        return .conditionFailed(newest: known)
    }

    /// The condition that a topic still has this version.
    public var condition: PublishCondition {
        known.map { .newest($0) } ?? .isNew
    }

    /// The newest event, as a refusal says it: nil where there is no topic, and nothing is known of one that vanished.
    package var known: EventID? { exists || newest > .zero ? newest : nil }
}

extension EventLog {
    /// The version of a topic.
    mutating func version(of topic: TopicName, now: Timestamp) -> TopicVersion {
        if let record = records[topic] { applyRetention(to: record, at: now) }
        guard let record = records[topic] else {
            return TopicVersion(exists: false, newest: tombstones.newest(of: topic))
        }
        return TopicVersion(exists: true, newest: record.newestEver)
    }

    /// The store has refused a publish to a topic, and said its newest event; nil where there is none. It may remember
    /// a topic that vanished longer than the log does, or less long.
    mutating func takeOver(newest: EventID?, of topic: TopicName) {
        records[topic]?.newestBefore = newest ?? .zero
        tombstones.set(newest: newest ?? .zero, of: topic)
    }
}

extension EventBus {
    /// The version of a topic at this moment, for the condition of a publish.
    ///
    /// - Complexity: O(1), and that of the events that retention removes meanwhile.
    public func version(of topic: TopicName) -> TopicVersion {
        let now = clock.now()
        return withLog { $0.version(of: topic, now: now) }
    }
}
