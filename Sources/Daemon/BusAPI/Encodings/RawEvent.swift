internal import HTTPFront
internal import JSON
internal import Topics
internal import Wire

/// A raw event as an HTTP answer shows it.
enum RawEvent {
    /// The headers that say everything but the payload, and keep a browser from running it.
    static func headers(of event: Event) -> HeaderLines {
        let metadata = event.metadata
        var headers = HeaderLines(reserving: 320)
        headers.add("Content-Type", metadata.contentType ?? "application/octet-stream")
        headers.add("Event-ID") { $0.append(decimal: event.id.rawValue) }
        headers.add("Event-Topic", event.topic.text)
        headers.add("Event-Time", event.time.description)
        for field in WireField.own {
            guard let text = metadata[field] else { continue }
            headers.add(WireField.row(field).header, text)
        }
        add(metadata.attributes, to: &headers)
        if let expires = metadata.expires { headers.add("Event-Expires", expires.description) }
        headers.add(contentsOf: browserGuards)
        return headers
    }

    private static func add(_ attributes: EventAttributes, to headers: inout HeaderLines) {
        guard !attributes.isEmpty else { return }
        guard WireAttribute.headerBytes(of: attributes) <= Limits.attributeHeadersBytesMax else {
            return headers.add(WireAttribute.omitted, "omitted")
        }
        for attribute in attributes.all {
            headers.add(
                WireAttribute.header, attribute.name, WireAttribute.headerText(of: attribute.value))
        }
    }

    /// One event as the whole answer.
    static func response(_ event: Event) -> Response {
        response(event, .payload(of: event))
    }

    private static func response(_ event: Event, _ body: ResponseBody) -> Response {
        Response(status: 200, headers: headers(of: event), body: body)
    }

    /// The answer to a look-up of one event, from the result of the store's read.
    static func response(
        _ read: Result<LogRead, BusError>, _ id: EventID, _ topic: TopicName,
        in room: ResponseReservation
    ) -> Response {
        switch read {
        case .failure(let error): Refusal(error).response
        case .success(.events(let events, _, _)) where events.first?.id == id:
            response(events[0], .payload(of: events[0], in: room))
        case .success(.gap): removed(id, topic).response
        case .success: unknown(id, topic).response
        }
    }

    static func removed(_ id: EventID, _ topic: TopicName) -> Refusal {
        Refusal(.eventsGone, "Event \(id) of topic '\(topic)' was removed.")
    }

    static func unknown(_ id: EventID, _ topic: TopicName) -> Refusal {
        Refusal(.eventUnknown, "Topic '\(topic)' has no event \(id).")
    }

    /// A payload of `text/html` must not become a page of the bus's own origin.
    static let browserGuards: HeaderLines = [
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "sandbox"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}

extension ResponseBody {
    /// The payload of an event as it is, shared with the log.
    static func payload(of event: Event) -> ResponseBody {
        .shared(owner: event, event.payload.bytes)
    }

    /// The same of an event that was read for this answer. A room counts it until it is sent.
    fileprivate static func payload(of event: Event, in room: ResponseReservation) -> ResponseBody {
        room.settle(madeOf: [event].wireBytes)
        return .shared(
            owner: CountedEvent(event: event, room: room), event.payload.bytes, isCounted: true)
    }
}

/// An event in the room that was taken for it.
private final class CountedEvent: Sendable {
    private let event: Event
    private let room: ResponseReservation

    init(event: Event, room: ResponseReservation) {
        self.event = event
        self.room = room
    }
}
