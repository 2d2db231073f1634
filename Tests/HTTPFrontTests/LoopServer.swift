import Glibc
import Telemetry
import TestSupport
import Testing

@testable import HTTPFront

/// A running server with `LoopHandler`s on a TCP port and a unix socket, stopped at the end.
///
/// It waits for its clients longer than any test takes, unless the test adjusts that. Its turns take no
/// time, unless the test has another clock for them.
final class LoopServer {
    enum Transport: CaseIterable, Sendable, CustomTestStringConvertible {
        case tcp, unix
        var testDescription: String { "\(self)" }
    }

    let backstage = Backstage()
    let server: HTTPServer
    let memory: MemoryBudget
    let port: UInt16
    let path: String

    init(
        loops: Int = 1, memoryBytes: Int = 256 << 20, turnTime: TurnTime = TurnTime(),
        _ adjust: (inout HTTPServerConfiguration) -> Void = { _ in }
    ) throws {
        var template = Array("/tmp/front-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw RawClient.Failure.system("mkdtemp", errno) }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } + "/s"
        var configuration = HTTPServerConfiguration(listen: [
            .tcp(SocketAddress(numeric: "127.0.0.1", port: 0)!, optional: false),
            .unix(path: path, mode: 0o600),
        ])
        configuration.loops = loops
        configuration.headerSeconds = 3_600
        configuration.bodySeconds = 3_600
        configuration.idleSeconds = 3_600
        configuration.sendProgressSeconds = 3_600
        adjust(&configuration)
        memory = MemoryBudget(bytesMax: memoryBytes)
        let backstage = backstage
        server = HTTPServer(
            configuration: configuration, log: Log(level: .error), memory: memory,
            turnClock: turnTime.look
        ) { loop, _ in LoopHandler(backstage, loop) }
        port = try server.start().compactMap(\.port).first!
    }

    deinit {
        server.stop()
        rmdir(String(path.dropLast(2)))
    }

    /// How many requests had a head like a known one.
    var knownCount: Int { server.loops.reduce(0) { $0 + Int($1.repeats.value) } }

    /// The number of requests that the handler was given by the parser.
    var handledCount: Int { backstage.state.value.handled.count }

    func connect(_ transport: Transport = .tcp) throws -> RawClient {
        try RawClient(transport == .tcp ? .tcp(port) : .unix(path))
    }

    /// Returns when every connection that was made before has been accepted.
    func acceptAll() throws {
        // Listeners are first in, first out; a loop's job runs when its turn of accepting is over.
        for transport in Transport.allCases { _ = try connect(transport).exchange("GET", "/a") }
        let loops = backstage.state.value.loops
        let gate = Gate(openings: loops.count)
        for loop in loops { loop.post { _ in gate.open() } }
        try gate.wait()
    }

    /// Waits until a number that other threads change has a value.
    func expect(
        _ value: @autoclosure () -> Int, becomes wanted: Int, within seconds: Double = 60,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let due = MonotonicClock.milliseconds() + UInt64(seconds * 1000)
        while value() != wanted, MonotonicClock.milliseconds() < due { poll(nil, 0, 1) }
        #expect(value() == wanted, sourceLocation: sourceLocation)
    }

    /// Expects that every connection is gone, and nothing is charged to the budget any more.
    func expectEmpty(
        within seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(
            server.census.connections, becomes: 0, within: seconds, sourceLocation: sourceLocation)
        #expect(server.census == ServerCensus(), sourceLocation: sourceLocation)
        expect(memory.used, becomes: 0, within: seconds, sourceLocation: sourceLocation)
    }

    /// Drains the server on another thread.
    ///
    /// - Returns: What opens when it has ended.
    func beginDrain(within limit: Duration = .seconds(60)) -> Gate {
        let drained = Gate()
        onThreadOfItsOwn { [server] in
            server.drain(within: limit)
            drained.open()
        }
        return drained
    }

    /// Begins a stream, and returns its client, behind the head and `begun`, with its view.
    func beginStream(
        _ path: String = "/stream", on transport: Transport = .tcp, receiveBufferBytes: Int32? = nil
    ) throws -> (client: RawClient, view: StreamView) {
        let count = backstage.state.value.streams.count
        let address: RawClient.Address = transport == .tcp ? .tcp(port) : .unix(self.path)
        let client = try RawClient(address, receiveBufferBytes: receiveBufferBytes)
        try client.send("GET", path)
        let head = try client.readHead()
        try #require(head.header("Transfer-Encoding") == "chunked")
        return (client, backstage.state.value.streams[count])
    }

    /// Opens a WebSocket, and returns its client, behind the first message, with its view.
    func openSocket(
        _ path: String = "/ws", on transport: Transport = .tcp, receiveBufferBytes: Int32? = nil
    ) throws -> (client: WebSocketClient, view: SocketView) {
        let raw = try RawClient(address(of: transport), receiveBufferBytes: receiveBufferBytes)
        let (_, view) = try askForSocket(path, over: raw)
        let client = try WebSocketClient(accepting: raw)
        try #require(try client.next() == .text("begun"))
        return (client, view)
    }

    /// Asks for a WebSocket, and returns its view once it has left the parser.
    func askForSocket(
        _ path: String, on transport: Transport = .tcp, over client: RawClient? = nil
    ) throws -> (client: RawClient, view: SocketView) {
        let count = backstage.state.value.sockets.count
        let client = try client ?? RawClient(address(of: transport))
        try client.send("GET", path, headers: WebSocketClient.handshake)
        // The 101 may be out before the handler has noted its socket.
        expect(backstage.state.value.sockets.count, becomes: count + 1)
        return (client, backstage.state.value.sockets[count])
    }

    private func address(of transport: Transport) -> RawClient.Address {
        transport == .tcp ? .tcp(port) : .unix(path)
    }

    /// Waits until `count` requests wait for a late reply, and takes these.
    func replies(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) -> [PendingReply]
    {
        expect(
            backstage.state.value.replies.count, becomes: count, sourceLocation: sourceLocation)
        expect(server.census.pending, becomes: count, sourceLocation: sourceLocation)
        return backstage.takeReplies()
    }
}
