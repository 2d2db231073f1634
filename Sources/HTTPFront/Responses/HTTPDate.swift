/// The `Date` of answers (RFC 9110 section 5.6.7), written anew only when the second changes.
struct HTTPDate {
    private var second: Int64 = .min
    private var text: [UInt8] = []

    /// The date of a Unix second, 1970 to 9999, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Complexity: O(1); no allocation after the first.
    mutating func bytes(at second: Int64) -> [UInt8] {
        if second != self.second {
            self.second = second
            write(second)
        }
        return text
    }

    private mutating func write(_ second: Int64) {
        let days = second / 86_400
        let (year, month, day) = Self.civil(days)
        let clock = Int(second % 86_400)
        text.removeAll(keepingCapacity: true)
        append(Self.weekdays, at: Int(days + 4) % 7)
        text.append(contentsOf: ", ".utf8)
        append(day, separator: UInt8(ascii: " "))
        append(Self.months, at: month - 1)
        text.append(UInt8(ascii: " "))
        append(year / 100, separator: nil)
        append(year % 100, separator: UInt8(ascii: " "))
        append(clock / 3600, separator: UInt8(ascii: ":"))
        append(clock / 60 % 60, separator: UInt8(ascii: ":"))
        append(clock % 60, separator: UInt8(ascii: " "))
        text.append(contentsOf: "GMT".utf8)
    }

    private mutating func append(_ names: StaticString, at index: Int) {
        text.append(contentsOf: UnsafeBufferPointer(start: names.utf8Start + index * 3, count: 3))
    }

    private mutating func append(_ number: Int, separator: UInt8?) {
        text.append(UInt8(ascii: "0") + UInt8(number / 10))
        text.append(UInt8(ascii: "0") + UInt8(number % 10))
        if let separator { text.append(separator) }
    }

    /// Year, month and day of a count of days since 1970, in years that begin in March, so that
    /// the leap day is the last.
    private static func civil(_ days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = Int(days) + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static let weekdays: StaticString = "SunMonTueWedThuFriSat"
    private static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
}
