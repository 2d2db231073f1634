internal import HTTPFront
internal import JSON
internal import Topics

/// A list of topics as JSON, with the cursor from which the next list goes on.
struct TopicsAnswer {
    private let body: [UInt8]
    private let headers: HeaderLines

    /// The list of all topics.
    init(topics: [TopicDescription], next: ListCursor) {
        self.init(topics, next) { _ in }
    }

    /// The changes since another list.
    init(_ changes: TopicChanges, next: ListCursor) {
        self.init(changes.topics.sorted { $0.name.text < $1.name.text }, next) { json in
            json.member("removed", changes.removed) { $0.string($1.text) }
            json.member("all", changes.areAll)
        }
    }

    private init(
        _ topics: [TopicDescription], _ next: ListCursor, members: (inout JSONWriter) -> Void
    ) {
        var json = JSONWriter(reserving: 128 + topics.count * Limits.listedTopicBytes)
        json.beginObject()
        json.member("topics", topics) { json, topic in
            json.object { topic.writeMembers(to: &$0) }
        }
        members(&json)
        json.member("cursor", next.moment.newest)
        json.member("next", next.text)
        json.endObject()
        body = json.finished()
        headers = [
            ("Content-Type", "application/json"), ("Event-Cursor", "\(next.moment.newest)"),
        ]
    }

    /// The answer with bytes of its own.
    var response: Response { Response(status: 200, headers: headers, body: .bytes(body)) }

    /// The answer with bytes that are counted in a room until they are sent.
    func response(in room: ResponseReservation) -> Response {
        Response(status: 200, headers: headers, body: .made(body, in: room))
    }
}
