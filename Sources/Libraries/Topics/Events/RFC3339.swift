internal import Telemetry

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
    /// Any offset and any fraction are understood; digits beyond the microseconds are cut off. A
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

private struct DigitWriter {
    let buffer: UnsafeMutableRawBufferPointer
    var count = 0

    mutating func write(byte: UInt8) {
        buffer[count] = byte
        count += 1
    }

    mutating func write(_ number: Int64, digits: Int) {
        // 32 bits, because their division is a multiplication, and a shorter one than for 64 bits.
        var rest = UInt32(number)
        var index = count + digits
        while index > count {
            index -= 1
            buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
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
