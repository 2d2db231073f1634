/// Says which groups a user is in, for callers over TCP, whom the kernel names by their uid alone.
///
/// It is asked on the loops' threads, for every connection, and must not wait.
public protocol PeerGroups: Sendable {
    /// The groups of a user, or the promise to call `then` with them, once, on any thread.
    func groups(
        of uid: UInt32, then: @escaping @Sendable (_ groups: [UInt32]?) -> Void
    ) -> PeerGroupsAnswer
}

/// What is known of a user's groups.
public enum PeerGroupsAnswer: Sendable {
    /// These; nil for unknown, or where nobody needs them.
    case known([UInt32]?)
    /// They are being looked up: the connection waits for it, a bounded time, before anything is
    /// read from it.
    case later
}
