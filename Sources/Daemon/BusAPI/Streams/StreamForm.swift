internal import JSON
internal import Topics

/// A form of stream: the notation of its events, cursors, gaps and heartbeats.
///
/// Every part ends where a reader may take it in, so that parts can be joined as they come.
protocol StreamForm: Sendable {
    /// The encoding of its events.
    var encoding: EventEncoding { get }

    /// Its media type; `nil` if the stream is not the body of an answer.
    var contentType: String? { get }

    /// Whether a reader of its events learns their ids from them, and so its cursor.
    var eventsSayCursor: Bool { get }

    /// Whether it tells the cursor even if nothing else is to be told.
    var saysCursors: Bool { get }

    /// Writes the beginning of the stream: the cursor, and the gap behind it.
    ///
    /// - Parameters:
    ///   - eventsFollow: Whether events come right behind it, without a gap.
    ///   - retryMilliseconds: How long a reader that reconnects by itself should wait.
    func begin(
        at cursor: EventID, _ gap: Gap?, eventsFollow: Bool, retryMilliseconds: Int,
        to output: inout [UInt8])

    /// Writes the cursor if no event tells it. Writes nothing if the reader does not want that.
    func cursor(_ cursor: EventID, to output: inout [UInt8])

    /// Writes a gap, in which events may be missing from here on.
    func gap(_ gap: Gap, to output: inout [UInt8])

    /// Writes a gap if nothing has told the cursor yet.
    func firstGap(_ gap: Gap, to output: inout [UInt8])

    /// Writes a sign of life.
    func heartbeat(to output: inout [UInt8])
}

extension StreamForm {
    var saysCursors: Bool { true }

    /// Forms with JSON objects begin with the cursor and the gap alone.
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
    /// The form of a stream of these events; `nil` if they are not told by a stream.
    ///
    /// - Parameter eventStream: The form of an event stream.
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
    /// Writes the gap as all forms with JSON show it.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("after", after)
        json.member("through", through)
        json.endObject()
    }
}
