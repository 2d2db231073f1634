internal import HTTPFront

/// How a request that waits is answered once it can be.
///
/// Belongs to its loop.
enum AnswerPath {
    /// Its socket has left the parser, and the socket's owner hears of the client's end.
    case socket(DetachedSocket)
    /// The parser keeps the socket; nobody hears of the client's end.
    case parser(PendingReply)

    /// Has the client of a request wait for `owner`.
    init(to exchange: Exchange, for owner: any DetachedSocketOwner) {
        if let socket = exchange.detach(owner) {
            self = .socket(socket)
        } else {
            self = .parser(exchange.reply)
        }
    }

    /// The socket, where it has left the parser.
    var socket: DetachedSocket? { if case .socket(let socket) = self { socket } else { nil } }

    /// Answers; the path is used once.
    ///
    /// - Parameter ifLost: Called if it is known that the client did not get the answer, see
    ///   `DetachedSocket.finish`; where the parser keeps the socket, nobody knows.
    func send(_ response: Response, ifLost: (() -> Void)? = nil) {
        switch self {
        case .socket(let socket): socket.finish(response, ifLost: ifLost)
        case .parser(let reply): reply.send(response)
        }
    }
}
