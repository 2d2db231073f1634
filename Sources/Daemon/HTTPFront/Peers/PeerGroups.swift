/// A directory of the groups that users are in, for callers over TCP: of these the kernel tells the
/// uid alone.
///
/// It is asked on the loops' threads, for every connection, and must not wait.
public protocol PeerGroups: AnyObject, Sendable {
    /// Whether anybody needs groups; if not, no user's groups are asked for.
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

/// The answer to a question about a user's groups.
public enum PeerGroupsAnswer: Sendable {
    /// These groups; nil if they are unknown, or nobody needs them.
    case known([UInt32]?)
    /// They are being looked up. The connection waits for them, a bounded time, before anything is
    /// read from it. The ticket, which is not 0, names the question.
    case later(ticket: UInt64)
}
