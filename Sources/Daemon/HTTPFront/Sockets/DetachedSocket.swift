/// A connection whose request waits, or is being answered by a stream.
///
/// A peer that vanishes is noticed at once, one that only closed its sending side waits on. Bytes
/// that arrive behind the request stay in the kernel and are served after the answer.
///
/// A stream is begun once, written piece by piece as the peer reads, and ended:
///
/// ```swift
/// socket.beginStream(Response(status: 200), first: chunk)
/// while socket.isWritable, let piece = next() { socket.write(piece) }   // and in `writable`
/// socket.endStream()
/// ```
///
/// Confined to its loop's thread; debug builds check it.
public final class DetachedSocket {
    private let loop: any SocketLoop
    let connection: Connection
    private let detachedAt: UInt64

    /// The facts about the request that an answer needs.
    public let context: ResponseContext

    init(loop: any SocketLoop, connection: Connection, context: ResponseContext) {
        self.loop = loop
        self.connection = connection
        self.context = context
        detachedAt = loop.now
    }

    /// The other end, and how long this has waited or streamed.
    public var origin: SocketOrigin {
        SocketOrigin(
            peer: connection.peer, milliseconds: Int(clamping: loop.now - detachedAt))
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
    /// Bytes that the kernel does not take are kept, counted and written as the peer reads. The
    /// owner is released and hears nothing of it. Finishing twice, or after `closed`, does nothing;
    /// a stream that has begun is not finished but ended.
    public func finish(_ response: Response) { finish(response, ifLost: nil) }

    /// The same, for an answer whose loss the caller has to know of.
    ///
    /// - Parameter ifLost: Called once if the connection ends, or has ended, before the kernel has
    ///   the answer whole; released otherwise. That the kernel has it says nothing about the peer. It
    ///   is called while the connection is being closed, and touches no socket.
    public func finish(_ response: Response, ifLost: (() -> Void)?) {
        loop.assertOnThread()
        loop.finish(connection, response, for: context, ifLost: ifLost)
    }

    /// Begins a stream: sends the head of `response`, whose own body is ignored, together with
    /// `first`, in one `send`.
    ///
    /// In HTTP/1.1 the body is chunked and `first` and all later pieces are whole chunks, framed by
    /// `ChunkFraming`; in HTTP/1.0 they are the bare bytes, and the connection closes behind them.
    /// To HEAD, and with a status that forbids a body, the head is all there is, and the stream
    /// has ended as if by `endStream`.
    public func beginStream(_ response: Response, first: ResponseBody) {
        loop.assertOnThread()
        guard connection.machine.phase == .parked else { return }
        guard case .stream = connection.owner else {
            preconditionFailure("a stream is begun on a socket that detachStream gave")
        }
        loop.beginStream(
            connection, response, first: first, for: context,
            framing: isChunked ? .chunked : .untilClose)
    }

    /// Milliseconds until the server closes it without an answer; nil while the server does not drain.
    public var drainMillisecondsLeft: Int? {
        loop.drainDue.map { Int(clamping: Int64(clamping: $0) - Int64(loop.now)) }
    }

    /// Whether a stream's pieces are chunks, with their framing.
    public var isChunked: Bool { context.version == .http11 }

    /// Whether a stream has begun and may be written now: nothing is pending, and it has not had
    /// its share of this turn of the loop.
    public var isWritable: Bool { connection.isWritable }

    /// Whether this turn of the loop has room for more bytes of answers; else a stream should `rest`.
    public var hasTurn: Bool { loop.budget.isLeft(for: .writes) }

    /// The same for many bytes that nobody has waited for. Requests that are there come before most
    /// of them.
    public var hasTurnForMuch: Bool { loop.budget.hasRoomForMuch }

    /// Makes the owner of a stream that `isWritable` hear `writable` in the next turn of the loop.
    /// The stream is not writable before.
    public func rest() {
        loop.assertOnThread()
        loop.rest(connection)
    }

    /// Writes the next piece of a stream, with one `send`.
    ///
    /// Bytes that the kernel does not take are kept, counted, and written as the peer reads. Not to
    /// be called again before `isWritable`. After `closed`, or the stream's end, it does nothing.
    ///
    /// - Returns: True when the next piece may follow at once. False when it must wait until the
    ///   owner hears `writable`, or when nobody is left to read, which the owner hears soon.
    /// - Complexity: O(bytes that the kernel takes), independent of the loop's other connections.
    @discardableResult public func write(_ piece: ResponseBody) -> Bool {
        loop.assertOnThread()
        return loop.writeStream(connection, piece)
    }

    /// Ends a stream behind its pending bytes; then the connection serves its next request, or
    /// closes.
    ///
    /// The owner is released and hears nothing of it. Ending twice, or after `closed`, does nothing.
    public func endStream() {
        loop.assertOnThread()
        precondition(
            connection.machine.phase != .parked, "a wait without a stream is answered by finish")
        loop.endStream(
            connection, with: isChunked ? ChunkFraming.last : [],
            closes: connection.machine.mustClose || loop.isDraining)
    }

    /// Closes the connection without an answer, or in the middle of one. The owner is released and
    /// hears nothing.
    public func close() {
        loop.assertOnThread()
        loop.abandon(connection)
    }
}
