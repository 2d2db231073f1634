internal import HTTPFront
internal import Topics

/// The answers to publishes that are in the log, made piece by piece: it is one for each event.
///
/// Ids, times and the names of topics need no escaping.
enum PublishAnswer {
    /// The answer to one event.
    static func event(_ receipt: PublishReceipt, in topic: TopicName) -> Response {
        let room = Self.roomBytes + topic.text.utf8.count
        var json: [UInt8] = []
        json.reserveCapacity(room)
        json.append("{\"id\":\"")
        let start = json.count
        json.append(decimal: receipt.last.rawValue)
        let id = start..<json.count
        json.append("\",\"topic\":\"")
        json.append(contentsOf: topic.text.utf8)
        json.append("\",\"time\":\"")
        json.append(receipt.time)
        json.append("\",\"subscribers\":")
        json.append(decimal: receipt.subscribers)
        json.append("}\n")

        var headers = HeaderLines(reserving: room)
        headers.add("Content-Type") { $0.append("application/json") }
        headers.add("Location") { location in
            location.append("/topics/")
            location.append(contentsOf: topic.text.utf8)
            location.append("/events/")
            location.append(contentsOf: json[id])
        }
        headers.add("Event-ID") { $0.append(contentsOf: json[id]) }
        return Response(status: 201, headers: headers, body: .bytes(json))
    }

    /// The answer to the lines of a body.
    static func batch(_ receipt: PublishReceipt, in topic: TopicName) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.name("first")
        json.quotedInteger(receipt.first.rawValue)
        json.name("last")
        json.quotedInteger(receipt.last.rawValue)
        json.name("count")
        json.integer(receipt.count)
        json.name("topic")
        json.string(topic.text)
        json.endObject()
        return .json(status: 201, json)
    }

    /// The answer to a body without lines.
    static func nothing() -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.name("count")
        json.integer(0)
        json.endObject()
        return .json(json)
    }

    /// For all but the name of the topic: 101 bytes of body with an id of 16 digits and 9 of
    /// subscribers, 95 of headers.
    private static let roomBytes = 128
}

extension [UInt8] {
    fileprivate mutating func append(_ time: Timestamp) {
        withUnsafeTemporaryAllocation(byteCount: Timestamp.rfc3339BytesMax, alignment: 1) { room in
            let count = time.writeRFC3339(to: room)
            append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<count]))
        }
    }
}
