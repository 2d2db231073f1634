internal import JSON

/// Durations and sizes as requests, answers and the configuration write them.
///
/// One notation for both: `500ms 30s 10m 24h 7d` (a bare number is seconds), several of them
/// from the largest unit to the smallest (`1h30m`), and `64K 1M 2G` (powers of 1,024; a bare number
/// is bytes). Only whole numbers, no signs, no spaces; a value that does not fit is no value.
public enum Quantity {
    /// Reads a duration, in microseconds; `nil` where the text is not one.
    public static func microseconds(_ text: some StringProtocol) -> Int64? {
        if let single = scaled(text, unit: microseconds(inUnit:)) { return single }
        return sum(text)
    }

    private static func microseconds(inUnit unit: String) -> Int64? {
        switch unit {
        case "ms": 1_000
        case "", "s": 1_000_000
        case "m": 60_000_000
        case "h": 3_600_000_000
        case "d": 86_400_000_000
        default: nil
        }
    }

    /// The sum of durations that each have a unit, smaller than the one before.
    private static func sum(_ text: some StringProtocol) -> Int64? {
        var rest = Substring(text).utf8
        var sum: Int64 = 0
        var before = Int64.max
        while !rest.isEmpty {
            let digits = rest.prefix(while: ASCII.isDigit)
            let letters = rest[digits.endIndex...].prefix { !ASCII.isDigit($0) }
            guard !letters.isEmpty, let unit = microseconds(inUnit: String(Substring(letters))),
                unit < before,
                let part = scaled(
                    Substring(rest[..<letters.endIndex]), unit: microseconds(inUnit:))
            else { return nil }
            let (total, isOver) = sum.addingReportingOverflow(part)
            guard !isOver else { return nil }
            (sum, before, rest) = (total, unit, rest[letters.endIndex...])
        }
        return before == .max ? nil : sum
    }

    /// Reads a size, in bytes; `nil` where the text is not one.
    public static func bytes(_ text: some StringProtocol) -> Int64? {
        scaled(text) { unit in
            switch unit {
            case "": 1
            case "K": 1 << 10
            case "M": 1 << 20
            case "G": 1 << 30
            default: nil
            }
        }
    }

    /// Reads a plain count: decimal digits and nothing else.
    public static func count(_ text: some StringProtocol) -> Int64? {
        scaled(text) { $0.isEmpty ? 1 : nil }
    }

    /// Writes a duration so that ``microseconds(_:)`` reads it back, in its largest exact unit.
    ///
    /// Below a millisecond the notation has no unit: such a rest is cut off.
    public static func text(microseconds: Int64) -> String {
        for (unit, size) in [
            ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000),
        ] as [(String, Int64)] where microseconds != 0 && microseconds % size == 0 {
            return "\(microseconds / size)\(unit)"
        }
        return microseconds == 0 ? "0s" : "\(microseconds / 1_000)ms"
    }

    /// Writes a size so that ``bytes(_:)`` reads it back, in its largest exact unit.
    public static func text(bytes: Int64) -> String {
        for (unit, size) in [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)] as [(String, Int64)]
        where bytes != 0 && bytes % size == 0 {
            return "\(bytes / size)\(unit)"
        }
        return "\(bytes)"
    }

    private static func scaled(
        _ text: some StringProtocol, unit scale: (String) -> Int64?
    ) -> Int64? {
        let digits = text.utf8.prefix(while: ASCII.isDigit)
        guard !digits.isEmpty, digits.count <= 18,
            let number = Int64(String(decoding: digits, as: UTF8.self)),
            let factor = scale(String(decoding: text.utf8.dropFirst(digits.count), as: UTF8.self))
        else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }
}
