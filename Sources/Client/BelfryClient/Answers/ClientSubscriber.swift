internal import JSON
public import Topics

/// Somebody who waits for events, as far as the asker may know of them.
public struct ClientSubscriber: Sendable {
    /// What they wait for.
    public let selector: String
    /// The only type of events that they wait for; nil for all.
    public let type: String?
    /// The only key of events that they wait for; nil for all.
    public let key: String?
    /// How events are told: `raw`, `json`, `ndjson`, `sse` or `websocket`.
    public let form: String
    /// The user; nil where nobody knows.
    public let user: Int?
    /// The name of the token that they showed.
    public let token: String?
    /// The process; nil over TCP.
    public let pid: Int?
    /// Since when this request waits, or this stream is open.
    public let since: Timestamp
    /// How far they are; nil where that is being looked for.
    public let cursor: EventID?
    /// Events behind `cursor`, up to 1,000; nil where the bus did not count.
    public let behind: Int?
    /// The whole object of the bus, on one line.
    package let json: String

    /// Reads the object of a subscriber.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let members = JSONMembers(bytes), let selector = members.texts["selector"],
            let form = members.texts["form"],
            let since = members.texts["since"].flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        self.selector = selector
        self.form = form
        self.since = since
        type = members.texts["type"]
        key = members.texts["key"]
        user = members.numbers["user"]
        token = members.texts["token"]
        pid = members.numbers["pid"]
        cursor = members.texts["cursor"].flatMap { EventID(decimal: $0) }
        behind = members.numbers["behind"]
        json = String(decoding: bytes, as: UTF8.self)
    }
}

extension BusClient {
    /// Those who wait for a topic, or for anything: all that one may know of, by their selectors.
    ///
    /// - Throws: `ClientError`.
    public func subscribers(
        of topic: TopicName? = nil
    ) async throws(ClientError) -> [ClientSubscriber] {
        try await answer(
            .get, TargetPath("subscribers").with("topic", topic?.text), expecting: [200]
        ).list("subscribers") { ClientSubscriber($0) }
    }
}
