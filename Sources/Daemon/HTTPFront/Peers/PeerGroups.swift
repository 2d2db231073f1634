/// Says which groups a user is in, for callers over TCP, whom the kernel names by their uid alone.
///
/// It is asked on the loops' threads, for every connection, and must not wait.
public protocol PeerGroups: AnyObject, Sendable {
    /// Whether anybody needs groups: nobody is asked about otherwise.
    var areNeeded: Bool { get }

    /// The groups of a user, or the promise to call `then` with them, once, on any thread.
    func groups(
        of uid: UInt32, then: @escaping @Sendable (_ groups: [UInt32]?) -> Void
    ) -> PeerGroupsAnswer

    /// Takes back a question about a user that was answered by ``PeerGroupsAnswer/later(ticket:)``:
    /// nobody waits for it any more, and its `then` is let go. It may have been called already, or be
    /// called at this moment.
    func withdraw(_ ticket: UInt64, about uid: UInt32)
}

/// What is known of a user's groups.
public enum PeerGroupsAnswer: Sendable {
    /// These; nil for unknown, or where nobody needs them.
    case known([UInt32]?)
    /// They are being looked up: the connection waits for it, a bounded time, before anything is
    /// read from it. The ticket, which is not 0, names the question.
    case later(ticket: UInt64)
}
