internal import HTTPFront
internal import Topics

/// The answers of a poll, in the form that it asked for; each carries the cursor to go on with.
struct PollAnswer {
    let request: PollRequest
    /// Where the next poll should begin.
    let cursor: EventID
    /// What may be missing before what this answer holds.
    let gap: Gap?

    /// The events that were read; a raw answer holds the first and only one.
    func events(_ events: [Event], _ encodings: EncodingCache) -> Response {
        switch request.form {
        case .raw: raw(events[0])
        case .json: json(events, encodings)
        }
    }

    /// No event: the wait is over, the bus is leaving, or only a gap is to be told.
    func nothing(_ encodings: EncodingCache) -> Response {
        switch request.form {
        case .raw: Response(status: 204, headers: headers)
        case .json: json([], encodings)
        }
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

    private var headers: [(name: String, value: String)] {
        var headers = [
            ("Event-Cursor", "\(cursor)"),
            ("Link", "<\(request.nextTarget)\(cursor)>; rel=\"next\""),
        ]
        if let gap { headers.append(("Event-Gap", "after=\(gap.after), through=\(gap.through)")) }
        if let seconds = request.preferenceApplied {
            headers.append(("Preference-Applied", "wait=\(seconds)"))
        }
        return headers
    }

    private func raw(_ event: Event) -> Response {
        Response(
            status: 200, headers: headers + EventRoute.headers(of: event),
            body: .payload(of: event))
    }

    private func json(_ events: [Event], _ encodings: EncodingCache) -> Response {
        var json = JSONWriter(reserving: 96 + events.count * 256)
        json.beginObject()
        json.name("events")
        json.beginArray()
        for event in events { json.encoded(encodings.envelope(of: event)) }
        json.endArray()
        json.name("cursor")
        json.quotedInteger(cursor.rawValue)
        json.name("gap")
        if let gap {
            json.beginObject()
            json.name("after")
            json.quotedInteger(gap.after.rawValue)
            json.name("through")
            json.quotedInteger(gap.through.rawValue)
            json.endObject()
        } else {
            json.null()
        }
        json.endObject()
        return .json(json, headers)
    }
}
