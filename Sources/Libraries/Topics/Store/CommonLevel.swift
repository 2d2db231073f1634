/// How far the largest are cut where something has to become free, in memory or on a disk.
package enum CommonLevel {
    /// The highest level such that cutting all `sizes`, which fall, down to it frees `bytes`.
    ///
    /// - Complexity: O(sizes above the level), and takes one size more.
    package static func of(_ sizes: some Sequence<Int>, freeing bytes: Int) -> Int {
        var (sum, count) = (0, 0)
        for size in sizes {
            if count > 0, sum - size * count >= bytes { break }
            sum += size
            count += 1
        }
        return count == 0 ? 0 : max(0, (sum - bytes) / count)
    }
}
