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

    /// Answers this request from any thread, now or later.
    public var reply: PendingReply {
        PendingReply(mailbox: loop.mailbox, slot: connection.slot, number: request.number)
    }

    /// Answers the request; the first answer counts.
    public func respond(_ response: Response) {
        loop.assertOnThread()
        precondition(request.stage == .handling, "an exchange ends when handle returns")
        precondition(!isDetached, "a detached socket is answered by DetachedSocket.finish")
        if self.response == nil { self.response = response }
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
        guard response == nil, !isDetached, request.stage == .handling else { return nil }
        guard let socket = loop.detach(connection, request, owner: owner) else { return nil }
        isDetached = true
        return socket
    }
}
