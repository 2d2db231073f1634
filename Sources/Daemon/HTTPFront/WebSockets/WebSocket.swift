/// A connection that speaks WebSocket frames (RFC 6455), server side, without extensions.
///
/// Pings are answered, closes echoed and broken frames refused here; the owner sees whole messages.
/// The owner writes whole frames, made by `WebSocketFrame`. They go out as a stream's pieces do.
///
/// Confined to its loop's thread; debug builds check it.
public final class WebSocket {
    enum State: Equatable {
        /// The handshake is right, and yet to be answered.
        case opening
        case open
        /// The owner has closed; the peer's close is awaited, and the owner hears that it is over.
        case closing
        case closed
    }

    let loop: any SocketLoop
    let connection: Connection
    private let detachedAt: UInt64
    var state = State.opening
    /// The owner; nil once it has heard `closed`.
    var owner: (any WebSocketOwner)?
    var machine: WebSocketMachine
    /// The facts that the answer to the handshake needs; nil once it is sent.
    private var handshake: WebSocketHandshake?

    var isPaused = false
    /// Whether the loop will come back to read.
    var isQueued = false
    /// Whether the peer owes a sign of life since the last ping.
    var isPinged = false
    /// Bytes that were read and that the machine is yet to be given.
    var held: BodyBuffer
    /// Control frames that wait for room, each the latest of its kind.
    var control = PendingControl()

    init(
        loop: any SocketLoop, connection: Connection, owner: any WebSocketOwner,
        handshake: WebSocketHandshake, messageBytesMax: Int
    ) {
        self.loop = loop
        self.connection = connection
        self.owner = owner
        self.handshake = handshake
        machine = WebSocketMachine(messageBytesMax: messageBytesMax, memory: loop.memory)
        held = BodyBuffer(memory: loop.memory)
        detachedAt = loop.now
    }

    /// The other end, and how long this has been open.
    public var origin: SocketOrigin {
        SocketOrigin(
            peer: connection.peer, milliseconds: Int(clamping: loop.now - detachedAt))
    }

    /// Opens the socket: sends the 101 with `headers` together with `first`, whole frames, in one
    /// `send`. After `closed` it does nothing.
    public func open(headers: HeaderLines = [], first: ResponseBody = .empty) {
        loop.assertOnThread()
        guard state == .opening, let handshake else { return }
        state = .open
        self.handshake = nil
        var fields = handshake.headers
        fields.add(contentsOf: headers)
        loop.beginStream(
            connection, Response(status: 101, headers: fields), first: first,
            for: handshake.context, framing: .switched)
        // Nobody was told of the input that came meanwhile.
        readSoon()
    }

    /// Answers the request without a WebSocket. The owner is released and hears nothing of it.
    /// After `open` or `closed` it does nothing.
    public func refuse(_ response: Response) {
        loop.assertOnThread()
        guard state == .opening, let handshake else { return }
        state = .closed
        owner = nil
        self.handshake = nil
        loop.finish(connection, response, for: handshake.context, ifLost: nil)
    }

    /// Whether neither end has closed, as far as is known.
    public var isOpen: Bool { state == .open }

    /// Whether frames may be written now: the socket is open, nothing is pending, and it has not
    /// had its share of this turn of the loop.
    public var isWritable: Bool { state == .open && connection.isWritable }

    /// Whether this turn of the loop has room for more bytes of answers; else it should `rest`.
    public var hasTurn: Bool { loop.budget.isLeft(for: .writes) }

    /// The same for many bytes that nobody has waited for. Requests that are there come before most
    /// of them.
    public var hasTurnForMuch: Bool { loop.budget.hasRoomForMuch }

    /// Makes the owner hear `writable` in the next turn of the loop, if the socket `isWritable`. It
    /// is not writable before.
    public func rest() {
        loop.assertOnThread()
        if state == .open { loop.rest(connection) }
    }

    /// Writes whole frames, with one `send`.
    ///
    /// Bytes that the kernel does not take are kept, counted, and written as the peer reads. Not to
    /// be called while the socket is open and not `isWritable`; once it is closed, it does nothing.
    ///
    /// - Returns: True when more may follow at once. False when it must wait until the owner hears
    ///   `writable`, or when nobody is left to read, which the owner hears soon.
    /// - Complexity: O(bytes that the kernel takes), independent of the loop's other connections.
    @discardableResult public func write(_ frames: ResponseBody) -> Bool {
        loop.assertOnThread()
        guard state == .open else { return false }
        return loop.writeStream(connection, frames)
    }

    /// Asks the peer for a sign of life, behind the pending bytes.
    ///
    /// A peer that has sent nothing at all since the ping before this one is `stalled`, which the
    /// owner hears soon; one that is not read from, because reading is paused, is not judged.
    public func ping() {
        loop.assertOnThread()
        guard state == .open else { return }
        if isPinged, !isPaused {
            connection.deadlines.stall = loop.now
            return loop.armDetached(connection)
        }
        isPinged = true
        control.ping = WebSocketFrame.ping
        sendControl()
    }

    /// Begins the closing handshake behind the pending bytes. No message is delivered any more, and
    /// only `closed` is called: once the peer has answered, or `webSocketCloseSeconds` are over.
    /// While the server drains, `webSocketDrainCloseMilliseconds` is the limit.
    ///
    /// - Parameters:
    ///   - code: One that may be sent.
    ///   - reason: A text for people that debug the client; cut to 123 bytes.
    public func close(_ code: CloseCode, _ reason: String = "") {
        loop.assertOnThread()
        precondition(code.isSendable, "no close frame may carry the code \(code.rawValue)")
        guard state == .open else { return }
        state = .closing
        isPaused = false
        control = PendingControl(close: WebSocketFrame.close(code, reason))
        let limit =
            loop.isDraining ? HTTPFrontLimits.webSocketDrainCloseMilliseconds : Int.max
        loop.setDeadline(
            of: connection, milliseconds: min(loop.settings.webSocketCloseMilliseconds, limit))
        readSoon()
        sendControl()
    }

    /// Delivers no more messages until `resumeReading`; the kernel then stops the peer.
    ///
    /// Takes effect at once, between two messages that came together too.
    public func pauseReading() {
        loop.assertOnThread()
        guard state == .open else { return }
        isPaused = true
        connection.deadlines.input = .max
    }

    /// Delivers messages again, from the loop's next turn on.
    public func resumeReading() {
        loop.assertOnThread()
        guard isPaused else { return }
        (isPaused, isPinged) = (false, false)
        readSoon()
    }

    /// Sets or removes the moment of `timedOut`, counted from now.
    ///
    /// - Parameter milliseconds: 0 or more; nil for none.
    /// - Complexity: O(1).
    public func setDeadline(milliseconds: Int?) {
        loop.assertOnThread()
        guard state == .open || state == .opening else { return }
        loop.setDeadline(of: connection, milliseconds: milliseconds)
    }
}

/// Control frames that wait until they may go out between two of the owner's.
struct PendingControl {
    /// The answer to the latest ping. If a peer sends many pings, perhaps only the last is
    /// answered.
    var pong: [UInt8] = []
    var ping: [UInt8] = []
    /// Behind it nothing is sent any more.
    var close: [UInt8] = []

    var frames: [UInt8] { pong + ping + close }
}
