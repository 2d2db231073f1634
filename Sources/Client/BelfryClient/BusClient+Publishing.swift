internal import JSON
public import Topics
internal import Wire

/// The receipt for a batch that is in the log, as far as the bus gives one over HTTP.
public struct ClientReceipt: Hashable, Sendable {
    /// The id of the first event.
    public let first: EventID
    /// The id of the last event.
    public let last: EventID
    /// How many events there are.
    public let count: Int
    /// The time of the event; nil for batches, of which the bus does not say it.
    public let time: Timestamp?
    /// The waiting requests that matched the topic; nil for batches, and if the publisher may not
    /// receive from it.
    public let subscribers: Int?
    /// A likely mistake, such as a new topic beside one whose name differs in a capital.
    public let hint: String?
}

extension BusClient {
    /// Publishes a batch: all of its events, in order, or none.
    ///
    /// Several events go as lines: none of them is empty, has a line end in it, or ends in CR. The
    /// kernel or the token names the sender; the one in the batch is not sent. A batch with an
    /// expiry is `unsendable`: over HTTP an event is of use for a time from now on. So is one with attributes
    /// that only the bus gives, as a dead letter has.
    ///
    /// - Parameter ttl: For how many microseconds the events are of use, 1 s to 365 days; nil for ever.
    /// - Throws: `ClientError`. Behind `outcomeUnknown` the events may be in the log; behind every
    ///   other error they are not, and never will be.
    /// - Complexity: O(bytes).
    public func publish(
        _ batch: PublishBatch, ttl: Int64? = nil
    ) async throws(ClientError) -> ClientReceipt {
        if batch.payloads.count == 1 {
            let receipt = try await publish(
                batch.payloads[0], TargetPath("topics", batch.topic.text), batch.metadata, ttl)
            guard let receipt, receipt.count == 1 else { throw Self.miscounted }
            return receipt
        }
        let receipt = try await publish(
            lines: Self.lines(batch.payloads), to: batch.topic, metadata: batch.metadata,
            ttl: ttl)
        guard let receipt, receipt.count == batch.payloads.count else { throw Self.miscounted }
        return receipt
    }

    /// Publishes each line of a text as an event: all of them, in order, or none.
    ///
    /// Lines end in LF or CRLF, and empty ones are skipped. The bus takes 10,000 lines or 16 MiB
    /// together.
    ///
    /// - Parameter ttl: As for a batch.
    /// - Returns: Nil where there was no line.
    /// - Throws: `ClientError`, as for a batch.
    public func publish(
        lines text: Payload, to topic: TopicName, metadata: EventMetadata = .none,
        ttl: Int64? = nil
    ) async throws(ClientError) -> ClientReceipt? {
        try await publish(
            text, TargetPath("topics", topic.text).with("split", "lines"), metadata, ttl)
    }

    private static let miscounted = ClientError.malformedAnswer(
        "the answer to a publish counts other events than were sent")

    /// Publishes one text, and returns its id once it is visible.
    ///
    /// - Throws: `NameError` if `topic` is no name, else `ClientError`.
    @discardableResult
    public func publish(_ text: String, to topic: String) async throws -> EventID {
        let batch = PublishBatch(
            topic: try TopicName(topic), payloads: [Payload(Array(text.utf8))])
        return try await publish(batch).last
    }

    /// The headers that say these fields and attributes.
    static func headers(of metadata: EventMetadata) -> [String] {
        let fields = MetadataField.all.compactMap { field in
            metadata[field].map { "\(WireField.row(field).header): \($0)" }
        }
        let attributes = metadata.attributes.all.map {
            "\(WireAttribute.header)\($0.name): \(WireAttribute.headerText(of: $0.value))"
        }
        return fields + attributes
    }

    /// The payloads as lines of one body.
    private static func lines(_ payloads: [Payload]) throws(ClientError) -> Payload {
        guard payloads.count <= Limits.batchLinesMax else {
            throw .unsendable(
                "a batch has at most \(Limits.batchLinesMax) events: publish it in parts")
        }
        var body: [UInt8] = []
        body.reserveCapacity(payloads.reduce(0) { $0 + $1.count + 1 })
        for (index, payload) in payloads.enumerated() {
            let bytes = payload.bytes
            guard !bytes.isEmpty, bytes.last != 0x0D, !bytes.contains(0x0A) else {
                throw .unsendable(
                    "event \(index + 1) of the batch is no line, and over HTTP a batch is lines: "
                        + "publish it alone")
            }
            body.append(contentsOf: bytes)
            body.append(0x0A)
        }
        return Payload(body)
    }

    private func publish(
        _ body: Payload, _ target: TargetPath, _ metadata: EventMetadata, _ ttl: Int64?
    ) async throws(ClientError) -> ClientReceipt? {
        guard metadata.attributes.ofPublisher == metadata.attributes else {
            throw .unsendable(
                "the event has attributes that only the bus gives, as a dead letter has: leave them "
                    + "out")
        }
        guard metadata.expires == nil else {
            throw .unsendable("an expiry is said as a time from now on: give a ttl")
        }
        let answer = try await answer(
            .post, target.with("ttl", ttl.map { Quantity.text(microseconds: $0) }),
            headers: Self.headers(of: metadata), body: body, expecting: [200, 201])
        var (first, last, subscribers) = (EventID?.none, EventID?.none, Int?.none)
        var (count, time, hint) = (Int?.none, Timestamp?.none, String?.none)
        try answer.members { name, reader in
            if name.spells("id") || name.spells("first") {
                first = reader.string().flatMap { EventID(decimal: $0) }
                return first != nil
            }
            if name.spells("last") {
                last = reader.string().flatMap { EventID(decimal: $0) }
                return last != nil
            }
            if name.spells("count") {
                count = reader.number()
                return count != nil
            }
            if name.spells("time") {
                time = reader.string().flatMap { Timestamp(rfc3339: $0) }
                return time != nil
            }
            if name.spells("subscribers") {
                subscribers = reader.number()
                return subscribers != nil
            }
            if name.spells("hint") {
                hint = reader.string()
                return hint != nil
            }
            return reader.value() != nil
        }
        if count == 0 { return nil }
        guard let first else { throw .malformedAnswer("the answer to a publish has no id") }
        return ClientReceipt(
            first: first, last: last ?? first, count: count ?? 1, time: time,
            subscribers: subscribers, hint: hint)
    }
}
