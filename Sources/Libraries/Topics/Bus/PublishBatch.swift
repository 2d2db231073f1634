/// Events that are published together to one topic: all of them, in order, or none.
///
/// A class, because a batch is handed on often on its way through store and log.
public final class PublishBatch: Sendable {
    /// The topic that the events go to.
    public let topic: TopicName
    /// The fields that all of the events have.
    public let metadata: EventMetadata
    /// The publisher.
    public let sender: Sender
    /// One payload per event, at least one.
    public let payloads: [Payload]
    /// The key with which a repeat makes no second event; nil for none.
    package let idempotencyKey: IdempotencyKey?
    /// The condition under which it is published; nil for none.
    public let condition: PublishCondition?
    /// The bytes of all payloads.
    let payloadBytes: Int
    /// The memory that the events will take, in bytes.
    let memoryBytes: Int

    /// A batch of at least one event.
    public convenience init(
        topic: TopicName, metadata: EventMetadata = .none, sender: Sender = .unknown,
        payloads: [Payload], condition: PublishCondition? = nil
    ) {
        self.init(
            topic: topic, metadata: metadata, sender: sender, payloads: payloads,
            idempotencyKey: nil, condition: condition)
    }

    /// The same, with a key.
    package init(
        topic: TopicName, metadata: EventMetadata, sender: Sender, payloads: [Payload],
        idempotencyKey: IdempotencyKey?, condition: PublishCondition? = nil
    ) {
        precondition(!payloads.isEmpty, "a batch for \(topic) without an event was published")
        self.topic = topic
        self.metadata = metadata
        self.sender = sender
        self.payloads = payloads
        self.idempotencyKey = idempotencyKey
        self.condition = condition
        var payloadBytes = 0
        for payload in payloads { payloadBytes += payload.count }
        self.payloadBytes = payloadBytes
        memoryBytes =
            payloadBytes + payloads.count * (Overhead.eventBytes + metadata.memoryBytes)
    }

    /// The same batch, with other copies of an equal topic and equal fields.
    init(_ batch: PublishBatch, topic: TopicName, metadata: EventMetadata) {
        self.topic = topic
        self.metadata = metadata
        sender = batch.sender
        payloads = batch.payloads
        idempotencyKey = batch.idempotencyKey
        condition = batch.condition
        payloadBytes = batch.payloadBytes
        memoryBytes = batch.memoryBytes
    }

    /// The same batch with a key.
    package func with(_ key: IdempotencyKey) -> PublishBatch {
        PublishBatch(
            topic: topic, metadata: metadata, sender: sender, payloads: payloads,
            idempotencyKey: key, condition: condition)
    }

    /// The same batch under a condition.
    package func under(_ condition: PublishCondition) -> PublishBatch {
        PublishBatch(
            topic: topic, metadata: metadata, sender: sender, payloads: payloads,
            idempotencyKey: idempotencyKey, condition: condition)
    }

    /// The entry of it in a table of keys, once a store has given it a place.
    package func known(from first: EventID, at time: Timestamp) -> KeyTable.Known? {
        idempotencyKey.map { key in
            KeyTable.Known(
                first: first, count: payloads.count, time: time, topic: topic, user: sender.uid,
                print: key.print, number: key.number, windowSeconds: key.windowSeconds)
        }
    }

    /// The events of the batch, once a store has given it a place: the first id, and a time.
    package func events(
        from first: UInt64, at time: Timestamp, isStored: Bool = false
    ) -> [Event] {
        func event(_ index: Int) -> Event {
            Event(
                id: EventID(rawValue: first + UInt64(index)), time: time, topic: topic,
                payload: payloads[index], metadata: metadata, sender: sender, isStored: isStored)
        }
        // Most batches are one event.
        return payloads.count == 1 ? [event(0)] : payloads.indices.map(event)
    }

    /// How many microseconds its events are of use from now on; nil for ever.
    package func ttl(at now: Timestamp) -> Int64? {
        metadata.expires.map { expires in
            let (left, isOver) = expires.microseconds.subtractingReportingOverflow(now.microseconds)
            return isOver ? .max : max(left, 0)
        }
    }

    /// The same events, of use for so many microseconds from a time on; nil for ever.
    package func lasting(_ ttl: Int64?, from time: Timestamp) -> PublishBatch {
        guard let ttl else { return self }
        let expires = min(time.advanced(microseconds: ttl), .latest)
        return PublishBatch(
            self, topic: topic, metadata: metadata.with(metadata.attributes, expires: expires))
    }

    /// The memory that the batch takes while it waits for a store, in bytes.
    package var queuedBytes: Int { Overhead.queuedBatchBytes + memoryBytes }
}

/// The result of a publish: the place of the batch in the log, and the subscriptions it met.
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
    /// Whether the events were there already: a publish with the same key has made them.
    public let standing: Standing
    /// If the batch made its topic: another topic whose name differs only in the case of letters.
    /// Three spellings are looked for: all small, with a first capital, and all capitals. Nil if
    /// there is none.
    public let namesake: TopicName?
}

extension PublishReceipt {
    /// Whether a publish made its events, or repeated one that had made them.
    public enum Standing: Hashable, Sendable {
        /// It made them.
        case new
        /// A publish with its key made them before. The receipt is of that one, and counts no
        /// subscriptions.
        case repeated
        /// A later publish of its series is in the log, and so were its own events. The receipt is of that
        /// later one.
        case passed
    }

    /// The receipt of events that a publish with the same key has made.
    init(_ known: KeyTable.Known, _ standing: Standing) {
        let last = EventID(rawValue: known.first.rawValue + UInt64(known.count) - 1)
        self.init(
            first: known.first, last: last, count: known.count, time: known.time, subscribers: 0,
            standing: standing, namesake: nil)
    }

    /// The place that a batch takes on an order that hosts share, as it is known before.
    package init(of batch: PublishBatch, at first: EventID, _ time: Timestamp) {
        let last = EventID(rawValue: first.rawValue + UInt64(batch.payloads.count) - 1)
        self.init(
            first: first, last: last, count: batch.payloads.count, time: time, subscribers: 0,
            standing: .new, namesake: nil)
    }
}

/// Learns of every change that readers may wait for. Register with a `Broadcaster`.
public protocol TopicObserver: AnyObject, Sendable {
    /// Something became visible, and can be read already.
    ///
    /// Called in id order, one call at a time, outside every lock of the bus, on the thread that
    /// committed. It may publish and read, and should return quickly, because publishers wait
    /// behind it.
    func admitted(_ admission: Admission)
}

/// One change of one topic.
public struct Admission: Hashable, Sendable {
    /// The kinds of changes.
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
    /// The kind of this change.
    public let change: Change
    /// Subscriptions that matched the topic when its events became visible, filters aside: 0 where
    /// nobody waited for them. Of a removal it is 0.
    public let subscribers: Int
    /// The hub of the bus that it happened on: several buses may share a broadcaster.
    let hub: ObjectIdentifier
}
