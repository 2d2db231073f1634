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
        /// The values of requests that were answered without being parsed, in order.
        var known: [String] = []
        /// What says how many turns have ended, and the turns in which `/again` answered known requests.
        var turnsEnded: (@Sendable () -> Int)?
        var turnsOfAgain: [Int] = []
        /// How many were made to answer known requests.
        var made = 0
        var configurationNumber: UInt32 = 0
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

    var configurationNumber: UInt32 { backstage.state.value.configurationNumber }

    func admit(_ head: RequestHead) -> BodyAdmission {
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
        case "again", "small":
            let again = Again(self, path)
            exchange.offer(valueAt: .length) {
                backstage.state.write { $0.made += 1 }
                return again
            }
            again.answer(request.body, exchange)
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
            let milliseconds = path.count > 1 ? Int(path[1]) : nil
            if let place = Self.valuePlace(request.head) {
                exchange.offer(valueAt: place) {
                    backstage.state.write { $0.made += 1 }
                    return KnownWait(self, milliseconds: milliseconds)
                }
            }
            park(exchange, milliseconds: milliseconds)
        case "stream":
            stream(exchange, path)
        case "ws":
            webSocket(exchange, path)
        case "groups":
            let groups = request.head.peer.groups
            exchange.respond(Self.text(groups.map { "\($0)" } ?? "unknown"))
        case "who":
            exchange.offer(valueAt: .length) { KnownQuestion(self) }
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

    private static func valuePlace(_ head: RequestHead) -> ValuePlace? {
        if head.headers.occurrences(of: "last-event-id") == 1 { return .header("last-event-id") }
        return head.target.query.first { $0.name == "since" }.map { .target($0.valueRange) }
    }

    fileprivate func park(_ exchange: Exchange, milliseconds: Int?) {
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

/// A request to wait, for others with another number in one place: 0 is answered at once.
final class KnownWait: KnownRequest {
    // The loop's handler outlives what it made of requests.
    private unowned let handler: LoopHandler
    private let milliseconds: Int?

    init(_ handler: LoopHandler, milliseconds: Int?) {
        self.handler = handler
        self.milliseconds = milliseconds
    }

    func handle(_ differences: RequestDifferences, _ exchange: Exchange) {
        let value = String(decoding: differences.value, as: UTF8.self)
        handler.backstage.state.write { $0.known.append(value) }
        if value == "0" { return exchange.respond(LoopHandler.text("at once")) }
        handler.park(exchange, milliseconds: milliseconds)
    }
}

/// A question that is answered by who asks it.
final class KnownQuestion: KnownRequest {
    // The loop's handler outlives what it made of requests.
    private unowned let handler: LoopHandler

    init(_ handler: LoopHandler) {
        self.handler = handler
    }

    func handle(_ differences: RequestDifferences, _ exchange: Exchange) {
        handler.backstage.state.write { $0.known.append("who") }
        exchange.respond(LoopHandler.text("\(exchange.peer)"))
    }
}

/// A request with a body, for others with another: answered by its body at once, by way of its
/// reply, or later by whoever takes that.
final class Again: KnownRequest {
    // The loop's handler outlives what it made of requests.
    private unowned let handler: LoopHandler
    private let path: [String]

    init(_ handler: LoopHandler, _ path: [String]) {
        self.handler = handler
        self.path = path
    }

    func handle(_ differences: RequestDifferences, _ exchange: Exchange) {
        let body = differences.body
        handler.backstage.state.write { state in
            state.known.append("\(body.count)")
            if let turnsEnded = state.turnsEnded { state.turnsOfAgain.append(turnsEnded()) }
        }
        answer(body, exchange)
    }

    func answer(_ body: RequestBody, _ exchange: Exchange) {
        let response = Response(status: 200, body: .bytes(Array(body.bytes)))
        switch path.last {
        case "later": handler.backstage.state.write { $0.replies.append(exchange.reply) }
        case "direct": exchange.reply.send(response)
        case "closing": exchange.respond(Response(status: 200, closesConnection: true))
        default: exchange.respond(response)
        }
    }
}
