/// A moment in UTC, in microseconds since 1970.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Microseconds since 1970-01-01T00:00:00Z; negative before.
    public let microseconds: Int64

    /// The moment `microseconds` after the start of 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Before every moment that can be written.
    public static let distantPast = Timestamp(microseconds: .min)
    /// The last moment of the year 9999: no later one can be said or stored.
    package static let latest = Timestamp(microseconds: 253_402_300_799_999_999)

    /// Whether `left` is earlier than `right`.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The moment `microseconds` later, or earlier if negative; at most the last or first moment.
    public func advanced(microseconds: Int64) -> Timestamp {
        let (sum, isOver) = self.microseconds.addingReportingOverflow(microseconds)
        guard isOver else { return Timestamp(microseconds: sum) }
        return Timestamp(microseconds: microseconds < 0 ? .min : .max)
    }

    /// RFC 3339.
    public var description: String { rfc3339 }
}

/// The source of the time. It is passed in, so that tests move it by hand.
package protocol BusClock: Sendable {
    /// This moment. It may go backwards: the bus keeps event times rising by itself.
    ///
    /// Called from any thread, at each read and each publish; must not block.
    func now() -> Timestamp
}
