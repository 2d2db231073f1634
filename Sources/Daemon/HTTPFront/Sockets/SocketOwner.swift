/// The owner that hears of a detached socket, with the socket as the owner knows it.
enum SocketOwner {
    /// Waits for something to answer.
    case wait(any DetachedSocketOwner, DetachedSocket)
    /// Writes a stream.
    case stream(any StreamSocketOwner, DetachedSocket)
    /// Speaks frames, and has an owner of its own.
    case webSocket(WebSocket)

    func closed() {
        switch self {
        case .wait(let owner, let socket): owner.closed(socket)
        case .stream(let owner, let socket): owner.closed(socket)
        case .webSocket(let socket): socket.connectionClosed()
        }
    }

    func timedOut() {
        switch self {
        case .wait(let owner, let socket): owner.timedOut(socket)
        case .stream(let owner, let socket): owner.timedOut(socket)
        case .webSocket(let socket): socket.deadlinePassed()
        }
    }

    func peerUncertain() {
        switch self {
        case .wait(let owner, let socket): owner.peerUncertain(socket)
        case .stream(let owner, let socket): owner.peerUncertain(socket)
        case .webSocket: break
        }
    }

    func writable() {
        switch self {
        case .wait: break
        case .stream(let owner, let socket): owner.writable(socket)
        case .webSocket(let socket): socket.roomCame()
        }
    }

    func inputIsLate() {
        if case .webSocket(let socket) = self { socket.messageIsLate() }
    }

    func stalled() {
        switch self {
        case .wait: break
        case .stream(let owner, let socket): owner.stalled(socket)
        case .webSocket(let socket): socket.progressStalled()
        }
    }
}
