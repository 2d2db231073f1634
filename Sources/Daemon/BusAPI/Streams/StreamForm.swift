internal import JSON
internal import Topics

/// How a stream says things; one kind for each form of stream.
///
/// Everything ends where a reader may take it in, so that pieces can be joined as they come.
protocol StreamForm: Sendable {
    /// How its events are written.
    var encoding: EventEncoding { get }

    /// Its media type; `nil` for what is no body.
    var contentType: String? { get }

    /// Whether a reader of its events learns their ids from them, and so its cursor.
    var eventsSayCursor: Bool { get }

    /// Whether it says the cursor also where nothing else is to be said.
    var saysCursors: Bool { get }

    /// What comes before everything else: the cursor, and the gap behind it.
    ///
    /// - Parameters:
    ///   - eventsFollow: Whether events come right behind it, without a gap.
    ///   - retryMilliseconds: How long a reader that reconnects by itself should wait.
    func begin(
        at cursor: EventID, _ gap: Gap?, eventsFollow: Bool, retryMilliseconds: Int,
        to output: inout [UInt8])

    /// The cursor, where no event says it; nothing where it is not wanted so.
    func cursor(_ cursor: EventID, to output: inout [UInt8])

    /// What may be missing from here on.
    func gap(_ gap: Gap, to output: inout [UInt8])

    /// The same where nothing has said the cursor yet.
    func firstGap(_ gap: Gap, to output: inout [UInt8])

    /// A sign of life.
    func heartbeat(to output: inout [UInt8])
}

extension StreamForm {
    var saysCursors: Bool { true }

    /// Objects of JSON have nothing else to begin with.
    func begin(
        at cursor: EventID, _ gap: Gap?, eventsFollow: Bool, retryMilliseconds: Int,
        to output: inout [UInt8]
    ) {
        self.cursor(cursor, to: &output)
        if let gap { self.gap(gap, to: &output) }
    }

    func firstGap(_ gap: Gap, to output: inout [UInt8]) { self.gap(gap, to: &output) }
}

extension EventForm {
    /// How a stream in this form says things; `nil` for what is no stream.
    ///
    /// - Parameter eventStream: How an event stream says them.
    func stream(_ eventStream: ServerSentEventsForm) -> (any StreamForm)? {
        switch self {
        case .ndjson: NDJSONForm()
        case .sse: eventStream
        case .webSocket(let isRaw): WebSocketForm(isRaw: isRaw)
        case .raw, .json: nil
        }
    }
}

extension Gap {
    /// The gap as every form of JSON says it.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("after", after)
        json.member("through", through)
        json.endObject()
    }
}
