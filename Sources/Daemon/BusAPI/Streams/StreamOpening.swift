internal import HTTPFront
internal import Topics

/// What a stream says first, until it has said it.
///
/// An object of its own, so that a stream that runs does not carry it.
final class StreamOpening {
    let request: ReceiveRequest
    /// What may be missing before the first event.
    private(set) var gap: Gap?

    init(_ request: ReceiveRequest) { self.request = request }

    func add(_ told: Gap) {
        gap = gap?.joined(with: told) ?? told
    }

    /// The cursor to begin with.
    ///
    /// Promises that nothing is lost on who is cut off right behind it and comes back with it: it
    /// is the one that a gap is told to, so that the gap is told again, else what the request said
    /// or the place before the first event, else how far the bus was.
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

    /// The answer instead, to a request that would not have a gap.
    func gone(_ gap: Gap) -> Response {
        PollAnswer(request: request, cursor: gap.through, gap: gap).gone(gap)
    }

    /// The answer instead, once the topic was deleted, at this place in the order.
    func deleted(at place: EventID) -> Response {
        PollAnswer(request: request, cursor: place, gap: gap).deleted()
    }
}

extension Gap {
    /// The gap as headers say it.
    var header: String { "after=\(after), through=\(through)" }
}
