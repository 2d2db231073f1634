internal import Topics
internal import Wire

/// A publish as it is sent, as often as it takes.
struct PublishSending {
    let body: Payload
    private(set) var target: TargetPath
    let headers: [String]

    /// A batch: one event as it is, several as lines.
    ///
    /// - Throws: `unsendable` for events that cannot be said over HTTP.
    init(_ batch: PublishBatch, _ ttl: Int64?) throws(ClientError) {
        let target = TargetPath("topics", batch.topic.text)
        let isAlone = batch.payloads.count == 1
        try self.init(
            isAlone ? batch.payloads[0] : Self.lines(batch.payloads),
            isAlone ? target : target.with("split", "lines"), batch.metadata, ttl,
            condition: batch.condition)
    }

    /// - Throws: `unsendable` for events that cannot be said over HTTP.
    init(
        _ body: Payload, _ target: TargetPath, _ metadata: EventMetadata, _ ttl: Int64?,
        condition: PublishCondition? = nil
    ) throws(ClientError) {
        guard metadata.attributes.ofPublisher == metadata.attributes else {
            throw .unsendable(
                "the event has attributes that only the bus gives, as a dead letter has: leave them "
                    + "out")
        }
        guard metadata.expires == nil else {
            throw .unsendable("an expiry is said as a time from now on: give a ttl")
        }
        self.body = body
        self.target = target.with("ttl", ttl.map { Quantity.text(microseconds: $0) })
        headers = metadata.headers + (condition.map { ["If-Match: \($0.ifMatch)"] } ?? [])
    }

    /// The same, held until it is due.
    func later(_ due: DueTime?, every: Int64?, name: String?) -> PublishSending {
        var sending = self
        switch due {
        case .after(let microseconds):
            sending.target = target.with("delay", Quantity.text(microseconds: microseconds))
        case .at(let time): sending.target = target.with("at", time.rfc3339)
        case nil: break
        }
        sending.target = sending.target
            .with("every", every.map { Quantity.text(microseconds: $0) }).with("name", name)
        return sending
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
}

extension EventMetadata {
    /// The headers that say these fields and attributes.
    var headers: [String] {
        let fields = MetadataField.all.compactMap { field in
            self[field].map { "\(WireField.row(field).header): \($0)" }
        }
        let others = attributes.all.map {
            "\(WireAttribute.header)\($0.name): \(WireAttribute.headerText(of: $0.value))"
        }
        return fields + others
    }
}
