import Glibc

@testable import Topics

extension ParserCheck {
    /// A time of RFC 3339 is the one that the system's calendar has, and comes back as written.
    static let times = ParserCheck("times", bytesMax: 80) { input in
        let text = input.text
        let time = Timestamp(rfc3339: text)
        try agree(time?.microseconds, TimeText(text)?.microseconds, "time")
        guard let time else { return }
        let years = -62_167_219_200_000_000...253_402_300_799_999_999 as ClosedRange<Int64>
        if years.contains(time.microseconds) {
            try agree(Timestamp(rfc3339: time.rfc3339), time, "time, as \(time)")
        }
    }
}

/// A time by the system's calendar.
private struct TimeText {
    let microseconds: Int64

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 64, Self.hasShape(bytes.prefix(19), of: "0000-00-00T00:00:00") else {
            return nil
        }
        func number(_ range: Range<Int>) -> Int32 {
            Int32(String(decoding: bytes[range], as: UTF8.self))!
        }
        var rest = bytes[19...]
        var fraction: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { 0x30...0x39 ~= $0 }
            guard !digits.isEmpty else { return nil }
            rest = rest[digits.endIndex...]
            let six = (String(decoding: digits, as: UTF8.self) + "000000").prefix(6)
            fraction = Int64(six)!
        }
        guard let offset = Self.offset(rest) else { return nil }
        var parts = tm()
        parts.tm_year = number(0..<4) - 1900
        (parts.tm_mon, parts.tm_mday) = (number(5..<7) - 1, number(8..<10))
        (parts.tm_hour, parts.tm_min) = (number(11..<13), number(14..<16))
        let (second, day, month) = (number(17..<19), parts.tm_mday, parts.tm_mon)
        guard parts.tm_hour < 24, parts.tm_min < 60, second <= 60 else { return nil }
        let minute = timegm(&parts)
        // What is no day of its month has become one of the next.
        guard parts.tm_mday == day, parts.tm_mon == month else { return nil }
        let whole = Int64(minute) * 1_000_000 - offset * 60_000_000
        microseconds = whole + (second == 60 ? 59_999_999 : Int64(second) * 1_000_000 + fraction)
    }

    private static func hasShape(_ bytes: ArraySlice<UInt8>, of shape: String) -> Bool {
        bytes.count == shape.utf8.count
            && zip(bytes, shape.utf8).allSatisfy { byte, wanted in
                switch wanted {
                case UInt8(ascii: "0"): 0x30...0x39 ~= byte
                case UInt8(ascii: "T"): "Tt ".utf8.contains(byte)
                default: byte == wanted
                }
            }
    }

    /// Minutes east of UTC.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int64? {
        let text = String(decoding: bytes, as: UTF8.self)
        if text == "Z" || text == "z" { return 0 }
        guard hasShape(bytes.dropFirst(), of: "00:00"), let sign = bytes.first,
            sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            let hours = Int64(text.dropFirst().prefix(2)), let minutes = Int64(text.suffix(2)),
            hours < 24, minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "+") ? 1 : -1) * (hours * 60 + minutes)
    }
}
