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
        /// Answers that the kernel did not take whole.
        var lost = 0
        var timedOut = 0
        var uncertain = 0
        /// What says how many turns have ended, and the turns in which `/again` was answered.
        var turnsEnded: (@Sendable () -> Int)?
        var turnsOfAgain: [Int] = []
        var drained = 0
        /// Every stream that was ever begun, in order.
        var streams: [StreamView] = []
        /// Every WebSocket that was ever opened, in order.
        var sockets: [SocketView] = []
        /// Whether streams go on while the server drains.
        var keepsStreams = false
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

    let backstage: Backstage
    let loop: LoopHandle
    var streams: [StreamWriter] = []
    var sockets: [SocketEcho] = []
    private var waits: [ObjectIdentifier: Wait] = [:]

    init(_ backstage: Backstage, _ loop: LoopHandle) {
        self.backstage = backstage
        self.loop = loop
        backstage.state.write { $0.loops.append(loop) }
    }

    func admit(_ head: RequestHead, _ length: RequestHead.BodyLength) -> BodyPolicy {
        let tooLarge = Problem(413, "EVENT_TOO_LARGE", detail: "Too large.").response
        switch head.target.path.first {
        case "refuse": return .refuse(Problem(403, "ACCESS_DENIED", detail: "No.").response)
        case "small": return .upTo(bytes: Self.smallBytesMax, orElse: tooLarge)
        default: return .upTo(bytes: 4 * 1024 * 1024, orElse: tooLarge)
        }
    }

    /// As many as `/costly/N` counts when it is handled, and none for others.
    func steps(of head: RequestHead) -> Int { Self.costlySteps(head.target.path) }

    private static func costlySteps(_ path: [String]) -> Int {
        path.first == "costly" ? Int(path[1])! : 0
    }

    func handle(_ request: Request, _ exchange: Exchange) {
        let path = request.head.target.path
        backstage.state.write { $0.handled.append(path.joined(separator: "/")) }
        switch path.first {
        case "again", "small": again(request, exchange)
        case "tell": exchange.respond(Self.text(Self.description(of: request, from: exchange.peer)))
        case "echo":
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
            if request.head.target.query.first("since") == "0" {
                return exchange.respond(Self.text("at once"))
            }
            park(exchange, milliseconds: path.count > 1 ? Int(path[1]) : nil)
        case "stream":
            stream(exchange, path)
        case "ws":
            webSocket(exchange, path)
        case "groups":
            let groups = exchange.peer.groups
            exchange.respond(Self.text(groups.map { "\($0)" } ?? "unknown"))
        case "who":
            exchange.respond(Self.text("\(exchange.peer)"))
        case "loop":
            exchange.respond(Self.text(String(loop.index)))
        case "header":
            var response = Self.text("long")
            response.headers.add("X-Long", String(repeating: "h", count: Int(path[1])!))
            exchange.respond(response)
        default:
            exchange.respond(
                Self.text(exchange.isDraining ? "draining" : path.joined(separator: "/")))
        }
    }

    func drain() {
        backstage.state.write { $0.drained += 1 }
        finishParked("drained")
        closeSockets()
        if !backstage.state.value.keepsStreams { endStreams() }
    }

    func finishParked(_ text: String) {
        let ending = waits
        waits = [:]
        for wait in ending.values {
            wait.socket?.finish(Self.text(text)) { [backstage] in
                backstage.state.write { $0.lost += 1 }
            }
        }
    }

    /// Answers by the body: at once, by way of the reply, or later by whoever takes that.
    private func again(_ request: Request, _ exchange: Exchange) {
        backstage.state.write { state in
            if let turnsEnded = state.turnsEnded { state.turnsOfAgain.append(turnsEnded()) }
        }
        let response = Response(status: 200, body: .bytes(Array(request.body.bytes)))
        switch request.head.target.path.last {
        case "later": backstage.state.write { $0.replies.append(exchange.reply) }
        case "direct": exchange.reply.send(response)
        case "closing": exchange.respond(Response(status: 200, closesConnection: true))
        default: exchange.respond(response)
        }
    }

    /// All that a handler gets of a request.
    private static func description(of request: Request, from peer: Peer) -> String {
        let head = request.head
        var lines = [
            "\(head.method) \(head.target.raw) \(head.version)", "path \(head.target.path)",
            "query \(head.target.query.map { "\($0.name)=\($0.value)" })",
            "host \(head.host?.description ?? "none"), for us: \(head.isForUs)",
            "keeps alive: \(head.keepsAlive), \(request.bodyLength)",
            "uid \(peer.uid ?? 0)",
        ]
        head.headers.forEach { name, value in
            lines.append(
                "\(String(decoding: name, as: UTF8.self)): \(String(decoding: value, as: UTF8.self))"
            )
        }
        return lines.joined(separator: "\n") + "\n\n"
            + String(decoding: request.body.bytes, as: UTF8.self)
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
