/// Why the daemon cannot start.
public struct DaemonError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let detail: String

    /// The detail.
    public var description: String { detail }

    /// Whether another program listens where it was to listen.
    let isAddressTaken: Bool

    init(detail: String, isAddressTaken: Bool = false) {
        self.detail = detail
        self.isAddressTaken = isAddressTaken
    }
}
