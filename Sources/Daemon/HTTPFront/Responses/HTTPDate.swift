internal import Telemetry

/// The `Date` of answers (RFC 9110 section 5.6.7).
enum HTTPDate {
    /// Appends the date of a Unix second, 1970 to 9999, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func append(_ second: Int64, to text: inout [UInt8]) {
        let days = second / 86_400
        let date = CivilDate(daysSince1970: days)
        let clock = Int(second % 86_400)
        append(weekdays, at: Int(days + 4) % 7, to: &text)
        text.append(", ")
        append(Int(date.day), " ", to: &text)
        append(months, at: Int(date.month) - 1, to: &text)
        text.append(" ")
        append(Int(date.year / 100), "", to: &text)
        append(Int(date.year % 100), " ", to: &text)
        append(clock / 3600, ":", to: &text)
        append(clock / 60 % 60, ":", to: &text)
        append(clock % 60, " GMT", to: &text)
    }

    private static func append(_ names: StaticString, at index: Int, to text: inout [UInt8]) {
        text.append(contentsOf: UnsafeBufferPointer(start: names.utf8Start + index * 3, count: 3))
    }

    /// Appends a number in two digits, and the text `behind` it.
    private static func append(_ number: Int, _ behind: StaticString, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "0") + UInt8(number / 10))
        text.append(UInt8(ascii: "0") + UInt8(number % 10))
        text.append(behind)
    }

    private static let weekdays: StaticString = "SunMonTueWedThuFriSat"
    private static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
}
