internal import Topics

/// A lease as its worker is told it: text that nobody guesses, and that says enough to tell a repeat
/// from a loss once the lease is over.
///
/// 41 bytes as base64url (RFC 4648, section 5): the group's number (7), the epoch (4), the first and
/// the last id (7 each), and 16 random ones.
struct LeaseText: Equatable {
    let group: GroupNumber
    let epoch: Int64
    /// The ids of its jobs lie in this range; one job has its own id alone.
    let ids: ClosedRange<EventID>
    let token: LeaseToken

    init(group: GroupNumber, epoch: Int64, ids: ClosedRange<EventID>, token: LeaseToken) {
        self.group = group
        self.epoch = epoch
        self.ids = ids
        self.token = token
    }

    private static let widths = [7, 4, 7, 7, 8, 8]
    private static let bytesMax = 41

    /// The lease that `text` tells; nil where it tells none.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text.utf8, countMax: Self.bytesMax),
            bytes.count == Self.bytesMax
        else { return nil }
        var values: [UInt64] = []
        var place = 0
        for width in Self.widths {
            values.append(bytes[place..<(place + width)].reduce(0) { $0 << 8 | UInt64($1) })
            place += width
        }
        let idMax = EventID.max.rawValue
        guard values[2] <= values[3], values[3] <= idMax else { return nil }
        group = GroupNumber(rawValue: Int64(values[0]))
        epoch = Int64(values[1])
        ids = EventID(rawValue: values[2])...EventID(rawValue: values[3])
        token = LeaseToken(high: values[4], low: values[5])
    }

    /// The text, 55 bytes.
    var text: String {
        let values = [
            UInt64(group.rawValue), UInt64(epoch), ids.lowerBound.rawValue,
            ids.upperBound.rawValue, token.high, token.low,
        ]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.bytesMax)
        for (value, width) in zip(values, Self.widths) {
            for place in (0..<width).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: value >> (UInt64(place) * 8)))
            }
        }
        return Base64URL.encode(bytes)
    }
}

/// Bytes as text of `A-Z a-z 0-9 _ -`, without padding (RFC 4648, section 5).
enum Base64URL {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << (6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` spells in the one way there is; nil for anything else, and for more
    /// than `countMax` bytes.
    static func decode(_ text: String.UTF8View, countMax: Int) -> [UInt8]? {
        guard text.count <= (countMax * 4 + 2) / 3 else { return nil }
        var bytes: [UInt8] = []
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for digit in text {
            guard let value = values[Int(digit)] else { return nil }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        guard count < 6, bits & ((1 << count) - 1) == 0 else { return nil }
        return bytes
    }
}
