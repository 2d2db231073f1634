/// Durations as the bus writes and reads them: `500ms 30s 10m 24h 7d`, and several with falling
/// units, `1h30m`; a bare number is seconds.
public enum DurationText {
    /// The microseconds of a duration; nil where the text is none.
    public static func microseconds(_ text: some StringProtocol) -> Int64? {
        var rest = Substring(text)
        if let seconds = Int64(rest), rest.first?.isNumber == true {
            return product(seconds, 1_000_000)
        }
        var (sum, before) = (Int64(0), Int64.max)
        while !rest.isEmpty {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            let letters = rest[digits.endIndex...].prefix { ("a"..."z").contains($0) }
            guard let number = Int64(digits), let unit = units[String(letters)], unit < before,
                let part = product(number, unit)
            else { return nil }
            let (total, isOver) = sum.addingReportingOverflow(part)
            guard !isOver else { return nil }
            (sum, before, rest) = (total, unit, rest[letters.endIndex...])
        }
        return before == .max ? nil : sum
    }

    /// A duration as the bus reads it, to the millisecond.
    static func text(microseconds: Int64) -> String { "\(microseconds / 1_000)ms" }

    private static let units: [String: Int64] = [
        "ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000,
    ]

    private static func product(_ number: Int64, _ unit: Int64) -> Int64? {
        let (product, isOver) = number.multipliedReportingOverflow(by: unit)
        return isOver ? nil : product
    }
}
