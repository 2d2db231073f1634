/// Why the daemon cannot start.
public struct DaemonError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The problem and its remedy.
    public let detail: String

    /// The detail.
    public var description: String { detail }

    /// Whether another program listens at one of its addresses.
    let isAddressTaken: Bool

    init(detail: String, isAddressTaken: Bool = false) {
        self.detail = detail
        self.isAddressTaken = isAddressTaken
    }
}
