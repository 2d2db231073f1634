import Wire

@testable import BusAPI

extension ParserCheck {
    /// Durations, sizes and counts are their digits times their unit, in wide arithmetic, and come
    /// back from what is written of them.
    static let quantities = ParserCheck("quantities", bytesMax: 40) { input in
        let text = input.text
        let (duration, size) = (Quantity.microseconds(text), Quantity.bytes(text))
        try agree(duration, total(text), "duration")
        try agree(size, product(text, sizes), "size")
        try agree(Quantity.count(text), product(text, ["": 1]), "count")
        if let duration {
            let written = Quantity.text(microseconds: duration)
            try agree(Quantity.microseconds(written), duration, "duration, as '\(written)'")
        }
        if let size {
            let written = Quantity.text(bytes: size)
            try agree(Quantity.bytes(written), size, "size, as '\(written)'")
        }
    }

    /// One product, or the sum of several whose units are named and fall.
    private static func total(_ text: String) -> Int64? {
        if let single = product(text, durations) { return single }
        guard let match = text.wholeMatch(of: /([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?/)
        else { return nil }
        let (_, days, hours, minutes, seconds, milliseconds) = match.output
        let parts = [days, hours, minutes, seconds, milliseconds].compactMap { $0 }
        guard !parts.isEmpty else { return nil }
        return parts.reduce(0 as Int64?) { sum, part in
            guard let sum, let part = product(String(part), durations) else { return nil }
            let (total, isOver) = sum.addingReportingOverflow(part)
            return isOver ? nil : total
        }
    }

    private static let durations: [String: UInt64] = [
        "ms": 1_000, "": 1_000_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000,
        "d": 86_400_000_000,
    ]
    private static let sizes: [String: UInt64] = ["": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30]

    private static func product(_ text: String, _ units: [String: UInt64]) -> Int64? {
        let scalars = text.unicodeScalars
        let digits = scalars.prefix { "0123456789".unicodeScalars.contains($0) }
        let unit = String(scalars.dropFirst(digits.count))
        // A number of more digits is none, whatever it is worth.
        guard (1...18).contains(digits.count), let number = UInt64(String(digits)),
            let factor = units[unit]
        else { return nil }
        let (high, low) = number.multipliedFullWidth(by: factor)
        return high == 0 ? Int64(exactly: low) : nil
    }
}
