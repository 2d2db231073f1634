internal import Topics

/// A lease as its worker is told it: text that nobody guesses, and that says enough to tell a repeat
/// from a loss once the lease is over.
///
/// 41 bytes as base64url (RFC 4648, section 5): the group's number (7), the epoch (4), the first and
/// the last id (7 each), and 16 random ones.
struct LeaseText: Equatable {
    /// The highest epoch: behind it the first one comes again.
    static let epochMax: Int64 = (1 << 32) - 1

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

    /// The lease that `text` tells; nil where it tells none.
    init?(_ text: String) {
        var text = text
        guard let lease = text.withUTF8({ Self.read($0) }) else { return nil }
        self = lease
    }

    private static func read(_ text: UnsafeBufferPointer<UInt8>) -> LeaseText? {
        guard text.count == textBytes else { return nil }
        var reader = Base64URLReader(text)
        let (group, epoch) = (reader.next(7), reader.next(4))
        let (first, last) = (reader.next(7), reader.next(7))
        let token = LeaseToken(high: reader.next(8), low: reader.next(8))
        guard reader.isWhole, first <= last, last <= EventID.max.rawValue else { return nil }
        return LeaseText(
            group: GroupNumber(rawValue: Int64(group)), epoch: Int64(epoch),
            ids: EventID(rawValue: first)...EventID(rawValue: last), token: token)
    }

    /// The length of 41 bytes as text.
    private static let textBytes = 55

    /// The text, 55 bytes.
    var text: String {
        String(unsafeUninitializedCapacity: Self.textBytes) { text in
            var writer = Base64URLWriter(text)
            writer.append(UInt64(group.rawValue), 7)
            writer.append(UInt64(epoch), 4)
            writer.append(ids.lowerBound.rawValue, 7)
            writer.append(ids.upperBound.rawValue, 7)
            writer.append(token.high, 8)
            writer.append(token.low, 8)
            return writer.finish()
        }
    }
}

/// Numbers on their way into text of `A-Z a-z 0-9 _ -`, without padding (RFC 4648, section 5).
struct Base64URLWriter {
    private let text: UnsafeMutableBufferPointer<UInt8>
    private var end = 0
    /// Bits that are no whole digit yet, and how many.
    private var (bits, count): (UInt32, UInt32) = (0, 0)

    /// - Parameter text: Has room for all that is appended.
    init(_ text: UnsafeMutableBufferPointer<UInt8>) { self.text = text }

    /// Appends the lowest `width` bytes of a number, the highest of them first.
    mutating func append(_ value: UInt64, _ width: Int) {
        for place in (0..<width).reversed() {
            let byte = UInt8(truncatingIfNeeded: value >> (UInt64(place) * 8))
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                count -= 6
                append(digit: bits >> count & 63)
            }
        }
    }

    /// Appends the bits that are left over, with zeros behind. Returns the length of the text.
    mutating func finish() -> Int {
        if count > 0 { append(digit: bits << (6 - count) & 63) }
        return end
    }

    private mutating func append(digit value: UInt32) {
        text[end] = Self.digits.utf8Start[Int(value)]
        end += 1
    }

    private static let digits: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
}

/// The numbers that ``Base64URLWriter`` wrote.
struct Base64URLReader {
    private let text: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var (bits, count): (UInt32, UInt32) = (0, 0)
    private var isText = true

    init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

    /// The number that the next `width` bytes are; anything where the text is none.
    mutating func next(_ width: Int) -> UInt64 {
        var value: UInt64 = 0
        for _ in 0..<width {
            while count < 8 {
                (bits, count) = (bits << 6 | nextDigit(), count + 6)
            }
            count -= 8
            value = value << 8 | UInt64(bits >> count & 255)
        }
        return value
    }

    /// Whether all of the text was read, and is the one that spells these numbers.
    var isWhole: Bool {
        isText && index == text.count && count < 6 && bits & ((1 << count) - 1) == 0
    }

    private mutating func nextDigit() -> UInt32 {
        guard index < text.count else {
            isText = false
            return 0
        }
        let digit = text[index]
        index += 1
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): return UInt32(digit - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return UInt32(digit - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "-"): return 62
        case UInt8(ascii: "_"): return 63
        default:
            isText = false
            return 0
        }
    }
}
