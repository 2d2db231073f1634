/// Hears of the end of a detached socket, and of its deadlines; called on its loop's thread.
public protocol DetachedSocketOwner: AnyObject {
    /// Nobody is left to read, or the server stopped. The socket is closed already; nothing of it
    /// is called again.
    func closed(_ socket: DetachedSocket)

    /// The deadline passed. The socket waits on, without one, until another is set.
    func timedOut(_ socket: DetachedSocket)

    /// The peer sends no more, and nobody can tell whether it still reads: finish the socket now
    /// with the answer that is true at this moment, or end its stream.
    func peerUncertain(_ socket: DetachedSocket)
}

/// Hears, besides, when a stream may be written on; called on its loop's thread.
///
/// No verb of a `DetachedSocket` calls its owner back. Owners hear of the results of a write, and
/// of its cost to others, when the call has returned.
public protocol StreamSocketOwner: DetachedSocketOwner {
    /// The pending bytes are with the kernel, or the stream's next turn has come: write more, until
    /// a write answers false. Called only after one did.
    func writable(_ socket: DetachedSocket)

    /// The peer has not read a byte of the pending ones for `sendProgressSeconds`: close the
    /// socket, or end its stream. Called again after as long again.
    func stalled(_ socket: DetachedSocket)
}
