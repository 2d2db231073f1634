extension RandomAccessCollection where Index == Int {
    /// The first index whose element is `beyond`, or the end. Every element after one that is beyond is so
    /// too.
    ///
    /// - Complexity: O(log count).
    @inlinable
    public func partition(beyond: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if beyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
