/// One request's way to its answer, valid while `RequestHandler.handle` runs.
///
/// Confined to its loop's thread, like the handler; debug builds check it.
public final class Exchange {
    private let loop: EventLoop
    private let connection: Connection
    private let request: ActiveRequest
    private(set) var response: Response?
    private(set) var isDetached = false

    init(loop: EventLoop, connection: Connection, request: ActiveRequest) {
        self.loop = loop
        self.connection = connection
        self.request = request
    }

    /// Whether the server is draining: every answer then closes its connection, and nothing may
    /// wait.
    public var isDraining: Bool { loop.isDraining }

    /// Whether nothing else happened in this turn of the loop, as far as it knows: what the handler
    /// does for others before it returns then delays nobody but this request's own client.
    public var isAlone: Bool { loop.turn.servesOne }

    /// Answers this request from any thread, now or later.
    public var reply: PendingReply {
        PendingReply(mailbox: loop.mailbox, slot: connection.slot, number: request.number)
    }

    /// Who asks.
    public var peer: Peer { connection.peer }

    /// What the handler left for the connection's next requests, such as an object that it can use
    /// again; released when the connection closes.
    public var memo: AnyObject? {
        get { connection.memo }
        set { connection.memo = newValue }
    }

    /// What the caller holds by now, over all of their connections.
    public var account: CallerAccount {
        guard let account = connection.account else {
            preconditionFailure("a connection has an account from its acceptance on")
        }
        return account
    }

    /// Says for the access log in which form the answer will be.
    public func note(form: String) {
        connection.trace?.record.form = form
    }

    /// Answers the request; the first answer counts.
    public func respond(_ response: Response) {
        loop.assertOnThread()
        precondition(request.stage == .handling, "an exchange ends when handle returns")
        precondition(!isDetached, "a detached socket is answered by DetachedSocket.finish")
        if self.response == nil { self.response = response }
    }

    /// Says that the head of this request, with another value in one place, can be answered without
    /// being parsed when it comes again, on this or another connection of the loop; `make` makes what
    /// answers it then. The answer must not depend on `traceparent`, which may be another one.
    ///
    /// `make` is called before this returns, and only where the bytes of the request are known to be
    /// all that it has. What it makes is held until many other heads have come, or
    /// `RequestHandler.configurationNumber` changes; nobody can rely on it.
    ///
    /// - Parameters:
    ///   - place: Where that value stands.
    ///   - name: Where in the raw target a name stands that may differ too; nil for none.
    public func offer(
        valueAt place: ValuePlace, withName name: Range<Int>? = nil,
        _ make: () -> any KnownRequest
    ) {
        loop.assertOnThread()
        guard isOpen else { return }
        loop.learn(request, on: connection, valueAt: place, name: name, make)
    }

    /// Takes the socket out of the parser, for a wait that may be long; `owner` hears what becomes
    /// of it.
    ///
    /// Costs no memory of the parser while it waits. The owner is held until the socket is finished
    /// or closed.
    ///
    /// - Returns: Nil when the request must be answered at once instead: another request is
    ///   pipelined behind it, the server drains, no descriptor is free, or it was answered.
    public func detach(_ owner: any DetachedSocketOwner) -> DetachedSocket? {
        loop.assertOnThread()
        return detach(isStream: false) { .wait(owner, $0) }
    }

    /// Takes the socket out of the parser for a stream, which `DetachedSocket.beginStream` opens;
    /// until then it is a wait like any other, and `finish` answers it.
    ///
    /// A request that is pipelined behind this one does not keep it from streaming: the connection
    /// then closes behind the stream, and its head says so.
    ///
    /// - Returns: Nil when the request must be answered at once instead: the server drains, no
    ///   descriptor is free, or it was answered.
    public func detachStream(_ owner: any StreamSocketOwner) -> DetachedSocket? {
        loop.assertOnThread()
        return detach(isStream: true) { .stream(owner, $0) }
    }

    /// Checks the handshake of a WebSocket and takes the socket out of the parser;
    /// `WebSocket.open` then sends the 101, now or later.
    ///
    /// No extension is agreed to, and no subprotocol unless the headers of `open` name one. The
    /// owner is held until `closed`.
    ///
    /// - Parameter messageBytesMax: Bytes of one message; a longer one closes the socket by 1009.
    /// - Returns: Nil when the request must be answered at once instead: the server drains, no
    ///   descriptor is free, or it was answered.
    /// - Throws: What to answer when the handshake is not right: 400 `REQUEST_MALFORMED` or 426
    ///   `WEBSOCKET_VERSION` (RFC 6455 section 4.2).
    public func detachWebSocket(
        _ owner: any WebSocketOwner, messageBytesMax: Int
    ) throws(Problem) -> WebSocket? {
        loop.assertOnThread()
        guard isOpen, let head = request.head else { return nil }
        let handshake = try WebSocketHandshake(head)
        guard connection.pipelinedBytes() == 0 else {
            // What the parser has read nobody else can reach.
            throw Problem(
                400, "REQUEST_MALFORMED",
                detail: "Open the WebSocket on a connection of its own, and wait for the 101.",
                closesConnection: true)
        }
        guard loop.detach(connection, isStream: true) else { return nil }
        isDetached = true
        let socket = WebSocket(
            loop: loop, connection: connection, owner: owner, handshake: handshake,
            messageBytesMax: messageBytesMax)
        connection.owner = .webSocket(socket)
        return socket
    }

    private func detach(
        isStream: Bool, _ owner: (DetachedSocket) -> SocketOwner
    ) -> DetachedSocket? {
        guard isOpen, loop.detach(connection, isStream: isStream) else { return nil }
        isDetached = true
        let socket = DetachedSocket(
            loop: loop, connection: connection, context: request.context)
        connection.owner = owner(socket)
        return socket
    }

    private var isOpen: Bool { response == nil && !isDetached && request.stage == .handling }
}
