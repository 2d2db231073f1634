internal import Topics
internal import Wire

/// The parameters by which a publish is held: `delay` and `at`.
struct HoldParameters {
    static let all = ["delay", "at"]

    /// When the events are due.
    let moment: DueTime
    /// The parameter as it was given, by which a repeat is known.
    let text: String

    /// The parameters of a publish; nil for one without them.
    ///
    /// - Throws: 400 for both, for a moment that is more than 365 days away, and for one that is no moment.
    init?(_ parameters: Parameters, now: Timestamp) throws(Refusal) {
        let (delay, at) = (parameters.text("delay"), parameters.text("at"))
        guard delay != nil || at != nil else { return nil }
        guard delay == nil || at == nil else {
            throw Refusal(
                .parameterInvalid, "'delay' and 'at' both say when the event is due; give one.")
        }
        if let at {
            moment = .at(try Self.time(at, now: now))
        } else {
            let span = try parameters.duration("delay", in: Limits.delayMicroseconds)
            moment = .after(microseconds: span ?? 0)
        }
        text = delay.map { "delay=\($0)" } ?? "at=\(at ?? "")"
    }

    /// Whether the events are due already: then they are published as others are. With a key they are held
    /// all the same, since a repeat of events that were held is answered as they were.
    func isOver(at now: Timestamp, hasKey: Bool) -> Bool {
        switch moment {
        case .after(microseconds: let span): span == 0
        case .at(let time): time <= now && !hasKey
        }
    }

    private static func time(_ text: String, now: Timestamp) throws(Refusal) -> Timestamp {
        guard case .time(let time)? = Since.position(text) else {
            throw Refusal(
                .parameterInvalid,
                "'at' is '\(text)'; it takes @ and Unix seconds (@1795251600), a date (2026-12-24), or an "
                    + "RFC 3339 time in UTC (2026-12-24T08:00:00Z). 'delay' takes a duration.")
        }
        guard time <= now.advanced(microseconds: Limits.delayMicroseconds.upperBound) else {
            throw Refusal(
                .parameterInvalid, "'at' is '\(text)'; an event is held for 365 days at most.")
        }
        return time
    }
}
