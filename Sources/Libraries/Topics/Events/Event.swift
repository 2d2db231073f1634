/// One event as it was accepted: nothing in it ever changes.
///
/// The log, the encodings and every reader share the one object.
public final class Event: Sendable {
    /// Its place in the order of the bus.
    public let id: EventID
    /// When it was accepted; never below the time of the event before it.
    public let time: Timestamp
    /// The topic it was published to.
    public let topic: TopicName
    /// Its bytes, as they were published.
    public let payload: Payload
    /// The fields that the publisher gave it.
    public let metadata: EventMetadata
    /// The publisher, as far as the kernel identified it.
    public let sender: Sender
    /// Whether the store can read it again once memory lets it go.
    package let isStored: Bool
    /// Whether it is a dead letter that was published again.
    package let isRevived: Bool

    /// An event that a store committed; only stores make them.
    package init(
        id: EventID, time: Timestamp, topic: TopicName, payload: Payload,
        metadata: EventMetadata, sender: Sender, isStored: Bool, isRevived: Bool = false
    ) {
        self.id = id
        self.time = time
        self.topic = topic
        self.payload = payload
        self.metadata = metadata
        self.sender = sender
        self.isStored = isStored
        self.isRevived = isRevived
    }

    /// The same event, as a dead letter that was published again.
    var revived: Event {
        Event(
            id: id, time: time, topic: topic, payload: payload, metadata: metadata,
            sender: sender, isStored: isStored, isRevived: true)
    }

    /// The memory that the event takes, with its part of the log's tables, in bytes.
    package var memoryBytes: Int {
        Overhead.eventBytes + payload.count + metadata.memoryBytes
    }
}

extension [Event] {
    /// The memory that the events take, in bytes.
    var memoryBytes: Int { reduce(0) { $0 + $1.memoryBytes } }
}

/// The publisher of an event, as the kernel identified it; nil properties are not known.
public struct Sender: Hashable, Sendable {
    /// The user id.
    public let uid: UInt32?
    /// The process id; only the unix socket tells it.
    public let pid: Int32?

    /// A sender, as far as it is known.
    public init(uid: UInt32?, pid: Int32?) {
        self.uid = uid
        self.pid = pid
    }

    /// Nothing is known.
    public static let unknown = Sender(uid: nil, pid: nil)
}
