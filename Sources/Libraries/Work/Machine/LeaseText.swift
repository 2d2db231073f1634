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

    private static let bytesCount = 41

    /// The lease that `text` tells; nil where it tells none.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text, countMax: Self.bytesCount),
            bytes.count == Self.bytesCount
        else { return nil }
        func value(_ place: Int, _ width: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in place..<place + width { value = value << 8 | UInt64(bytes[index]) }
            return value
        }
        let (first, last) = (value(11, 7), value(18, 7))
        guard first <= last, last <= EventID.max.rawValue else { return nil }
        group = GroupNumber(rawValue: Int64(value(0, 7)))
        epoch = Int64(value(7, 4))
        ids = EventID(rawValue: first)...EventID(rawValue: last)
        token = LeaseToken(high: value(25, 8), low: value(33, 8))
    }

    /// The text, 55 bytes.
    var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.bytesCount)
        func append(_ value: UInt64, _ width: Int) {
            for place in (0..<width).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: value >> (UInt64(place) * 8)))
            }
        }
        append(UInt64(group.rawValue), 7)
        append(UInt64(epoch), 4)
        append(ids.lowerBound.rawValue, 7)
        append(ids.upperBound.rawValue, 7)
        append(token.high, 8)
        append(token.low, 8)
        return Base64URL.encode(bytes)
    }
}

/// Bytes as text of `A-Z a-z 0-9 _ -`, without padding (RFC 4648, section 5).
enum Base64URL {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each digit; 64 for what is none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: [UInt8]) -> String {
        let digits = digits
        return String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var (bits, count, end): (UInt32, UInt32, Int) = (0, 0, 0)
            for byte in bytes {
                (bits, count) = (bits << 8 | UInt32(byte), count + 8)
                while count >= 6 {
                    count -= 6
                    text[end] = digits[Int(bits >> count & 63)]
                    end += 1
                }
            }
            if count > 0 {
                text[end] = digits[Int(bits << (6 - count) & 63)]
                end += 1
            }
            return end
        }
    }

    /// The bytes that `text` spells in the one way there is; nil for anything else, and for more
    /// than `countMax` bytes.
    static func decode(_ text: String, countMax: Int) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode($0, countMax: countMax) }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>, countMax: Int) -> [UInt8]? {
        guard text.count <= (countMax * 4 + 2) / 3 else { return nil }
        let values = values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(countMax)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for digit in text {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        guard count < 6, bits & ((1 << count) - 1) == 0 else { return nil }
        return bytes
    }
}
