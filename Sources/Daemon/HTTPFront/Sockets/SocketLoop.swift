internal import Telemetry

/// The parts of a loop that a socket needs that waits, is streamed to or speaks frames.
///
/// Confined to the loop's thread.
protocol SocketLoop: AnyObject {
    var settings: LoopSettings { get }
    var meters: LoopMeters { get }
    var memory: MemoryBudget { get }
    var budget: TurnBudget { get }
    var reader: SocketReader { get }
    /// Milliseconds of the monotonic clock at the beginning of this turn.
    var now: UInt64 { get }
    /// The end of the loop's drain, in monotonic milliseconds; nil while it serves.
    var drainDue: UInt64? { get }

    /// Stops the process, in debug builds, when it is called on another thread.
    func assertOnThread()

    /// Sets the time at which the owner hears `timedOut`: not before `milliseconds` have passed,
    /// nil for never.
    func setDeadline(of connection: Connection, milliseconds: Int?)
    /// Sets the wheel to the first of a detached socket's deadlines.
    func armDetached(_ connection: Connection)

    /// Answers a parked request; `ifLost` is called if nobody gets the answer.
    func finish(
        _ connection: Connection, _ response: Response, for context: ResponseContext,
        ifLost: (() -> Void)?)

    /// Answers a detached request with a head, behind which a stream or another protocol begins.
    func beginStream(
        _ connection: Connection, _ response: Response, first: ResponseBody,
        for context: ResponseContext, framing: BodyFraming)
    /// Writes a piece of a stream; false when the next has to wait.
    func writeStream(_ connection: Connection, _ piece: ResponseBody) -> Bool
    /// Writes a piece of a stream without pending bytes, even if it has had its share of the turn.
    func push(_ piece: ResponseBody, to connection: Connection)
    /// Takes the socket of a stream from its owner, and ends it with these bytes.
    func endStream(_ connection: Connection, with end: [UInt8], closes: Bool)
    /// Has a stream go on in the next turn.
    func rest(_ connection: Connection)

    /// Has a WebSocket hear `readingIsDue` in a later turn.
    func readLater(_ socket: WebSocket)
    /// Carries out the action that a connection's machine asks for.
    func carryOut(_ action: ConnectionAction, on connection: Connection)
    /// Takes a socket from its owner, which hears nothing of it any more, and closes it.
    func abandon(_ connection: Connection)
}

extension SocketLoop {
    var isDraining: Bool { drainDue != nil }
}
