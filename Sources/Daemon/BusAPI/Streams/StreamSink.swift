internal import HTTPFront

/// The receiver of a stream's bytes: the body of an answer, or a WebSocket.
///
/// Confined to its loop. No verb calls the stream back.
protocol StreamSink: AnyObject {
    /// The other end; nil once it is over.
    var source: SocketOrigin? { get }

    /// The framing of each piece that is written.
    var framing: StreamFraming { get }

    /// Whether a piece may be written now.
    var isWritable: Bool { get }

    /// Whether this turn of the loop has room for more events, here or on another stream.
    var hasTurn: Bool { get }

    /// Whether this turn has room for more events of the past. Requests that are there come before
    /// most of these.
    var hasTurnForMuch: Bool { get }

    /// Has the stream, which may be written now, go on in the next turn.
    func rest()

    /// Answers the request without a stream; instead of ``beginStream(_:first:)``.
    func finish(_ answer: Response)

    /// Begins the stream: sends the headers of `head`, and `first` behind them.
    func beginStream(_ head: Response, first: ResponseBody)

    /// Writes the next piece; false when the one after it has to wait.
    @discardableResult func write(_ piece: ResponseBody) -> Bool

    /// Notes that a sign of life is due. The form's own heartbeat is written already.
    func beat()

    /// Sets the moment of the stream's deadline, counted from now.
    func setDeadline(milliseconds: Int?)

    /// Ends the stream, behind the bytes that were written.
    func end(_ reason: StreamEnd)
}

/// The reason why a stream ends.
enum StreamEnd {
    /// It has told everything it was asked for.
    case finished
    /// Its topic was deleted.
    case deleted
    /// The bus is shutting down.
    case draining
    /// Its reader does not read.
    case stalled
    /// Nobody may be left to read it.
    case uncertain
    /// Its reader may not have it any more.
    case forbidden
    /// The store did not give the next events.
    case failed
}

/// The bytes around the pieces of a stream.
enum StreamFraming {
    /// Nothing.
    case none
    /// HTTP/1.1's chunks.
    case chunks
    /// The frames of a WebSocket, of which forms write their own.
    case messages
}

extension DetachedSocket: StreamSink {
    var source: SocketOrigin? { origin }

    var framing: StreamFraming { isChunked ? .chunks : .none }

    func beat() {}

    func end(_ reason: StreamEnd) {
        if case .stalled = reason { close() } else { endStream() }
    }
}
