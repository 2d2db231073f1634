/// Events that are published together to one topic: all of them, in order, or none.
///
/// An object, for on its way through store and log it is handed on often.
public final class PublishBatch: Sendable {
    /// Where they go.
    public let topic: TopicName
    /// What is said of each of them.
    public let attributes: EventAttributes
    /// Who publishes.
    public let sender: Sender
    /// One payload per event, at least one.
    public let payloads: [Payload]
    /// The bytes of all payloads.
    let payloadBytes: Int
    /// What the events will take in memory, in bytes.
    let memoryBytes: Int

    /// A batch of at least one event.
    public init(
        topic: TopicName, attributes: EventAttributes = .none, sender: Sender = .unknown,
        payloads: [Payload]
    ) {
        precondition(!payloads.isEmpty, "a batch for \(topic) without an event was published")
        self.topic = topic
        self.attributes = attributes
        self.sender = sender
        self.payloads = payloads
        var payloadBytes = 0
        for payload in payloads { payloadBytes += payload.count }
        self.payloadBytes = payloadBytes
        memoryBytes =
            payloadBytes + payloads.count * (Overhead.eventBytes + attributes.memoryBytes)
    }

    /// The same batch, with other copies of an equal topic and equal attributes.
    init(_ batch: PublishBatch, topic: TopicName, attributes: EventAttributes) {
        self.topic = topic
        self.attributes = attributes
        sender = batch.sender
        payloads = batch.payloads
        payloadBytes = batch.payloadBytes
        memoryBytes = batch.memoryBytes
    }

    /// What the batch takes while it waits for a store, in bytes.
    package var queuedBytes: Int { Overhead.queuedBatchBytes + memoryBytes }
}

/// What became of a batch that is in the log.
public struct PublishReceipt: Hashable, Sendable {
    /// The id of the first event.
    public let first: EventID
    /// The id of the last event.
    public let last: EventID
    /// How many events there are.
    public let count: Int
    /// The time of the last event.
    public let time: Timestamp
    /// Subscriptions that matched the topic at the moment of commit, filters aside.
    public let subscribers: Int
    /// Where the batch made its topic: another one whose name differs in the case of letters alone, of
    /// those that are all small, begin with a capital, or are all capitals; nil where there is none.
    public let namesake: TopicName?
}

/// Learns of every change that readers may wait for. Register with a `Broadcaster`.
public protocol TopicObserver: AnyObject, Sendable {
    /// Something became visible, and can be read already.
    ///
    /// Called in id order, one call at a time, outside every lock of the bus, on the thread that
    /// committed; it may publish and read, and should return quickly: publishers wait behind it.
    func admitted(_ admission: Admission)
}

/// One change of one topic.
public struct Admission: Hashable, Sendable {
    /// What happened.
    public enum Change: Hashable, Sendable {
        /// Events became visible.
        case events
        /// The topic was deleted; subscriptions to exactly this name end.
        case removal
    }

    /// The topic it happened to.
    public let topic: TopicName
    /// The newest visible id after it: the last event's, or the place of the removal.
    public let newest: EventID
    /// What happened.
    public let change: Change
    /// Subscriptions that matched the topic when its events became visible, filters aside: 0 where
    /// nobody waited for them. Of a removal it is 0.
    public let subscribers: Int
    /// Which bus it happened on: several may share a broadcaster.
    let hub: ObjectIdentifier
}
