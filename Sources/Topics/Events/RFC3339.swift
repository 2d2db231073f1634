extension Timestamp {
    /// `2026-01-02T03:04:05.678901Z`: UTC, always six digits of a second.
    ///
    /// - Complexity: O(1), one allocation.
    public var rfc3339: String {
        String(unsafeUninitializedCapacity: Self.rfc3339BytesMax) { buffer in
            writeRFC3339(to: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// The most bytes `writeRFC3339` writes.
    package static let rfc3339BytesMax = 32

    /// Writes the text of `rfc3339` into `buffer`, which has room for `rfc3339BytesMax`, and
    /// returns how many bytes it took.
    ///
    /// Moments outside of the years 0 to 9999, which the format cannot say, become its first or
    /// last one.
    package func writeRFC3339(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        precondition(
            buffer.count >= Self.rfc3339BytesMax,
            "a time needs room for \(Self.rfc3339BytesMax) bytes, not \(buffer.count)")
        let clamped = min(max(microseconds, Self.yearZero), Self.endOfYear9999)
        let (days, inDay) = Self.floorDivide(clamped, 86_400_000_000)
        let date = CivilDate(daysSince1970: days)
        let seconds = inDay / 1_000_000
        var writer = DigitWriter(buffer: buffer)
        writer.write(date.year, digits: 4)
        writer.write("-", date.month)
        writer.write("-", date.day)
        writer.write("T", seconds / 3_600)
        writer.write(":", seconds / 60 % 60)
        writer.write(":", seconds % 60)
        writer.write(byte: UInt8(ascii: "."))
        writer.write(inDay % 1_000_000, digits: 6)
        writer.write(byte: UInt8(ascii: "Z"))
        return writer.count
    }

    /// The moment that `text` spells by RFC 3339 section 5.6, or nil.
    ///
    /// Any offset and any fraction are understood; what is finer than a microsecond is cut off. A
    /// leap second counts as the last microsecond before the next minute.
    public init?(rfc3339 text: some StringProtocol) {
        var reader = DigitReader(bytes: Array(text.utf8.prefix(Self.rfc3339InputBytesMax + 1)))
        guard reader.bytes.count <= Self.rfc3339InputBytesMax,
            let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("Tt "),
            let hour = reader.number(digits: 2), reader.skip(":"),
            let minute = reader.number(digits: 2), reader.skip(":"),
            let second = reader.number(digits: 2),
            let fraction = reader.fraction(),
            let offsetMinutes = reader.offset(),
            reader.isAtEnd,
            let date = CivilDate(year: year, month: month, day: day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var inDay = (hour * 3_600 + minute * 60 + second) * 1_000_000 + fraction
        if second == 60 { inDay = (hour * 3_600 + minute * 60 + 60) * 1_000_000 - 1 }
        self.init(
            microseconds: date.daysSince1970 * 86_400_000_000 + inDay - offsetMinutes * 60_000_000)
    }

    /// Longer than any sensible writing of a time.
    private static var rfc3339InputBytesMax: Int { 64 }
    private static var yearZero: Int64 { -62_167_219_200_000_000 }
    private static var endOfYear9999: Int64 { 253_402_300_799_999_999 }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// A day of the Gregorian calendar, by counting in eras of 400 years that begin in March.
private struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    private static let daysPerEra: Int64 = 146_097
    /// From 0000-03-01 to 1970-01-01.
    private static let epochShift: Int64 = 719_468

    init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month) else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let longest: Int64 =
            switch month {
            case 2: isLeap ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        guard (1...longest).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    init(daysSince1970 days: Int64) {
        let shifted = days + Self.epochShift
        let era = (shifted >= 0 ? shifted : shifted - (Self.daysPerEra - 1)) / Self.daysPerEra
        let dayOfEra = shifted - era * Self.daysPerEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.epochShift
    }
}

private struct DigitWriter {
    let buffer: UnsafeMutableRawBufferPointer
    var count = 0

    mutating func write(byte: UInt8) {
        buffer[count] = byte
        count += 1
    }

    mutating func write(_ number: Int64, digits: Int) {
        var rest = number
        for index in stride(from: count + digits - 1, through: count, by: -1) {
            buffer[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        count += digits
    }

    mutating func write(_ separator: Unicode.Scalar, _ number: Int64) {
        write(byte: UInt8(ascii: separator))
        write(number, digits: 2)
    }
}

private struct DigitReader {
    let bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == bytes.count }

    private var digit: Int64? {
        guard index < bytes.count, bytes[index] >= 0x30, bytes[index] <= 0x39 else { return nil }
        return Int64(bytes[index] - 0x30)
    }

    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit else { return nil }
            value = value * 10 + digit
            index += 1
        }
        return value
    }

    mutating func skip(_ allowed: StaticString) -> Bool {
        guard index < bytes.count,
            allowed.withUTF8Buffer({ $0.contains(bytes[index]) })
        else { return false }
        index += 1
        return true
    }

    /// Microseconds; 0 if there is no fraction, nil if a point has no digit behind it.
    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        guard digit != nil else { return nil }
        var value: Int64 = 0
        var unit: Int64 = 100_000
        while let digit {
            value += digit * unit
            unit /= 10
            index += 1
        }
        return value
    }

    /// Minutes east of UTC.
    mutating func offset() -> Int64? {
        if skip("Zz") { return 0 }
        let isEast = skip("+")
        guard isEast || skip("-"), let hours = number(digits: 2), skip(":"),
            let minutes = number(digits: 2), hours < 24, minutes < 60
        else { return nil }
        return (isEast ? 1 : -1) * (hours * 60 + minutes)
    }
}
