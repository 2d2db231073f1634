/// Why the daemon cannot start.
public struct DaemonError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let detail: String

    /// The detail.
    public var description: String { detail }

    init(detail: String) {
        self.detail = detail
    }
}
