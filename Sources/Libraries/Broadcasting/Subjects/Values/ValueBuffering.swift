/// The choice of the values that are kept for a reader of `values` that is slower than its
/// publisher. The others are dropped.
public enum ValueBuffering: Hashable, Sendable {
    /// The first values, up to so many; values that come when they are there are dropped. From 1 to
    /// 65,536.
    case oldest(Int)
    /// The last values, up to so many; for each that comes when they are there, the oldest is
    /// dropped. From 1 to 65,536.
    case newest(Int)

    /// The last 1,024 values.
    public static let standard = newest(SubjectLimits.bufferedValuesDefault)

    /// The number of values; the process stops with a sentence if it is out of range.
    var checkedCount: Int {
        let count =
            switch self {
            case .oldest(let count), .newest(let count): count
            }
        guard 1...SubjectLimits.bufferedValuesMax ~= count else {
            fatalError(
                "values buffers 1 to \(SubjectLimits.bufferedValuesMax) values, not \(count)")
        }
        return count
    }
}
