/// How far the largest are cut where something has to become free, in memory or on a disk.
package enum CommonLevel {
    /// The highest level such that cutting all `sizes`, which fall, down to it frees `bytes`.
    ///
    /// - Complexity: O(sizes above the level).
    package static func of(_ sizes: [Int], freeing bytes: Int) -> Int {
        var sum = 0
        for (index, size) in sizes.enumerated() {
            sum += size
            let next = index + 1 < sizes.count ? sizes[index + 1] : 0
            if sum - next * (index + 1) >= bytes { return (sum - bytes) / (index + 1) }
        }
        return 0
    }
}
