public import Topics

extension StartPosition {
    /// The text of the parameter `since`.
    public var parameter: String {
        switch self {
        case .after(let id): "\(id)"
        case .now: "now"
        case .earliest: "earliest"
        case .latest: "latest"
        case .last(let count): "-\(count)"
        case .ago(let microseconds): Quantity.text(microseconds: microseconds)
        case .time(let time): time.rfc3339
        }
    }
}
