internal import HTTPFront
internal import Topics

/// A list of topics as JSON, with the cursor by which it goes on.
struct TopicsAnswer {
    private let body: [UInt8]
    private let headers: HeaderLines

    /// The list of all topics.
    init(topics: [TopicDescription], next: ListCursor) {
        self.init(topics, next) { _ in }
    }

    /// What changed since another list.
    init(_ changes: TopicChanges, next: ListCursor) {
        self.init(changes.topics.sorted { $0.name.text < $1.name.text }, next) { json in
            json.name("removed")
            json.beginArray()
            for name in changes.removed { json.string(name.text) }
            json.endArray()
            json.name("all")
            json.boolean(changes.areAll)
        }
    }

    private init(
        _ topics: [TopicDescription], _ next: ListCursor, members: (inout JSONWriter) -> Void
    ) {
        var json = JSONWriter(reserving: 128 + topics.count * Limits.listedTopicBytes)
        json.beginObject()
        json.name("topics")
        json.beginArray()
        for topic in topics { topic.write(to: &json) }
        json.endArray()
        members(&json)
        json.name("cursor")
        json.quotedInteger(next.moment.newest.rawValue)
        json.name("next")
        json.string(next.text)
        json.endObject()
        body = json.finished()
        headers = [
            ("Content-Type", "application/json"), ("Event-Cursor", "\(next.moment.newest)"),
        ]
    }

    /// The answer with bytes of its own.
    var response: Response { Response(status: 200, headers: headers, body: .bytes(body)) }

    /// The answer with bytes that are counted in a room until they are sent.
    func response(in room: AnswerRoom) -> Response {
        Response(status: 200, headers: headers, body: .made(body, in: room))
    }
}
