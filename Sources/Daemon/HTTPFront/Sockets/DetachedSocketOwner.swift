/// Hears what becomes of a detached socket; called on its loop's thread.
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
/// No verb of a `DetachedSocket` calls its owner back: what a write finds out about its socket, and
/// what it costs others, owners hear when the call has returned.
public protocol StreamSocketOwner: DetachedSocketOwner {
    /// What was pending is with the kernel, or the stream's next turn has come: write more, until
    /// a write answers false. Called only after one did.
    func writable(_ socket: DetachedSocket)

    /// The peer has not read a byte of what is pending for `sendProgressSeconds`: close the socket,
    /// or end its stream. Called again after as long again.
    func stalled(_ socket: DetachedSocket)
}
