import HTTPFront
import Protection

/// What the tests see of one WebSocket, from any thread; its verbs run on the socket's loop.
final class SocketView: Sendable {
    struct State {
        var received: [String] = []
        var receivedBytes = 0
        /// The most messages between two looks of the loop at anything else.
        var mostAtOnce = 0
        var writable = 0
        var stalled = 0
        var timedOut = 0
        var closed = 0
        /// Whether the owner was ever called from inside one of its own calls.
        var wasReentered = false
    }

    let state = Protected(State())
    private let loop: LoopHandle

    init(on loop: LoopHandle) {
        self.loop = loop
    }

    /// Runs `body` with the socket's owner on its loop, when the turn comes; nothing once it is
    /// closed.
    func run(_ body: @escaping @Sendable (SocketEcho) -> Void) {
        loop.post { handler in
            if let socket = (handler as! LoopHandler).sockets.first(where: { $0.view === self }) {
                body(socket)
            }
        }
    }
}

/// The owner of one `/ws` of a `LoopHandler`: sends back what it receives.
final class SocketEcho: WebSocketOwner {
    static let messageBytesMax = FrameCase.messageBytesMax

    let view: SocketView
    var socket: WebSocket?
    var answers = true
    /// Whether it pauses behind every message.
    var pauses = false
    /// Milliseconds between pings.
    var heartbeat: Int?
    private var waiting: [ResponseBody] = []
    private var received = 0
    private var isInside = false
    private let loop: LoopHandle
    private let forget: (SocketEcho) -> Void

    init(_ view: SocketView, on loop: LoopHandle, forget: @escaping (SocketEcho) -> Void) {
        self.view = view
        self.loop = loop
        self.forget = forget
    }

    func received(_ message: WebSocketMessage, on socket: WebSocket) {
        count()
        switch message {
        case .text(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            note {
                $0.received.append(text)
                $0.receivedBytes += bytes.count
            }
            send(.bytes(WebSocketFrame.text(bytes)))
        case .binary(let bytes):
            note { $0.receivedBytes += bytes.count }
            send(.bytes(WebSocketFrame.binary(bytes)))
        }
        if pauses { inside { $0.pauseReading() } }
    }

    func writable(_ socket: WebSocket) {
        note { $0.writable += 1 }
        flush()
    }

    func stalled(_ socket: WebSocket) {
        note { $0.stalled += 1 }
        inside { $0.close(.tryLater, "no progress") }
    }

    func timedOut(_ socket: WebSocket) {
        note { $0.timedOut += 1 }
        inside {
            $0.ping()
            $0.setDeadline(milliseconds: heartbeat)
        }
    }

    func closed(_ socket: WebSocket) {
        note { $0.closed += 1 }
        forget(self)
    }

    func open() {
        inside {
            $0.open(
                headers: [("X-Own", "1")], first: .bytes(WebSocketFrame.text("begun".utf8)))
        }
    }

    func refuse(_ response: Response) {
        inside { $0.refuse(response) }
        forget(self)
    }

    func send(_ frames: ResponseBody) {
        guard answers else { return }
        waiting.append(frames)
        flush()
    }

    func inside(_ body: (WebSocket) -> Void) {
        guard let socket else { return }
        isInside = true
        body(socket)
        isInside = false
    }

    private func flush() {
        inside { socket in
            while socket.isWritable, !waiting.isEmpty { socket.write(waiting.removeFirst()) }
        }
    }

    /// Counts messages of one turn: what the loop posts to itself runs at the turn's end.
    private func count() {
        received += 1
        if received == 1 {
            // The owner is only touched on its loop, where the job runs.
            nonisolated(unsafe) let owner = self
            loop.post { _ in owner.received = 0 }
        }
        let received = received
        view.state.write { $0.mostAtOnce = max($0.mostAtOnce, received) }
    }

    private func note(_ change: (inout SocketView.State) -> Void) {
        let wasInside = isInside
        view.state.write { state in
            change(&state)
            if wasInside { state.wasReentered = true }
        }
    }
}

extension LoopHandler {
    /// `/ws` echoes; `/ws/later` is not opened yet; `/ws/silent` only listens; `/ws/pausing` reads one message and waits for `resumeReading`;
    /// `/ws/heartbeat/MS` pings.
    func webSocket(_ exchange: Exchange, _ path: [String]) {
        let echo = SocketEcho(SocketView(on: loop), on: loop) { [unowned self] ended in
            sockets.removeAll { $0 === ended }
        }
        do throws(Problem) {
            guard
                let socket = try exchange.detachWebSocket(
                    echo, messageBytesMax: SocketEcho.messageBytesMax)
            else { return exchange.respond(Self.text("at once")) }
            echo.socket = socket
            if path.dropFirst().first != "later" { echo.open() }
            sockets.append(echo)
            let view = echo.view
            backstage.state.write { $0.sockets.append(view) }
            switch path.dropFirst().first {
            case "silent": echo.answers = false
            case "pausing": echo.pauses = true
            case "heartbeat":
                echo.heartbeat = Int(path[2])
                socket.setDeadline(milliseconds: echo.heartbeat)
            default: break
            }
        } catch {
            exchange.respond(error.response)
        }
    }

    func closeSockets() {
        for echo in sockets { echo.socket?.close(.restart, "the server restarts") }
    }
}
