internal import HTTPFront
internal import JSON
internal import Topics

/// The responses to publishes that are in the log, made piece by piece: there is one for each event.
///
/// Ids, times and the names of topics need no escaping.
enum PublishResponse {
    /// The answer to one event.
    ///
    /// - Parameters:
    ///   - prefix: The prefix in front of the path of the event.
    ///   - showsSubscribers: Whether it tells how many subscribers waited for the event.
    ///   - hint: A sentence about a likely mistake in the request; nil for none.
    static func event(
        _ receipt: PublishReceipt, in topic: TopicName, below prefix: PathPrefix,
        showsSubscribers: Bool, hint: String? = nil
    ) -> Response {
        var name = topic.text
        return name.withUTF8 { name in
            receipt.last.rawValue.withDecimalDigits { id in
                event(
                    receipt, id, UnsafeRawBufferPointer(name), below: prefix.text,
                    showsSubscribers: showsSubscribers, hint)
            }
        }
    }

    private static func event(
        _ receipt: PublishReceipt, _ id: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer,
        below prefix: String, showsSubscribers: Bool, _ hint: String?
    ) -> Response {
        var hint = hint.map { ",\"hint\":\"\($0)\"" } ?? ""
        let json = [UInt8](atMost: bodyRoomBytes + name.count + hint.utf8.count) { json in
            json.write("{\"id\":\"")
            json.write(id)
            json.write("\",\"topic\":\"")
            json.write(name)
            json.write("\",\"time\":\"")
            json.write(atMost: Timestamp.rfc3339BytesMax) { receipt.time.writeRFC3339(to: $0) }
            if showsSubscribers {
                json.write("\",\"subscribers\":")
                json.write(decimal: UInt64(receipt.subscribers))
            } else {
                json.write("\"")
            }
            hint.withUTF8 { json.write(UnsafeRawBufferPointer($0)) }
            json.write("}\n")
        }
        var prefix = prefix
        let room = headersRoomBytes + prefix.utf8.count + name.count
        let headers = HeaderLines(atMost: room) { lines in
            if prefix.isEmpty {
                lines.write("Content-Type: application/json\r\nLocation: /topics/")
            } else {
                lines.write("Content-Type: application/json\r\nLocation: ")
                prefix.withUTF8 { lines.write(UnsafeRawBufferPointer($0)) }
                lines.write("/topics/")
            }
            lines.write(name)
            lines.write("/events/")
            lines.write(id)
            lines.write("\r\nEvent-ID: ")
            lines.write(id)
            lines.write("\r\n")
        }
        return Response(status: 201, headers: headers, body: .bytes(json))
    }

    /// The answer to the lines of a body, with a hint about a likely mistake if there is one.
    static func batch(
        _ receipt: PublishReceipt, in topic: TopicName, hint: String? = nil
    ) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("first", receipt.first)
        json.member("last", receipt.last)
        json.member("count", receipt.count)
        json.member("topic", topic.text)
        if let hint {
            json.member("hint", hint)
        }
        json.endObject()
        return .json(status: 201, json)
    }

    /// The answer to a publish of a series that was passed by a later one: its own events are in the log, and
    /// nobody remembers where.
    static func passed(_ receipt: PublishReceipt, in topic: TopicName) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("count", 0)
        json.member("topic", topic.text)
        json.member("last", receipt.last)
        json.endObject()
        return .json(json, isReplayed)
    }

    /// The answer to events that are held until they are due.
    static func held(
        _ receipt: HoldReceipt, in topic: TopicName, below prefix: PathPrefix, hint: String?
    ) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("later", receipt.ticket)
        json.member("topic", topic.text)
        json.member("due", receipt.due.rfc3339)
        if let hint { json.member("hint", hint) }
        json.endObject()
        var headers: HeaderLines = [
            ("Location", "\(prefix.text)/topics/\(topic)/later/\(receipt.ticket)")
        ]
        if receipt.isRepeated { headers.add(contentsOf: isReplayed) }
        return .json(status: 202, json, headers)
    }

    /// The header of an answer to a repeat, which made no event.
    static let isReplayed: HeaderLines = [("Idempotency-Replayed", "true")]

    /// The answer to a body without lines.
    static func nothing() -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("count", 0)
        json.endObject()
        return .json(json)
    }

    /// Bytes for the JSON without the topic, with two numbers of 20 digits: 113 are needed.
    private static let bodyRoomBytes = 128
    /// Bytes for the headers without the topic, with two numbers of 20 digits: 112 are needed.
    private static let headersRoomBytes = 128
}
