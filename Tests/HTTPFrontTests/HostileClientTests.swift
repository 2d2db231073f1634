import Glibc
import Telemetry
import TestSupport
import Testing

@testable import HTTPFront

/// Clients that vanish, half-close or trickle, in every phase of a request.
@Suite(.blocking) struct HostileClientTests {
    /// Where in its request a client stops.
    enum Phase: CaseIterable, Sendable, CustomTestStringConvertible {
        case connected, inRequestLine, inHeaders, inBody, inChunks, pending, parked, inAnswer
        case answered

        var testDescription: String { "\(self)" }

        var sent: String {
            let host = "Host: localhost\r\n"
            switch self {
            case .connected: return ""
            case .inRequestLine: return "GET /he"
            case .inHeaders: return "GET /hello HTTP/1.1\r\n\(host)X-A: b"
            case .inBody: return "POST /echo HTTP/1.1\r\n\(host)Content-Length: 9\r\n\r\nabc"
            case .inChunks:
                return "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n"
                    + "3\r\nabc\r\n9\r\nabc"
            case .pending: return "POST /later HTTP/1.1\r\n\(host)Content-Length: 1\r\n\r\nx"
            case .parked: return "GET /park HTTP/1.1\r\n\(host)\r\n"
            case .inAnswer: return "GET /size/1500000 HTTP/1.1\r\n\(host)\r\n"
            case .answered: return "GET /hello HTTP/1.1\r\n\(host)\r\n"
            }
        }
    }

    enum Exit: CaseIterable, Sendable, CustomTestStringConvertible {
        case close, reset, halfClose
        var testDescription: String { "\(self)" }
    }

    @Test(arguments: Phase.allCases, Exit.allCases)
    func clientThatLeavesInAnyPhaseLeavesNothingBehind(_ phase: Phase, _ exit: Exit) throws {
        for transport in LoopServer.Transport.allCases {
            let server = try LoopServer()
            let bystander = try server.connect()
            #expect(try bystander.exchange("GET", "/a").text == "a")
            let clients = try (0..<30).map { _ in try server.connect(transport) }
            for client in clients { try client.send(phase.sent) }
            server.expect(server.server.loops[0].accepted.value, becomes: 31)
            let replies = phase == .pending ? server.replies(30) : []
            if phase == .parked { server.expect(server.server.census.parked, becomes: 30) }
            if phase == .answered { for client in clients { _ = try client.readAnswer() } }
            for client in clients {
                switch exit {
                case .close: client.close()
                case .reset: client.reset()
                case .halfClose: client.halfClose()
                }
            }
            PendingReply.send(replies.map { ($0, LoopHandler.text("late")) })
            if exit == .halfClose {
                if phase == .parked { server.backstage.finishParked("event") }
                for client in clients {
                    switch phase {
                    case .pending: #expect(try client.readAnswer().text == "late")
                    case .parked: #expect(try client.readAnswer().text == "event")
                    case .inAnswer: #expect(try client.readAnswer().body.count == 1_500_000)
                    case .connected, .inRequestLine, .inHeaders, .inBody, .inChunks, .answered:
                        #expect(try client.readToEnd() == [])
                    }
                }
            }
            server.expect(server.server.census.connections, becomes: 1)
            if [.inBody, .inChunks].contains(phase) {
                #expect(!server.backstage.state.value.handled.contains("echo"))
            }
            #expect(try bystander.exchange("GET", "/b").text == "b")
            bystander.close()
            server.expectEmpty()
            server.expectNoDescriptors()
        }
    }

    @Test func thousandsOfClientsThatLeaveLeaveNothingBehind() throws {
        let server = try LoopServer(loops: 2)
        var random = SeededRandom(seed: 20)
        for _ in 0..<60 {
            let clients = try (0..<50).map { _ in
                (try server.connect(.allCases.randomElement(using: &random)!))
            }
            for client in clients {
                try client.send(Phase.allCases.randomElement(using: &random)!.sent)
                if Bool.random(using: &random) { client.close() } else { client.reset() }
            }
        }
        try server.acceptAll()
        // A request that came whole before its client left is handled, and its answer dropped.
        let due = MonotonicClock.milliseconds() + 60_000
        while server.server.census != ServerCensus(), MonotonicClock.milliseconds() < due {
            PendingReply.send(
                server.backstage.takeReplies().map { ($0, LoopHandler.text("late")) })
            poll(nil, 0, 1)
        }
        server.expectEmpty()
        server.expectNoDescriptors()
        // Those that were reset before they could be accepted were nobody's.
        #expect(server.server.loops.map(\.accepted.value).reduce(0, +) > 1_000)
    }

    @Test func postOfAClientThatClosesAtOnceIsHandled() throws {
        let server = try LoopServer()
        for transport in LoopServer.Transport.allCases {
            for _ in 0..<20 {
                let client = try server.connect(transport)
                try client.send("POST", "/echo", body: Array("x".utf8))
                client.close()
            }
        }
        server.expect(server.backstage.state.value.handled.count, becomes: 40)
        server.expectEmpty()
    }

    /// The trap of libmicrohttpd: resumed beside another keep-alive connection, it takes the end of
    /// the stream for the end of the connection and drops the answer.
    @Test(arguments: LoopServer.Transport.allCases)
    func halfClosedPublisherGetsItsAnswerBesideOthers(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let bystanders = try (0..<3).map { _ in try server.connect() }
        for round in 0..<20 {
            for bystander in bystanders { _ = try bystander.exchange("GET", "/a") }
            let client = try server.connect(transport)
            try client.send("POST", "/later", body: Array("x".utf8))
            let replies = server.replies(1)
            if round.isMultiple(of: 2) { client.halfClose() }
            for reply in replies { reply.send(LoopHandler.text("late")) }
            if !round.isMultiple(of: 2) { client.halfClose() }
            #expect(try client.readAnswer().text == "late")
            #expect(try client.readToEnd() == [])
        }
    }

    /// What a client sends at first, and then again and again.
    static let trickles: [(name: String, first: String, rest: String)] = [
        ("request line", "GET /", "x"),
        ("headers", "GET /hello HTTP/1.1\r\nHost: localhost\r\nX: ", "x"),
        ("body", "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\n", "x"),
        (
            "chunks",
            "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
            "1\r\nx\r\n"
        ),
        (
            "refused body",
            "POST /refuse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\n",
            "x"
        ),
    ]

    @Test(arguments: LoopServer.Transport.allCases)
    func tricklingClientIsCutOff(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer {
            $0.headerSeconds = 1
            $0.bodySeconds = 1
        }
        let bystander = try server.connect()
        let begun = MonotonicClock.milliseconds()
        var tricklers = try Self.trickles.map { trickle in
            let client = try server.connect(transport)
            try client.send(trickle.first)
            return (trickle, client)
        }
        while !tricklers.isEmpty {
            let elapsed = MonotonicClock.milliseconds() - begun
            try #require(elapsed < 8_000, "\(tricklers.map(\.0.name)) can be stretched")
            tricklers = try tricklers.filter { trickle, client in
                if client.isSilent(for: 0.01) {
                    // It may be closed right now; then it is told why at the next look.
                    try? client.send(trickle.rest)
                    return true
                }
                let elapsed = MonotonicClock.milliseconds() - begun
                #expect((900..<4_000).contains(elapsed), "\(trickle.name)")
                let text = String(decoding: try client.readToEnd(), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 408 "), "\(trickle.name)")
                #expect(text.contains("\"code\":\"REQUEST_TIMEOUT\""), "\(trickle.name)")
                #expect(text.contains("Connection: close") && text.hasSuffix("}\n"))
                return false
            }
            #expect(try bystander.exchange("GET", "/a").text == "a")
        }
        #expect(!server.backstage.state.value.handled.contains("echo"))
        let count = Self.trickles.count
        #expect(server.server.loops[0].problems.counts == ["REQUEST_TIMEOUT": count])
        bystander.close()
        server.expectEmpty()
    }

    /// A client that sends nothing more ends as one that trickles.
    @Test(arguments: LoopServer.Transport.allCases)
    func silentClientIsToldThatItsTimeIsOver(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer {
            $0.headerSeconds = 1
            $0.bodySeconds = 1
        }
        let clients = try Self.trickles.map { trickle in
            let client = try server.connect(transport)
            try client.send(trickle.first)
            return (trickle.name, client)
        }
        for (name, client) in clients {
            let answer = try client.readAnswer()
            #expect(answer.status == 408, "\(name)")
            #expect(answer.text.contains("\"code\":\"REQUEST_TIMEOUT\""), "\(name)")
            #expect(try client.readToEnd() == [], "\(name)")
        }
        server.expectEmpty()
    }

    @Test(arguments: [Phase.pending, .parked], LoopServer.Transport.allCases)
    func loopSleepsWhileHalfClosedClientsWait(
        _ phase: Phase, _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer()
        let clients = try (0..<5).map { _ in try server.connect(transport) }
        for client in clients { try client.send(phase.sent + "GET /a") }
        let census = { server.server.census.pending + server.server.census.parked }
        server.expect(census(), becomes: 5)
        for client in clients { client.halfClose() }
        // Nothing tells when it has seen the ends of all five. A loop that does not sleep has a turn each time.
        let sleeps = (0..<100).contains { _ in
            let turn = server.server.loops[0].lastTurnMilliseconds
            return clients[0].isSilent(for: 0.1)
                && server.server.loops[0].lastTurnMilliseconds == turn
        }
        #expect(sleeps)
        PendingReply.send(
            server.backstage.takeReplies().map { ($0, LoopHandler.text("late")) })
        server.backstage.finishParked("event")
        for client in clients { #expect(try client.readAnswer().status == 200) }
        for client in clients { #expect(try client.readToEnd() == []) }
        server.expectEmpty()
    }

    /// Half-closed first, a client that then goes altogether is not announced by the kernel.
    @Test func parkedClientThatHalfClosedAndThenWentIsNoticed() throws {
        let server = try LoopServer { $0.halfClosedRecheckSeconds = 1 }
        let client = try server.connect()
        try client.send("GET", "/park")
        client.halfClose()
        server.expect(server.server.census.parked, becomes: 1)
        #expect(client.isSilent(for: 1.3))
        #expect(server.server.census.parked == 1)
        client.close()
        // Its owner is told once its socket is closed.
        server.expect(server.backstage.state.value.closed, becomes: 1)
        server.expectEmpty()
        #expect(server.server.loops[0].gone.value == 1)
    }

    @Test(arguments: ["/park", "/size/3000000"])
    func clientThatStopsReadingIsGivenUp(_ target: String) throws {
        let server = try LoopServer {
            $0.headerSeconds = 1
            $0.bodySeconds = 1
            $0.idleSeconds = 1
            $0.sendProgressSeconds = 1
        }
        let client = try server.connect()
        try client.send("GET", target)
        if target == "/park" {
            server.expect(server.server.census.parked, becomes: 1)
            server.backstage.finishParked(String(repeating: "x", count: 3_000_000))
        }
        server.expect(server.server.loops[0].answers.value, becomes: 1)
        server.expectEmpty()
        #expect(try client.readToEnd().count < 3_000_000)
    }

    @Test func idleConnectionIsClosedWithoutAWord() throws {
        let server = try LoopServer { $0.idleSeconds = 1 }
        let fresh = try server.connect()
        let used = try server.connect()
        #expect(try used.exchange("GET", "/a").text == "a")
        let parked = try server.connect()
        try parked.send("GET", "/park")
        server.expect(server.server.census.parked, becomes: 1)
        server.backstage.finishParked("event")
        _ = try parked.readAnswer()
        let waiting = try server.connect()
        try waiting.send("GET", "/park")
        for client in [fresh, used, parked] { #expect(try client.readToEnd() == []) }
        #expect(waiting.isSilent(for: 0.3))
        server.backstage.finishParked("event")
        #expect(try waiting.readAnswer().text == "event")
        waiting.close()
        server.expectEmpty()
    }
}

extension LoopServer {
    /// Expects that no descriptor of this process is a connection of this server any more. Says which ones
    /// are, and to whom they lead.
    func expectNoDescriptors(sourceLocation: SourceLocation = #_sourceLocation) {
        expect(descriptors.count, becomes: 0, sourceLocation: sourceLocation)
        for (descriptor, end) in descriptors {
            let client = OpenDescriptors.all.first {
                end != nil && SocketAddress(localOf: $0) == end
            }
            Issue.record(
                """
                \(descriptor) is \(FolderNames.link("/proc/self/fd/\(descriptor)") ?? "closed"), from \
                \(end?.description ?? "a unix socket"), \(client.map { "our \($0)" } ?? "not ours"); \
                \(server.census), accepted \(server.loops.map(\.accepted.value))
                """, sourceLocation: sourceLocation)
        }
    }

    /// Descriptors of this process that are connections of this server, with their other ends; nil on a unix
    /// socket.
    ///
    /// A connection leaves the census once its socket is closed.
    private var descriptors: [(descriptor: Int32, end: SocketAddress?)] {
        let listening = SocketAddress(numeric: "127.0.0.1", port: port)
        return OpenDescriptors.all.compactMap { descriptor in
            if let address = SocketAddress(localOf: descriptor) {
                guard address == listening, let end = SocketAddress(remoteOf: descriptor) else {
                    return nil
                }
                return (descriptor, end)
            }
            var peer = sockaddr_un()
            var size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let isConnected = withUnsafeMutablePointer(to: &peer) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(descriptor, $0, &size) == 0
                }
            }
            return isConnected && SocketFile.path(of: descriptor) == path ? (descriptor, nil) : nil
        }
    }
}
