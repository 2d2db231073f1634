internal import HTTPFront
internal import JSON
internal import Topics

/// The answers of a poll, in the form that it asked for; each carries the cursor to go on with.
struct PollAnswer {
    let request: ReceiveRequest
    /// The cursor from which the next poll should begin.
    let cursor: EventID
    /// The gap in front of this answer's events, in which others may be missing; nil for none.
    let gap: Gap?

    /// The events that were read; a raw answer holds the first and only one.
    ///
    /// - Parameter isNews: Whether others are likely to be answered with the same events soon.
    func events(_ events: [Event], isNews: Bool, _ encodings: EncodingCache) -> Response {
        guard request.form == .json else { return raw(events[0], encodings) }
        return json(
            events.map { encodings.encoded($0, as: .envelope, isNews: isNews) })
    }

    /// The body of these events in JSON, written alone.
    static func body(of events: [Event], cursor: EventID, gap: Gap?) -> [UInt8] {
        var json = JSONWriter(reserving: events.wireBytes)
        write(to: &json, cursor, gap) { json in
            for event in events { json.value { EventEncoding.envelope.write(event, to: &$0) } }
        }
        return json.finished()
    }

    /// The events whose body was made already.
    func made(_ body: ResponseBody) -> Response {
        var fields: HeaderLines = [("Content-Type", "application/json")]
        fields.add(contentsOf: headers)
        return Response(status: 200, headers: fields, body: body)
    }

    /// No event: the wait is over, the bus is leaving, or only a gap is to be told.
    func nothing() -> Response {
        request.form == .json ? json([]) : Response(status: 204, headers: headers)
    }

    /// A gap that the request would not have.
    func gone(_ gap: Gap) -> Response {
        Refusal(
            .eventsGone,
            "Events after \(gap.after) up to \(gap.through) may be missing; go on from the cursor, "
                + "or ask without strict=1 for those that are left.",
            headers: headers
        ).response
    }

    /// The end of a wait on a topic that was deleted.
    func deleted() -> Response {
        Refusal(
            .topicDeleted,
            "The topic was deleted; go on from the cursor to wait for its next life.",
            headers: headers
        ).response
    }

    private var headers: HeaderLines {
        var headers = HeaderLines(reserving: 512)
        headers.add("Event-Cursor") { $0.append(decimal: cursor.rawValue) }
        headers.add("Link") { link in
            link.append(UInt8(ascii: "<"))
            link.append(contentsOf: request.nextTarget.utf8)
            link.append(decimal: cursor.rawValue)
            link.append(">; rel=\"next\"")
        }
        if let gap { headers.add("Event-Gap", gap.header) }
        if let seconds = request.preferenceApplied {
            headers.add("Preference-Applied", "wait=\(seconds)")
        }
        return headers
    }

    private func raw(_ event: Event, _ encodings: EncodingCache) -> Response {
        var headers = headers
        headers.add(contentsOf: encodings.headers(of: event))
        return Response(status: 200, headers: headers, body: .payload(of: event))
    }

    private func json(_ events: [EncodedEvent]) -> Response {
        var json = JSONWriter(
            reserving: events.reduce(160) { $0 + $1.bytes(isFramed: false).count + 1 })
        Self.write(to: &json, cursor, gap) { json in
            for event in events {
                withExtendedLifetime(event) { json.encoded(event.bytes(isFramed: false)) }
            }
        }
        return .json(json, headers)
    }

    private static func write(
        to json: inout JSONWriter, _ cursor: EventID, _ gap: Gap?,
        _ events: (inout JSONWriter) -> Void
    ) {
        json.beginObject()
        json.name("events")
        json.beginArray()
        events(&json)
        json.endArray()
        json.member("cursor", cursor)
        json.name("gap")
        if let gap { gap.write(to: &json) } else { json.null() }
        json.endObject()
    }
}
