import Protection
import Telemetry

@testable import HTTPFront

/// What the tests see of the handlers behind a server, from any thread.
final class Backstage: Sendable {
    struct State {
        var loops: [LoopHandle] = []
        var replies: [PendingReply] = []
        var handled: [String] = []
        var closed = 0
        var timedOut = 0
        var uncertain = 0
        var drained = 0
    }

    let state = Protected(State())

    /// Ends every wait of `/park` with a body.
    func finishParked(_ text: String) {
        for loop in state.value.loops {
            loop.post { ($0 as! LoopHandler).finishParked(text) }
        }
    }

    /// Takes the replies that `/later` left behind.
    func takeReplies() -> [PendingReply] {
        state.write { state in
            defer { state.replies = [] }
            return state.replies
        }
    }
}

/// A handler without topics: one path for each thing a handler can do.
final class LoopHandler: RequestHandler {
    /// Bytes that `/small` takes.
    static let smallBytesMax = 10

    private let backstage: Backstage
    private let loop: LoopHandle
    private var waits: [ObjectIdentifier: Wait] = [:]

    init(_ backstage: Backstage, _ loop: LoopHandle) {
        self.backstage = backstage
        self.loop = loop
        backstage.state.write { $0.loops.append(loop) }
    }

    func admit(_ head: RequestHead) -> BodyAdmission {
        let tooLarge = Problem(413, "EVENT_TOO_LARGE", detail: "Too large.").response
        switch head.target.path.first {
        case "refuse": return .refuse(Problem(403, "ACCESS_DENIED", detail: "No.").response)
        case "small": return .upTo(bytes: Self.smallBytesMax, orElse: tooLarge)
        default: return .upTo(bytes: 4 * 1024 * 1024, orElse: tooLarge)
        }
    }

    func handle(_ request: Request, _ exchange: Exchange) {
        let path = request.head.target.path
        backstage.state.write { $0.handled.append(path.joined(separator: "/")) }
        switch path.first {
        case "echo", "small":
            exchange.respond(Response(status: 200, body: .bytes(Array(request.body.bytes))))
        case "size":
            exchange.respond(
                Response(status: 200, body: .bytes([UInt8](repeating: 120, count: Int(path[1])!))))
        case "direct":
            exchange.reply.send(Self.text("direct"))
            exchange.reply.send(Self.text("too late"))
        case "later":
            backstage.state.write { $0.replies.append(exchange.reply) }
        case "posted":
            let reply = exchange.reply
            loop.post { _ in reply.send(Self.text("posted")) }
        case "park":
            park(exchange, milliseconds: path.count > 1 ? Int(path[1]) : nil)
        case "loop":
            exchange.respond(Self.text(String(loop.index)))
        case "header":
            var response = Self.text("long")
            response.add("X-Long", String(repeating: "h", count: Int(path[1])!))
            exchange.respond(response)
        default:
            exchange.respond(
                Self.text(exchange.isDraining ? "draining" : path.joined(separator: "/")))
        }
    }

    func drain() {
        backstage.state.write { $0.drained += 1 }
        finishParked("drained")
    }

    func finishParked(_ text: String) {
        let ending = waits
        waits = [:]
        for wait in ending.values { wait.socket?.finish(Self.text(text)) }
    }

    private func park(_ exchange: Exchange, milliseconds: Int?) {
        let wait = Wait(backstage) { [unowned self] in waits[ObjectIdentifier($0)] = nil }
        guard let socket = exchange.detach(wait) else {
            return exchange.respond(Self.text("at once"))
        }
        wait.socket = socket
        waits[ObjectIdentifier(wait)] = wait
        if let milliseconds { socket.setDeadline(milliseconds: milliseconds) }
    }

    static func text(_ text: String) -> Response {
        Response(
            status: 200, headers: [("Content-Type", "text/plain")], body: .bytes(Array(text.utf8)))
    }
}

/// One parked request of a `LoopHandler`.
final class Wait: DetachedSocketOwner {
    var socket: DetachedSocket?
    private let backstage: Backstage
    private let end: (Wait) -> Void

    init(_ backstage: Backstage, end: @escaping (Wait) -> Void) {
        self.backstage = backstage
        self.end = end
    }

    func closed(_ socket: DetachedSocket) {
        backstage.state.write { $0.closed += 1 }
        end(self)
    }

    func timedOut(_ socket: DetachedSocket) {
        backstage.state.write { $0.timedOut += 1 }
        end(self)
        socket.finish(LoopHandler.text("timed out"))
    }

    func peerUncertain(_ socket: DetachedSocket) {
        backstage.state.write { $0.uncertain += 1 }
        end(self)
        socket.finish(LoopHandler.text("uncertain"))
    }
}
