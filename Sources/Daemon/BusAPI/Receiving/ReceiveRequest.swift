internal import Access
internal import HTTPFront
internal import Topics

/// What one request for events asks for, in whatever form, checked.
struct ReceiveRequest {
    /// Who asks.
    var caller: Caller
    /// The topics, as far as the caller may know of them.
    var selector: Selector
    let filter: EventFilter
    let form: EventForm
    private(set) var start: StartPosition
    /// Where in the request it is said, or will be in the next; `nil` where it cannot.
    let startPlace: ValuePlace?
    /// Where in the target the topic's name stands, or whatever names several.
    let namePlace: Range<Int>
    /// How long to wait for an event, in microseconds; `nil` where the request does not say.
    let wait: Int64?
    /// Events of one answer at the most; `nil` where the request does not say.
    let eventsMax: Int?
    /// How an event stream would say things.
    let eventStream: ServerSentEventsForm
    /// Whether a gap is an error.
    let isStrict: Bool
    /// The request's own target up to the cursor that comes next.
    private(set) var nextTarget: String
    /// Seconds of a `Prefer: wait` that was followed.
    let preferenceApplied: Int64?

    static let parameters =
        ["as", "since", lastEventID, "wait", "max"] + WireAttribute.filters
        + ["strict"] + ServerSentEventsForm.parameters

    /// What `Last-Event-ID` is called in a query, by clients that cannot send a header.
    private static let lastEventID = "lastEventId"

    init(_ call: borrowing Call, _ configuration: BusAPIConfiguration) throws(Refusal) {
        let (head, parameters) = (call.head, call.parameters)
        caller = call.caller
        selector = try Selector(request: call.resource.name)
        form = try EventForm.chosen(head, parameters)
        (start, startPlace) = try Self.start(head, parameters)
        let isPoll = form == .raw || form == .json
        let eventsMaxMax = isPoll ? Limits.pollEventsMax : Limits.streamEventsMax
        eventsMax = try parameters.count("max", in: 1...Int64(eventsMaxMax)).map(Int.init)
        if let eventsMax, eventsMax > 1, form == .raw {
            throw Refusal(
                .parameterInvalid,
                "'max' is \(eventsMax), and without 'as' an answer is one event, byte for byte: ask with "
                    + "as=json, or as=ndjson for a stream.")
        }
        eventStream = try ServerSentEventsForm(
            form, parameters, hasOneTopic: selector.singleName != nil)
        isStrict = try parameters.choice("strict", ["1": true, "0": false]) ?? false
        filter = try Self.filter(parameters)

        let asked = try parameters.duration(
            "wait", in: 0...configuration.waitMax, setBy: "poll.wait_max")
        let preferred = Self.preferredSeconds(head.headers).map {
            min($0, configuration.waitMax / 1_000_000)
        }
        wait = preferred.map { $0 * 1_000_000 } ?? asked
        preferenceApplied = preferred
        nextTarget = Self.nextTarget(head.target)
        namePlace = head.target.lastSegmentRange
    }

    /// Makes it the same request for the topic of another name, which is the last of its path.
    mutating func rename(to name: String) throws(Refusal) {
        selector = try Selector(request: name)
        let query = nextTarget.utf8.firstIndex(of: UInt8(ascii: "?"))!
        let slash = nextTarget.utf8[..<query].lastIndex(of: UInt8(ascii: "/"))!
        nextTarget = nextTarget[...slash] + name + nextTarget[query...]
    }

    /// Makes it the same request with another text where it says from where it begins, or without one.
    mutating func begin(at text: String) throws(Refusal) {
        switch startPlace {
        case .header: start = try Self.start(lastEventID: text)
        case .parameter where text.isEmpty: start = .now
        case .target, .parameter: start = try Self.start(since: text)
        case .length, .word, .nowhere, nil: break
        }
    }

    private static func start(
        _ head: RequestHead, _ parameters: Parameters
    ) throws(Refusal) -> (StartPosition, ValuePlace?) {
        if let last = try head.headers.only("last-event-id"), !last.isEmpty {
            return (try start(lastEventID: last), .header("last-event-id"))
        }
        if let last = parameters.text(lastEventID), !last.isEmpty {
            return (try start(lastEventID: last), nil)
        }
        guard let since = parameters.text("since") else { return (.now, .parameter("since")) }
        return (try start(since: since), parameters.place("since").map { .target($0) })
    }

    private static func start(lastEventID last: String) throws(Refusal) -> StartPosition {
        if let meant = Since.meant(by: last, now: SystemClock().now()) {
            throw Refusal(
                .cursorInvalid,
                "Last-Event-ID is '\(last)', which is a Unix time, not an id; leave it out, and begin "
                    + "with since=\(meant).")
        }
        guard let position = Since.lastEventID(last) else {
            throw Refusal(
                .cursorInvalid, "Last-Event-ID is '\(last)'; it takes an id, in digits.")
        }
        return position
    }

    static func start(since: String) throws(Refusal) -> StartPosition {
        if let meant = Since.meant(by: since, now: SystemClock().now()) {
            throw Refusal(
                .cursorInvalid,
                "'since' is '\(since)': bare digits are an id, and this is a Unix time: did you mean "
                    + "\(meant)?")
        }
        if let position = Since.position(since) { return position }
        let plus = since.replacing(" ", with: "+")
        if plus != since, Since.position(plus) != nil {
            throw Refusal(
                .cursorInvalid,
                "'since' is '\(since)': in a query a + is a space. Write it as %2B, or give the time "
                    + "in UTC with a Z, as `date -u +%FT%TZ` prints it.")
        }
        throw Refusal(
            .cursorInvalid,
            "'since' is '\(since)'; it takes an id, now, earliest, latest, -N, a duration with its "
                + "unit (10m, 1h30m), @ and Unix seconds, a date (2026-11-21), or an RFC 3339 time "
                + "with its zone (2026-11-21T09:00:00Z).")
    }

    /// The events that are wanted; a value that no event can have is a mistake, not a filter.
    private static func filter(_ parameters: Parameters) throws(Refusal) -> EventFilter {
        var wanted = AttributeTexts()
        for attribute in EventAttribute.all {
            wanted[attribute] = WireAttribute.row(attribute).filter.flatMap(parameters.text)
        }
        return EventFilter(try EventAttributes(request: wanted))
    }

    /// The seconds of a `Prefer: wait=N` (RFC 7240 section 4.3); other preferences are none of
    /// ours, and what is malformed is ignored as section 2 of it says.
    static func preferredSeconds(_ headers: HeaderFields) -> Int64? {
        for value in headers.all("prefer") {
            for preference in value.split(separator: ",") {
                let parts = preference.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, ASCII.isEqualIgnoringCase(parts[0].trimmingBlanks, "wait"),
                    let seconds = Quantity.count(parts[1].trimmingBlanks)
                else { continue }
                return seconds
            }
        }
        return nil
    }

    /// The target of this request with everything but its cursor, ready for the next one.
    static func nextTarget(_ target: RequestTarget) -> String {
        let query = target.raw.utf8.dropFirst(target.pathRange.upperBound + 1)
        // The pieces are as they were sent; the items beside them have the names they mean.
        let parameters = zip(query.split(separator: UInt8(ascii: "&")), target.query)
            .filter { !["since", lastEventID].contains(Parameters.name(of: $1)) }
            .map { piece, _ in String(decoding: piece, as: UTF8.self) + "&" }.joined()
        return "\(target.prefix.text)\(target.rawPath)?\(parameters)since="
    }
}

extension Selector {
    /// The selector of a request's path, or the refusal that says what is wrong with it.
    init(request text: String) throws(Refusal) {
        do throws(NameError) {
            try self.init(text)
        } catch {
            throw Refusal(.selectorInvalid, error.detail)
        }
    }
}

extension TopicName {
    /// The topic of a request's path, or the refusal that says what is wrong with it.
    init(request text: String) throws(Refusal) {
        do throws(NameError) {
            try self.init(text)
        } catch {
            throw Refusal(.topicNameInvalid, error.detail)
        }
    }
}
