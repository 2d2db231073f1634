/// The place of one event in the one order of the whole bus.
///
/// Ids rise over all topics, are never given twice, and are not dense: nothing may compute the
/// next one. The same number is a cursor: "everything up to here was seen".
///
/// - Note: 0 to 2^53 - 1, so that a JSON reader that keeps numbers as doubles loses nothing.
public struct EventID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number itself.
    public let rawValue: UInt64

    /// The id `rawValue`, which must not exceed `max`.
    public init(rawValue: UInt64) {
        precondition(rawValue <= Self.rawMax, "an event id is below 2^53, not \(rawValue)")
        self.rawValue = rawValue
    }

    /// The id that `text` spells: 1 to 16 ASCII digits, at most `max`; otherwise nil.
    ///
    /// - Complexity: O(length of `text`), which is refused beyond 16 bytes.
    public init?(decimal text: some StringProtocol) {
        let read =
            text.utf8.withContiguousStorageIfAvailable(Self.value)
            ?? Array(text.utf8).withUnsafeBufferPointer(Self.value)
        guard let read, read <= Self.rawMax else { return nil }
        rawValue = read
    }

    private static func value(_ digits: UnsafeBufferPointer<UInt8>) -> UInt64? {
        guard (1...16).contains(digits.count) else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            value = value * 10 + UInt64(digit - 0x30)
        }
        return value
    }

    /// Before every event.
    public static let zero = EventID(rawValue: 0)

    /// The highest id there can be, 2^53 - 1.
    public static let max = EventID(rawValue: rawMax)

    static let rawMax: UInt64 = (1 << 53) - 1

    /// Whether `left` comes before `right` in the order of the bus.
    public static func < (left: EventID, right: EventID) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The decimal digits, without leading zeros.
    public var description: String { String(rawValue) }

    /// The cursor just before this id: reading after it finds this event.
    package var predecessor: EventID {
        self == .zero ? .zero : EventID(rawValue: rawValue - 1)
    }
}
