internal import Topics

/// Events that follow one another and can be published together: of one topic, with the same
/// fields, each a line.
struct CopiedBatch {
    private(set) var events: [Event] = []
    private var bytes = 0

    /// The last of them.
    var last: Event? { events.last }

    /// Whether an event can go with those that are there.
    func takes(_ event: Event) -> Bool {
        guard let last else { return true }
        return events.count < Limits.batchLinesMax
            && bytes + event.payload.count < Limits.batchBytesMax
            && last.topic == event.topic && last.metadata == event.metadata
            && Self.isLine(last) && Self.isLine(event)
    }

    /// Adds an event that it takes.
    mutating func add(_ event: Event) {
        events.append(event)
        bytes += event.payload.count + 1
    }

    /// All of them as a batch to publish, without the attributes that only a bus gives, and without
    /// their expiry, which is sent as ``ttl(at:)``.
    var whole: PublishBatch {
        let metadata = events[0].metadata
        return PublishBatch(
            topic: events[0].topic,
            metadata: metadata.with(metadata.attributes.ofPublisher, expires: nil),
            payloads: events.map(\.payload))
    }

    /// For how long they are of use, in microseconds; nil for ever. Expired events are of use for a
    /// second more.
    func ttl(at now: Timestamp) -> Int64? {
        last?.metadata.expires.map { max($0.microseconds - now.microseconds, 1_000_000) }
    }

    /// Whether a batch over HTTP can have it.
    private static func isLine(_ event: Event) -> Bool {
        let bytes = event.payload.bytes
        return !bytes.isEmpty && bytes.last != 0x0D && !bytes.contains(0x0A)
    }
}
