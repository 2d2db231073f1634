internal import HTTPFront

/// One request that waits on its loop until it is answered, once: for events, for a job, for a reply, or
/// for something that is done beside the loop.
///
/// Belongs to its loop. A subclass defines ``end()``, and the rights that its caller needs.
class WaitingExchange: LoopWait, DetachedSocketOwner {
    // The loop has every wait in its tables, and outlives them.
    unowned let loop: BusLoop
    /// How it is answered; nil before it waits and once it was answered.
    private(set) final var path: AnswerPath?
    /// The access rules that it was judged by last.
    final var accessNumber: UInt32
    /// The refusal for a caller that may not wait any more; nil while it may.
    private(set) final var revoked: Refusal?

    init(on loop: BusLoop) {
        self.loop = loop
        accessNumber = loop.gate.number
    }

    final var isWaiting: Bool { path != nil }

    /// The socket of its client; nil if nobody hears of the client's end.
    final var socket: DetachedSocket? { path?.socket }

    /// Has the client of a request wait, with its own socket if it can be had.
    ///
    /// - Parameter microseconds: Until ``timedOut(_:)``; nil for no end. Without a socket there is none.
    final func park(_ exchange: Exchange, for microseconds: Int64?) {
        if detach(exchange) == nil { reply(by: exchange) }
        if let microseconds { socket?.setDeadline(milliseconds: Int(microseconds / 1_000)) }
    }

    /// Has the client of a request wait with its own socket; nil if that cannot be had.
    final func detach(_ exchange: Exchange) -> DetachedSocket? {
        guard let socket = exchange.detach(self) else { return nil }
        path = .socket(socket)
        return socket
    }

    /// Has the client of a request wait without its socket: nobody hears of the client's end.
    final func reply(by exchange: Exchange) { path = .reply(exchange.reply) }

    /// Answers it, if somebody is still there.
    ///
    /// - Parameter ifLost: Called if nobody got the answer, as far as that is known.
    final func finish(_ response: Response, ifLost: (() -> Void)? = nil) {
        let path = path
        leave()
        guard let path else {
            ifLost?()
            return
        }
        path.send(response, ifLost: ifLost)
    }

    /// Waits no longer.
    final func leave() {
        path = nil
        forget()
    }

    /// Has its loop forget it.
    func forget() { loop.waits.leave(self) }

    /// Ends soon: its time is up, nobody may be there, or it is not allowed.
    func end() {}

    /// Goes on if the current rules and tokens let its caller wait.
    func requireAllowed() throws(Refusal) {}

    func reauthorize() {
        guard accessNumber != loop.gate.number, revoked == nil else { return }
        accessNumber = loop.gate.number
        loop.budget.add(Limits.judgementSteps)
        do throws(Refusal) {
            try requireAllowed()
        } catch {
            revoked = error
            end()
        }
    }

    func drain() { end() }

    func timedOut(_ socket: DetachedSocket) { end() }

    func peerUncertain(_ socket: DetachedSocket) { end() }

    func closed(_ socket: DetachedSocket) {
        leave()
        end()
    }
}

/// The way to answer a waiting request once its answer is there.
///
/// Belongs to its loop.
enum AnswerPath {
    /// Its socket is detached, and the socket's owner hears of the client's end.
    case socket(DetachedSocket)
    /// Its socket is not detached, and nobody hears of the client's end.
    case reply(PendingReply)

    /// The socket, if it is detached.
    var socket: DetachedSocket? { if case .socket(let socket) = self { socket } else { nil } }

    /// Answers; the path is used once.
    ///
    /// - Parameter ifLost: Called if it is known that the client did not get the answer, see
    ///   `DetachedSocket.finish`. If the socket is not detached, nobody knows.
    func send(_ response: Response, ifLost: (() -> Void)? = nil) {
        switch self {
        case .socket(let socket): socket.finish(response, ifLost: ifLost)
        case .reply(let reply): reply.send(response)
        }
    }
}
