internal import JSON
public import Topics

/// A subscriber that waits for events, as far as the asker may know of it.
public struct ClientSubscriber: Sendable {
    /// The topics or patterns that it waits for.
    public let selector: String
    /// The only type of events that it waits for; nil for all.
    public let type: String?
    /// The only key of events that it waits for; nil for all.
    public let key: String?
    /// The form in which it gets events: `raw`, `json`, `ndjson`, `sse` or `websocket`.
    public let form: String
    /// Its user; nil if the bus does not know it.
    public let user: Int?
    /// The name of the token that it showed.
    public let token: String?
    /// Its process; nil over TCP.
    public let pid: Int?
    /// The time since which this request waits, or this stream is open.
    public let since: Timestamp
    /// How far it is; nil while the bus looks for its place.
    public let cursor: EventID?
    /// Events behind `cursor`, up to 1,000; nil if the bus did not count them.
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
    /// The subscribers of a topic, or of any: all that the caller may know of, sorted by selector.
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
