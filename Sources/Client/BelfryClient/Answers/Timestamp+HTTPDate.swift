internal import Topics

extension Timestamp {
    /// Reads a date as HTTP writes it, in each form that there ever was (RFC 9110 section 5.6.7):
    /// `Mon, 23 Nov 2026 17:02:51 GMT`, `Monday, 23-Nov-26 17:02:51 GMT` and
    /// `Mon Nov 23 17:02:51 2026`.
    ///
    /// - Parameter now: Two digits are the year of them that is at most 50 years ahead of this.
    init?(httpDate text: String, now: Timestamp = SystemClock().now()) {
        let words = text.split { $0 == " " || $0 == "-" }
        let day, month, year, time: Substring
        switch words.count {
        case 6 where words[5] == "GMT":
            (day, month, year, time) = (words[1], words[2], words[3], words[4])
        case 5: (day, month, year, time) = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        guard let place = Self.months.firstIndex(of: String(month)) else { return nil }
        let number = place < 9 ? "0\(place + 1)" : "\(place + 1)"
        // The oldest form has a blank in place of a zero.
        let rest = "-\(number)-\(day.count == 1 ? "0" : "")\(day)T\(time)Z"
        guard year.count == 2 else {
            self.init(rfc3339: "\(year)\(rest)")
            return
        }
        guard let late = Timestamp(rfc3339: "20\(year)\(rest)") else { return nil }
        if late <= now.advanced(microseconds: Self.halfCentury) {
            self = late
        } else {
            self.init(rfc3339: "19\(year)\(rest)")
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// 50 years of 365.25 days.
    private static let halfCentury: Int64 = 18_262 * 86_400_000_000 + 43_200_000_000
}
