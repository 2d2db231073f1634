internal import JSON
internal import Topics
internal import Wire

/// The parameters by which a publish is held: `delay`, `at`, and those of a schedule.
struct HoldParameters {
    static let all = ["delay", "at", "every", "name"]

    /// When the events are due.
    let moment: DueTime
    /// The distance of the times of a schedule; nil for events that come once.
    let every: Int64?
    /// The name of a schedule.
    let name: String?
    /// The parameters as they were given, by which a repeat is known.
    let text: String

    /// The parameters of a publish; nil for one without them.
    ///
    /// - Parameter name: The name that the path gives to a schedule.
    /// - Throws: 400 for both `delay` and `at`, for a moment that is more than 365 days away, for one that is no moment,
    ///   and for a name without `every`.
    init?(
        _ parameters: Parameters, now: Timestamp, name: String? = nil
    ) throws(Refusal) {
        let (delay, at) = (parameters.text("delay"), parameters.text("at"))
        every = try parameters.duration("every", in: Schedule.intervals)
        self.name = try (name ?? parameters.text("name")).map { name throws(Refusal) in
            try Self.checked(name)
        }
        guard every != nil || self.name == nil else {
            throw Refusal(
                .parameterInvalid,
                "A schedule needs 'every', as in every=1h; an event that comes once has no name.")
        }
        guard delay != nil || at != nil || every != nil else { return nil }
        guard delay == nil || at == nil else {
            throw Refusal(
                .parameterInvalid, "'delay' and 'at' both say when the event is due; give one.")
        }
        if let at {
            moment = .at(try Self.time(at, now: now))
        } else {
            let span = try parameters.duration("delay", in: Limits.delayMicroseconds)
            moment = .after(microseconds: span ?? every ?? 0)
        }
        let first = delay.map { "delay=\($0)" } ?? at.map { "at=\($0)" } ?? ""
        let title = self.name ?? ""
        text = first + (every.map { " every=\($0) \(title)" } ?? "")
    }

    /// Whether the events are due already: then they are published as others are. With a key they are held
    /// all the same, since a repeat of events that were held is answered as they were.
    func isOver(at now: Timestamp, hasKey: Bool) -> Bool {
        guard every == nil else { return false }
        return switch moment {
        case .after(microseconds: let span): span == 0
        case .at(let time): time <= now && !hasKey
        }
    }

    /// The schedule of the events; nil where they come once.
    ///
    /// - Parameter print: A digest over all that their publisher said.
    func schedule(_ print: UInt64) -> Schedule? {
        every.map { Schedule(every: $0, name: name, print: print) }
    }

    /// A name that tickets cannot have, which are digits alone.
    private static func checked(_ name: String) throws(Refusal) -> String {
        let isName = name.utf8.allSatisfy { byte in
            ASCII.isDigit(byte) || (0x61...0x7A).contains(byte | 0x20)
                || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains(byte)
        }
        guard isName, !name.utf8.allSatisfy(ASCII.isDigit),
            (1...Schedule.nameBytesMax).contains(name.utf8.count)
        else {
            throw Refusal(
                .parameterInvalid,
                "'\(name.prefix(Limits.shownNameCharacters))' is no name of a schedule; it takes 1 to "
                    + "\(Schedule.nameBytesMax) of A-Z a-z 0-9 . _ -, one of them no digit.")
        }
        return name
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
