internal import Telemetry

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
        let date = CivilDate(daysSince1970: days)
        let clock = Int(second % 86_400)
        text.removeAll(keepingCapacity: true)
        append(Self.weekdays, at: Int(days + 4) % 7)
        text.append(contentsOf: ", ".utf8)
        append(Int(date.day), separator: UInt8(ascii: " "))
        append(Self.months, at: Int(date.month) - 1)
        text.append(UInt8(ascii: " "))
        append(Int(date.year / 100), separator: nil)
        append(Int(date.year % 100), separator: UInt8(ascii: " "))
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

    private static let weekdays: StaticString = "SunMonTueWedThuFriSat"
    private static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
}
