internal import JSON
public import Topics

/// The `since` of a request: the place in the order at which a reader wants to begin.
///
/// Forms: an id in bare digits (`0` is `earliest`), `now`, `earliest`, `latest`, `-N` (the last
/// N), a duration back (`10m`; with its unit, since bare digits are an id), `@` and Unix seconds,
/// an RFC 3339 time, or a date, which is its first moment in UTC.
public enum Since {
    /// Reads the parameter; `nil` where it has none of the forms.
    public static func position(_ text: String) -> StartPosition? {
        if let id = EventID(decimal: text) { return id == .zero ? .earliest : .after(id) }
        switch text {
        case "now": return .now
        case "earliest": return .earliest
        case "latest": return .latest
        default: break
        }
        if text.hasPrefix("-") {
            guard let count = Quantity.count(text.dropFirst()), count > 0 else { return nil }
            return .last(Int(count))
        }
        if text.hasPrefix("@") { return unixSeconds(text.dropFirst()).map { .time($0) } }
        if text.utf8.allSatisfy(ASCII.isDigit) { return nil }
        if let back = Quantity.microseconds(text) { return .ago(microseconds: back) }
        let isDate = text.utf8.count == 10
        return Timestamp(rfc3339: isDate ? text + "T00:00:00Z" : text).map { .time($0) }
    }

    /// Writes the parameter, so that ``position(_:)`` reads the same.
    public static func text(_ position: StartPosition) -> String {
        switch position {
        case .after(let id): "\(id)"
        case .now: "now"
        case .earliest: "earliest"
        case .latest: "latest"
        case .last(let count): "-\(count)"
        case .ago(let microseconds): Quantity.text(microseconds: microseconds)
        case .time(let time): time.rfc3339
        }
    }

    /// Reads a `Last-Event-ID`, which takes ids only.
    public static func lastEventID(_ text: String) -> StartPosition? {
        EventID(decimal: text).map { $0 == .zero ? .earliest : .after($0) }
    }

    /// The form that bare digits were probably meant to have: `@` and Unix seconds, if the digits
    /// are a Unix time near `now`, in seconds, milliseconds or nanoseconds. Nil for other digits.
    ///
    /// No id looks like that: ids begin with the microseconds of a clock.
    public static func meant(by digits: String, now: @autoclosure () -> Timestamp) -> String? {
        let fractionDigits: Int
        switch digits.utf8.count {
        case 10: fractionDigits = 0
        case 13: fractionDigits = 3
        case 19: fractionDigits = 9
        default: return nil
        }
        guard digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        let (seconds, fraction) = (digits.dropLast(fractionDigits), digits.suffix(fractionDigits))
        guard let count = Quantity.count(seconds),
            abs(count - now().microseconds / 1_000_000) <= WireLimits.unixTimeSecondsAway
        else { return nil }
        return fraction.isEmpty ? "@\(seconds)" : "@\(seconds).\(fraction)"
    }

    private static func unixSeconds(_ text: Substring) -> Timestamp? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let seconds = parts.first.flatMap({ Quantity.count($0) }),
            seconds <= WireLimits.unixSecondsMax
        else { return nil }
        var microseconds: Int64 = 0
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy(ASCII.isDigit) else { return nil }
            let digits = parts[1].prefix(6)
            guard var fraction = Int64(digits) else { return nil }
            for _ in digits.count..<6 { fraction *= 10 }
            microseconds = fraction
        }
        return Timestamp(microseconds: seconds * 1_000_000 + microseconds)
    }
}
