internal import Synchronization

/// How a quantity is spread: counts by power of two, up to a maximum, and the sum.
///
/// The bucket of a value is the smallest power of two that is not below it, so a bound read from
/// it is right within a factor of two. Values above the last bound count in the last bucket.
///
/// Safe from any thread; an observation is two atomic instructions. A reader that looks while
/// others count may see a bucket without its share of the sum.
public final class Histogram: Sendable {
    /// Buckets: bounds 1, 2, 4 … 2^30, which as microseconds reaches eighteen minutes.
    public static let bucketCount = 31

    private let buckets: [Counter]
    private let total = Counter()

    /// A histogram without observations.
    public init() {
        buckets = (0..<Self.bucketCount).map { _ in Counter() }
    }

    /// Counts one value; a negative one counts as zero.
    public func observe(_ value: Int) {
        buckets[Self.bucket(of: value)].add()
        total.add(max(0, value))
    }

    /// The observations of each bucket, whose bound is two to the power of its position.
    public var counts: [Int] { buckets.map(\.value) }

    /// The sum of all values.
    public var sum: Int { total.value }

    private static func bucket(of value: Int) -> Int {
        guard value > 1 else { return 0 }
        return min(Int.bitWidth - (value - 1).leadingZeroBitCount, bucketCount - 1)
    }
}
