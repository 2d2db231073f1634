/// Hears what becomes of a socket that left the parser; called on its loop's thread.
public protocol DetachedSocketOwner: AnyObject {
    /// Nobody is left to read an answer, or the server stopped. The socket is closed already;
    /// nothing of it is called again.
    func closed(_ socket: DetachedSocket)

    /// The deadline passed. The socket waits on, without one, until it is finished.
    func timedOut(_ socket: DetachedSocket)

    /// The peer sends no more, and nobody can tell whether it still reads: finish the socket now
    /// with the answer that is true at this moment.
    func peerUncertain(_ socket: DetachedSocket)
}

/// A connection whose request waits outside the parser.
///
/// A peer that vanishes is noticed at once, one that only closed its sending side waits on. Bytes
/// that arrive behind the request stay in the kernel and are served after the answer.
///
/// Confined to its loop's thread; debug builds check it.
public final class DetachedSocket {
    private let loop: EventLoop
    private let connection: Connection

    /// What an answer has to know of the request.
    public let context: ResponseContext

    init(loop: EventLoop, connection: Connection, context: ResponseContext) {
        self.loop = loop
        self.connection = connection
        self.context = context
    }

    /// Sets or removes the moment of `timedOut`, counted from now.
    ///
    /// - Parameter milliseconds: 0 or more; nil for none.
    /// - Complexity: O(1).
    public func setDeadline(milliseconds: Int?) {
        loop.assertOnThread()
        loop.setDeadline(of: connection, milliseconds: milliseconds)
    }

    /// Answers the request, with one `send` where the kernel takes it whole; then the connection
    /// serves its next request, or closes.
    ///
    /// What the kernel does not take is kept, counted and written as the peer reads. The owner is
    /// released and hears nothing of it. Finishing twice, or after `closed`, does nothing.
    public func finish(_ response: Response) {
        loop.assertOnThread()
        loop.finish(connection, response, for: context)
    }

    /// Closes the connection without an answer. The owner is released and hears nothing.
    public func close() {
        loop.assertOnThread()
        loop.abandon(connection)
    }
}
