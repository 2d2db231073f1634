internal import HTTPFront
internal import Topics

/// The beginning of a stream, until it is sent: its request, and the gaps that were found.
///
/// An object of its own, so that a stream that runs does not carry it.
final class StreamOpening {
    let request: ReceiveRequest
    /// The gap before the first event; nil for none.
    private(set) var gap: Gap?

    init(_ request: ReceiveRequest) { self.request = request }

    func add(_ told: Gap) {
        gap = gap?.joined(with: told) ?? told
    }

    /// The cursor to begin with.
    ///
    /// Promises that a client loses nothing if it is cut off right behind the cursor and comes back
    /// with it. If there is a gap, the cursor is the id before it, so that the gap is told again.
    /// Otherwise it is the id of the request or the place before the first event, and without an
    /// event the bus's position.
    func cursor(before first: Event?, at current: EventID) -> EventID {
        if let gap { return gap.after }
        guard let first else { return current }
        if case .after(let id) = request.start, id != .zero { return id }
        return first.id.predecessor
    }

    /// The head of the stream.
    func head(in form: any StreamForm, cursor: EventID) -> Response {
        var head = Response(status: 200, headers: [("Event-Cursor", "\(cursor)")])
        if let contentType = form.contentType {
            head.headers.add("Content-Type", contentType)
            head.headers.add("X-Accel-Buffering", "no")
        }
        if let gap { head.headers.add("Event-Gap", gap.header) }
        if let seconds = request.preferenceApplied {
            head.headers.add("Preference-Applied", "wait=\(seconds)")
        }
        return head
    }

    /// The answer instead of a stream, to a request that does not accept a gap.
    func gone(_ gap: Gap) -> Response {
        PollAnswer(request: request, cursor: gap.through, gap: gap).gone(gap)
    }

    /// The answer instead of a stream, once the topic was deleted, at this place in the order.
    func deleted(at place: EventID) -> Response {
        PollAnswer(request: request, cursor: place, gap: gap).deleted()
    }
}

extension Gap {
    /// The gap as headers show it.
    var header: String { "after=\(after), through=\(through)" }
}
