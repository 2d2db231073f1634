/// One request's way to its answer, valid while `RequestHandler.handle` runs.
///
/// Confined to its loop's thread, like the handler; debug builds check it.
public struct Exchange {
    private let loop: EventLoop
    private let connection: Connection
    private let request: ActiveRequest

    init(loop: EventLoop, connection: Connection, request: ActiveRequest) {
        self.loop = loop
        self.connection = connection
        self.request = request
    }

    /// Whether the server is draining. Every answer then closes its connection, and no request may
    /// wait.
    public var isDraining: Bool { loop.isDraining }

    /// Whether nothing else happened in this turn of the loop, as far as it knows. Anything that
    /// the handler does for others before it returns then delays only this request's own client.
    public var isAlone: Bool { loop.turn.servesOne }

    /// Answers this request from any thread, now or later.
    public var reply: PendingReply {
        PendingReply(mailbox: loop.mailbox, slot: connection.slot, number: request.number)
    }

    /// The peer that made the request.
    public var peer: Peer { connection.peer }

    /// The user who asks, or nil when unknown.
    public var uid: UInt32? { connection.peer.uid }

    /// The process that asks, or nil when unknown.
    public var pid: Int32? { connection.peer.pid }

    /// The account of the caller: its connections, subscribers and queued bytes by now, over all of
    /// its connections.
    public var account: CallerAccount {
        guard let account = connection.account else {
            preconditionFailure("a connection has an account from its acceptance on")
        }
        return account
    }

    /// Tells the access log in which form the answer will be.
    public func note(form: String) {
        connection.trace?.record.form = form
    }

    /// Answers the request; the first answer counts.
    public func respond(_ response: Response) {
        loop.assertOnThread()
        precondition(request.isHandled, "an exchange ends when handle returns")
        precondition(!request.isDetached, "a detached socket is answered by DetachedSocket.finish")
        if request.response == nil { request.response = response }
    }

    /// Makes the request wait, maybe long. The `owner` is called when something happens to the
    /// socket.
    ///
    /// The owner is held until the socket is finished or closed.
    ///
    /// - Returns: Nil when the request must be answered at once instead: another request is
    ///   pipelined behind it, the server drains, or it was answered.
    public func detach(_ owner: any DetachedSocketOwner) -> DetachedSocket? {
        loop.assertOnThread()
        return detach(isStream: false) { .wait(owner, $0) }
    }

    /// Answers the request by a stream, which `DetachedSocket.beginStream` opens. Until then it
    /// waits like any other request, and `finish` answers it.
    ///
    /// A request that is pipelined behind this one is served when the stream has ended.
    ///
    /// - Returns: Nil when the request must be answered at once instead: the server drains, or it was
    ///   answered.
    public func detachStream(_ owner: any StreamSocketOwner) -> DetachedSocket? {
        loop.assertOnThread()
        return detach(isStream: true) { .stream(owner, $0) }
    }

    /// Checks the handshake of a WebSocket; `WebSocket.open` then sends the 101, now or later.
    ///
    /// No extension is agreed to, and no subprotocol unless the headers of `open` name one. The
    /// owner is held until `closed`.
    ///
    /// - Parameter messageBytesMax: Bytes of one message; a longer one closes the socket by 1009.
    /// - Returns: Nil when the request must be answered at once instead: the server drains, or it was
    ///   answered.
    /// - Throws: The problem to answer when the handshake is not right: 400 `REQUEST_MALFORMED` or
    ///   426 `WEBSOCKET_VERSION` (RFC 6455 section 4.2).
    public func detachWebSocket(
        _ owner: any WebSocketOwner, messageBytesMax: Int
    ) throws(Problem) -> WebSocket? {
        loop.assertOnThread()
        guard isOpen, let head = request.head else { return nil }
        let handshake = try WebSocketHandshake(head)
        guard !connection.machine.hasInput else {
            throw Problem(
                400, "REQUEST_MALFORMED",
                detail: "Open the WebSocket on a connection of its own, and wait for the 101.",
                closesConnection: true)
        }
        guard loop.detach(connection, isStream: true) else { return nil }
        request.isDetached = true
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
        request.isDetached = true
        let socket = DetachedSocket(
            loop: loop, connection: connection, context: request.context)
        connection.owner = owner(socket)
        return socket
    }

    private var isOpen: Bool { request.response == nil && !request.isDetached && request.isHandled }
}
