extension Subscribers {
    /// How many values a subscriber will take.
    ///
    /// Never negative: a subtraction that would be is ``none``. Unlimited stays unlimited after any
    /// addition or subtraction.
    public struct Demand: Hashable, Comparable, Sendable {
        /// Above every limited one, so that a sum too large for an `Int` is unlimited.
        @inlinable static var unlimitedCount: UInt { UInt(Int.max) + 1 }

        @usableFromInline let count: UInt

        @inlinable
        init(count: UInt) {
            self.count = count
        }

        /// No values.
        @inlinable public static var none: Demand { Demand(count: 0) }

        /// As many values as there are.
        @inlinable public static var unlimited: Demand { Demand(count: unlimitedCount) }

        /// At most `count` values.
        ///
        /// The process stops with a sentence if `count` is negative.
        public static func max(_ count: Int) -> Demand {
            guard count >= 0 else { fatalError("a demand cannot be negative, and \(count) is") }
            return Demand(count: UInt(count))
        }

        /// The number of values, or nil if it is unlimited.
        public var max: Int? { Int(exactly: count) }

        /// Whether both are for as many values.
        @inlinable
        public static func == (left: Demand, right: Demand) -> Bool { left.count == right.count }

        /// Whether `left` is for fewer values.
        @inlinable
        public static func < (left: Demand, right: Demand) -> Bool { left.count < right.count }

        /// The sum of both.
        @inlinable
        public static func + (left: Demand, right: Demand) -> Demand {
            let (count, overflow) = left.count.addingReportingOverflow(right.count)
            return overflow ? .unlimited : Demand(count: Swift.min(count, unlimitedCount))
        }

        /// The demand that is left when `right` is taken from `left`; nothing, if `right` alone is
        /// unlimited.
        @inlinable
        public static func - (left: Demand, right: Demand) -> Demand {
            if left == .unlimited { return left }
            return left > right ? Demand(count: left.count - right.count) : .none
        }

        /// A demand `factor` times as large.
        public static func * (left: Demand, factor: Int) -> Demand {
            let (count, overflow) = left.count.multipliedReportingOverflow(
                by: Demand.max(factor).count)
            if left == .unlimited || overflow { return .unlimited }
            return Demand(count: Swift.min(count, unlimitedCount))
        }

        /// Adds a demand.
        @inlinable
        public static func += (left: inout Demand, right: Demand) { left = left + right }

        /// Takes a demand away.
        @inlinable
        public static func -= (left: inout Demand, right: Demand) { left = left - right }

        /// The sum with a number of values, not negative.
        public static func + (left: Demand, right: Int) -> Demand { left + .max(right) }

        /// The demand that is left when a number of values, not negative, is taken away.
        public static func - (left: Demand, right: Int) -> Demand { left - .max(right) }

        /// Adds a number of values, not negative.
        public static func += (left: inout Demand, right: Int) { left = left + right }

        /// Takes a number of values away, not negative.
        public static func -= (left: inout Demand, right: Int) { left = left - right }
    }
}

extension Subscribers.Demand: CustomStringConvertible {
    /// `unlimited`, or `max(3)`.
    public var description: String { max.map { "max(\($0))" } ?? "unlimited" }
}
