internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Wire

/// The checked contents of one request for events, in any form.
struct ReceiveRequest {
    /// The caller that sent the request.
    let caller: Caller
    /// The topics, as far as the caller may know of them.
    var selector: Selector
    let filter: EventFilter
    let form: EventForm
    let start: StartPosition
    /// How long to wait for an event, in microseconds; `nil` if the request does not say.
    let wait: Int64?
    /// Events of one answer at the most; `nil` if the request does not say.
    let eventsMax: Int?
    /// The form of its answer if that is an event stream.
    let eventStream: ServerSentEventsForm
    /// Whether a gap is an error.
    let isStrict: Bool
    /// The request's own target up to the cursor that comes next.
    let nextTarget: String
    /// Seconds of a `Prefer: wait` that was followed.
    let preferenceApplied: Int64?

    static let parameters =
        ["as", "since", lastEventID, "wait", "max"] + WireFilter.names
        + [WireAttribute.parameter]
        + ["strict"] + ServerSentEventsForm.parameters

    /// The name of `Last-Event-ID` in a query, for clients that cannot send a header.
    private static let lastEventID = "lastEventId"

    /// - Parameter selector: The selector that its path names.
    init(
        _ call: borrowing Call, of selector: Selector, _ configuration: BusAPIConfiguration
    ) throws(Refusal) {
        let (head, parameters) = (call.head, call.parameters)
        caller = call.caller
        self.selector = selector
        form = try EventForm.chosen(head, parameters)
        start = try Self.start(head, parameters)
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
    }

    private static func start(
        _ head: RequestHead, _ parameters: Parameters
    ) throws(Refusal) -> StartPosition {
        if let last = try head.headers.only("last-event-id"), !last.isEmpty {
            return try start(lastEventID: last)
        }
        if let last = parameters.text(lastEventID), !last.isEmpty {
            return try start(lastEventID: last)
        }
        return try parameters.text("since").map { (since) throws(Refusal) in
            try start(since: since)
        } ?? .now
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

    /// The filter for the wanted events. A value that no event can have is a mistake, not a filter.
    private static func filter(_ parameters: Parameters) throws(Refusal) -> EventFilter {
        try EventFilter(attributes: try parameters.filteredAttributes()) { field throws(Refusal) in
            guard let text = parameters.text(WireFilter.row(field).name) else { return nil }
            do throws(MetadataError) {
                try MetadataError.check(text, field.field)
            } catch {
                // A shell leaves nothing of $silent between double quotes.
                guard field == .type, text.isEmpty else { throw Refusal(error) }
                throw Refusal(
                    .eventTypeInvalid,
                    error.detail + "; in a shell, one with a $ stands between single quotes")
            }
            return text
        }
    }

    /// The seconds of a `Prefer: wait=N` (RFC 7240 section 4.3). Other preferences do not concern
    /// the bus, and malformed ones are ignored as section 2 of it says.
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
        var (raw, prefix) = (target.raw, target.prefix.text)
        let suffix: StaticString = "since="
        // A query without an & at its end gets one.
        let room = prefix.utf8.count + raw.utf8.count + suffix.utf8CodeUnitCount + 2
        return String(unsafeUninitializedCapacity: room) { text in
            var count = 0
            func write(_ bytes: UnsafeBufferPointer<UInt8>) {
                _ = UnsafeMutableBufferPointer(rebasing: text[count...]).update(
                    fromContentsOf: bytes)
                count += bytes.count
            }
            func write(_ byte: UInt8) {
                text[count] = byte
                count += 1
            }
            prefix.withUTF8(write)
            raw.withUTF8 { bytes in
                write(UnsafeBufferPointer(rebasing: bytes[target.pathRange]))
                write(UInt8(ascii: "?"))
                let query = bytes.dropFirst(target.pathRange.upperBound + 1)
                // The pieces are as they were sent; the items of the query have the decoded names.
                var (start, item) = (query.startIndex, 0)
                while start < query.endIndex {
                    let end = query[start...].firstIndex(of: UInt8(ascii: "&")) ?? query.endIndex
                    if end > start {
                        if !isCursor(target.query[item]) {
                            write(UnsafeBufferPointer(rebasing: bytes[start..<end]))
                            write(UInt8(ascii: "&"))
                        }
                        item += 1
                    }
                    start = end + 1
                }
            }
            suffix.withUTF8Buffer(write)
            return count
        }
    }

    /// Whether a parameter gives the place to begin at.
    private static func isCursor(_ item: QueryItems.Item) -> Bool {
        let name = Parameters.name(of: item)
        return name == "since" || name == lastEventID
    }
}

extension Selector {
    /// The selector of a request's path, or the refusal that names the mistake in it.
    init(request text: String) throws(Refusal) {
        do throws(NameError) {
            try self.init(text)
        } catch {
            throw Refusal(.selectorInvalid, error.detail)
        }
    }
}

extension TopicName {
    /// The topic of a request's path, or the refusal that names the mistake in it.
    init(request text: String) throws(Refusal) {
        do throws(NameError) {
            try self.init(text)
        } catch {
            throw Refusal(.topicNameInvalid, error.detail)
        }
    }
}
