internal import HTTPFront

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
