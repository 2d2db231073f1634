internal import Topics
internal import Wire

/// A publish as it is sent, as often as it takes.
struct PublishSending {
    let body: Payload
    let target: TargetPath
    let headers: [String]

    /// - Throws: `unsendable` for events that cannot be said over HTTP.
    init(
        _ body: Payload, _ target: TargetPath, _ metadata: EventMetadata, _ ttl: Int64?
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
        headers = BusClient.headers(of: metadata)
    }
}
