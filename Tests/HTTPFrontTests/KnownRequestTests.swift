import Glibc
import Protection
import TestSupport
import Testing

@testable import HTTPFront

/// Requests with a head like one that was read before: they are handled like any other.
@Suite(.blocking) struct KnownRequestTests {
    private typealias Transport = LoopServer.Transport

    private static func post(
        _ body: String, to path: String = "/again", headers: String = "X: y\r\n"
    ) -> String {
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n"
            + "\(headers)\r\n\(body)"
    }

    private static func poll(_ since: String) -> String {
        "GET /park?since=\(since) HTTP/1.1\r\nHost: localhost\r\nX: y\r\n\r\n"
    }

    private func echo(_ body: String, on client: RawClient, to path: String = "/again") throws {
        try client.send(Self.post(body, to: path))
        let answer = try client.readAnswer()
        #expect(answer.status == 200 && answer.text == body)
        #expect(answer.header("Connection") == nil)
    }

    /// A client whose next POST is like its last.
    private func publisher(
        on server: LoopServer, _ transport: Transport = .tcp, to path: String = "/again"
    ) throws -> RawClient {
        let client = try server.connect(transport)
        for body in ["a", "b"] { try echo(body, on: client, to: path) }
        return client
    }

    /// Sends a poll that parks and has it answered.
    private func finish(_ poll: String, on client: RawClient, _ server: LoopServer) throws {
        try client.send(poll)
        server.expect(server.server.census.parked, becomes: 1)
        server.backstage.finishParked("event")
        #expect(try client.readAnswer().text == "event")
        server.expect(server.server.census.parked, becomes: 0)
    }

    static let others: [String] = [
        post("x", to: "/tell"), post("", to: "/tell/b?c=d"), post("0123456789", to: "/tell?e=%20"),
        post("x", to: "/tell", headers: "X: z\r\n"), post("x", to: "/tell", headers: "x: y\r\n"),
        post("x", to: "/tell", headers: "X: y\r\nZ: 1\r\n"), post("x", to: "/tell", headers: ""),
        post("x", to: "/tell", headers: "X: y \r\n"), post("x", to: "/tell", headers: "X:\ty\r\n"),
        post("x", to: "/tell").replacing("Length: 1", with: "Length: +1"),
        post("x", to: "/tell").replacing("Length: 1", with: "Length: 00000000000000001"),
        post("x", to: "/tell").replacing("Length: 1", with: "Length:  1"),
        post("x", to: "/tell").replacing("POST", with: "PUT"),
        post("x", to: "/tell").replacing("1.1", with: "1.0"),
        post("x", to: "/tell").replacing("1.1", with: "2.0"),
        post("x", to: "/tell", headers: "Connection: close\r\n"),
        post("x", to: "/tell", headers: "Expect: 100-continue\r\n"),
        "\r\n" + post("x", to: "/tell"),
        post("x", to: "/tell").replacing("\r\n", with: "\n"),
        post("x", to: "/tell").replacing("localhost", with: "localhost.localhost"),
        post("x", to: "/tell").replacing("localhost", with: "elsewhere.test"),
        post("x", to: "/tell/%00"), post("x", to: "/tell/%2F"), post("x", to: "*"),
        post("x", to: "http://localhost/tell"), post("x", to: "http://elsewhere.test/tell"),
        post("x", to: "/tell", headers: "Origin: null\r\n"),
        post("x", to: "/tell").replacing("Content-Length: 1", with: "Transfer-Encoding: chunked")
            .replacing("\r\n\r\nx", with: "\r\n\r\n1\r\nx\r\n0\r\n\r\n"),
        post(String(repeating: "x", count: HTTPFrontLimits.receiveBufferBytes), to: "/tell"),
        "GET /tell HTTP/1.1\r\nHost: localhost\r\nX: y\r\n\r\n",
        "HEAD /tell HTTP/1.1\r\nHost: localhost\r\nX: y\r\n\r\n",
    ]

    /// Whatever a loop knows, a request means what it means to a server that has seen none.
    @Test(arguments: LoopServer.Transport.allCases, others)
    func aRequestIsHandledAsIfItWasTheFirst(_ transport: LoopServer.Transport, request: String)
        throws
    {
        var told: [String] = []
        func send(_ client: RawClient) throws {
            try client.send(request)
            var answer = try client.readAnswer(toHead: request.hasPrefix("HEAD"))
            if answer.status == 100 { answer = try client.readAnswer() }
            told.append("\(answer.status) \(answer.text) \(answer.header("Connection") ?? "")")
        }
        let fresh = try LoopServer()
        try send(try fresh.connect(transport))
        let server = try LoopServer()
        let client = try server.connect(transport)
        for teacher in [Self.others[0], Self.others[Self.others.count - 2], Self.others[0]] {
            try client.send(teacher)
            #expect(try client.readAnswer().status == 200)
        }
        #expect(server.knownCount == 1)
        try send(client)
        for _ in 0..<2 { try send(try server.connect(transport)) }
        #expect(Set(told).count == 1, "\(told)")
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func eachCurlAfterTheFirstIsKnown(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        for body in ["a", "bc", "", "0123456789"] {
            let client = try server.connect(transport)
            try echo(body, on: client)
            client.close()
        }
        #expect(server.knownCount == 3 && server.handledCount == 4)
        let client = try server.connect(transport)
        for body in ["d", "ef"] { try echo(body, on: client) }
        #expect(server.knownCount == 5)
        #expect(server.server.loops[0].requests.value == 6)
        #expect(server.server.loops[0].answers.value == 6)
        client.close()
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func pollsAndPostsMayTakeTurns(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        for number in 1...20 {
            try echo("\(number)", on: client)
            try finish(Self.poll("\(number)"), on: client, server)
        }
        #expect(server.knownCount == 38)
        client.close()
        server.expectEmpty()
    }

    @Test func aKnownRequestIsAnsweredForThePeerThatSendsIt() throws {
        let server = try LoopServer()
        var peers: Set<String> = []
        var clients: [RawClient] = []
        for transport in LoopServer.Transport.allCases + LoopServer.Transport.allCases {
            let client = try server.connect(transport)
            clients.append(client)
            var told: Set<String> = []
            for _ in 0..<3 {
                try client.send(Self.post("", to: "/who"))
                told.insert(try client.readAnswer().text)
            }
            let text = try #require(told.first)
            #expect(told.count == 1)
            #expect(text.contains("pid: Optional(\(getpid()))") == (transport == .unix))
            #expect(text.contains("tcp(") == (transport == .tcp))
            peers.insert(text)
        }
        // Two connections over TCP have two ports; this process has one unix socket like another.
        #expect(peers.count == 3)
        #expect(server.knownCount == 10)
        withExtendedLifetime(clients) {}
    }

    @Test func aHostIsJudgedByTheTransportThatItComesOver() throws {
        let server = try LoopServer()
        for _ in 0..<3 {
            for (transport, status) in [(Transport.unix, 200), (.tcp, 421)] {
                let client = try server.connect(transport)
                try client.send(Self.post("x").replacing("localhost", with: "elsewhere.test"))
                #expect(try client.readAnswer().status == status)
            }
        }
        #expect(server.knownCount == 2)
    }

    @Test func settingsThatChangedHaveItParsed() throws {
        let server = try LoopServer()
        let client = try publisher(on: server)
        let before = server.knownCount
        var configuration = HTTPServerConfiguration(listen: [])
        configuration.hosts = try HostPolicy(allowing: ["elsewhere.test"])
        server.server.reconfigure(configuration)
        try echo("d", on: client)
        #expect(server.knownCount == before)
        try echo("e", on: client)
        #expect(server.knownCount == before + 1)
    }

    @Test func aHeadIsForgottenForManyOthersAndKnownAgain() throws {
        let server = try LoopServer()
        func ask(_ name: String) throws {
            let client = try server.connect()
            try client.send(Self.post("x", headers: "\(name): y\r\n"))
            #expect(try client.readAnswer().text == "x")
            client.close()
        }
        try ask("first")
        for number in 0..<10 * HTTPFrontLimits.knownHeadsMax {
            try ask(String(repeating: "a", count: number % 200) + "b\(number)")
        }
        let before = server.knownCount
        for _ in 0..<3 { try ask("first") }
        #expect(server.knownCount == before + 2)
    }

    /// A client that sends ever different heads does not push out those of others.
    @Test func fewHeadsOfOneConnectionAreLearned() throws {
        let server = try LoopServer()
        let client = try server.connect()
        for number in 0..<100 {
            try client.send(Self.post("a", headers: "X\(number): y\r\n"))
            #expect(try client.readAnswer().text == "a")
        }
        let other = try server.connect()
        for number in 0..<100 {
            try other.send(Self.post("a", headers: "X\(number): y\r\n"))
            #expect(try other.readAnswer().text == "a")
        }
        #expect(server.knownCount <= 2 * Int(HTTPFrontLimits.unknownHeadsMax))
    }

    /// Sends a request in two pieces, cut wherever it can be.
    @Test(arguments: LoopServer.Transport.allCases)
    func whatComesInTwoPiecesIsAnsweredWhereverItIsCut(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer { $0.bodyAwaitedMilliseconds = 3_600_000 }
        let kept = try publisher(on: server, transport)
        for text in [Self.post("body"), Self.poll("0")] {
            let bytes = Array(text.utf8)
            for cut in 1..<bytes.count {
                for client in [kept, try server.connect(transport)] {
                    try client.send(Array(bytes[..<cut]))
                    // The loop has seen the first piece once it has served others that came later.
                    try server.acceptAll()
                    try client.send(Array(bytes[cut...]))
                    let answer = try client.readAnswer().text
                    #expect(answer == "body" || answer == "at once", "cut at \(cut)")
                }
            }
        }
    }

    @Test(arguments: LoopServer.Transport.allCases, [1, 3_600_000])
    func aBodyThatComesApartFromItsHeadIsTaken(
        _ transport: LoopServer.Transport, milliseconds: UInt64
    ) throws {
        let server = try LoopServer { $0.bodyAwaitedMilliseconds = milliseconds }
        let client = try server.connect(transport)
        for number in 0..<6 {
            let body = String(repeating: "x", count: 100 * number + 1)
            try client.send(String(Self.post(body).dropLast(body.utf8.count)))
            try server.acceptAll()
            for piece in [body.prefix(number), body.dropFirst(number)] {
                try client.send(String(piece))
                try server.acceptAll()
            }
            #expect(try client.readAnswer().text == body)
        }
        // Nothing is mistaken for the body of another request.
        try echo("whole", on: client)
        client.close()
        server.expectEmpty()
    }

    @Test func whoseBodyIsAwaitedMayGoOrBeDrained() throws {
        let server = try LoopServer { $0.bodyAwaitedMilliseconds = 3_600_000 }
        for missing in [5, 2] {
            let client = try publisher(on: server)
            try client.send(String(Self.post("never").dropLast(missing)))
            try server.acceptAll()
            client.close()
        }
        server.expectEmpty()
        let client = try publisher(on: server)
        try client.send(String(Self.post("body").dropLast(4)))
        try server.acceptAll()
        let drained = server.beginDrain()
        try client.send("body")
        _ = try client.readAnswer()
        client.close()
        try drained.wait()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aBodyIsTakenAsItIsHoweverMuchItLooksLikeARequest(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer()
        let client = try publisher(on: server, transport)
        for body in [Self.post("x"), Self.post("x") + Self.post("y")] {
            try echo(body, on: client)
        }
        #expect(server.handledCount == 4)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func whatComesTogetherIsAnsweredInOrder(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try publisher(on: server, transport)
        let bodies = (0..<20).map { "body \($0)" }
        try client.send(bodies.map { Self.post($0) }.joined())
        for body in bodies { #expect(try client.readAnswer().text == body) }
        // A poll with a request behind it is answered at once.
        try client.send(Self.poll("3") + Self.poll("4"))
        #expect(try client.readAnswer().text == "at once")
        server.expect(server.server.census.parked, becomes: 1)
        server.backstage.finishParked("second")
        #expect(try client.readAnswer().text == "second")
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aLateAnswerComesInItsPlace(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer(loops: 3)
        let client = try server.connect(transport)
        for number in 0..<4 {
            try client.send(Self.post("\(number)", to: "/again/later"))
            let replies = server.replies(1)
            replies[0].send(LoopHandler.text("late \(number)"))
            replies[0].send(LoopHandler.text("too late"))
            #expect(try client.readAnswer().text == "late \(number)")
        }
        #expect(server.server.census.pending == 0)
        // The next is sent before the answer, and waits for it.
        try client.send(Self.post("first", to: "/again/later"))
        let first = server.replies(1)
        try client.send(Self.post("second", to: "/again/later"))
        #expect(client.isSilent(for: 0.02))
        first[0].send(LoopHandler.text("first"))
        #expect(try client.readAnswer().text == "first")
        server.replies(1)[0].send(LoopHandler.text("second"))
        #expect(try client.readAnswer().text == "second")
        client.close()
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aLateAnswerToAConnectionThatIsGoneIsDropped(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        for resets in [true, false] {
            // TCP does not tell a close from a half-close; such a one hears of it with its answer.
            if !resets, transport == .tcp { continue }
            let client = try server.connect(transport)
            try client.send(Self.post("x", to: "/again/later"))
            let replies = server.replies(1)
            resets ? client.reset() : client.close()
            server.expectEmpty()
            let other = try publisher(on: server, transport)
            replies[0].send(LoopHandler.text("to nobody"))
            try echo("other", on: other)
            other.close()
        }
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aHalfClosedClientGetsItsAnswer(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        for (path, closesLate) in [
            ("/again", false), ("/again/later", false), ("/again/later", true),
        ] {
            let client = try server.connect(transport)
            for number in 0..<3 {
                try client.send(Self.post("\(number)", to: path))
                if number == 2, !closesLate { client.halfClose() }
                if path.hasSuffix("later") {
                    let replies = server.replies(1)
                    if number == 2, closesLate { client.halfClose() }
                    replies[0].send(LoopHandler.text("\(number)"))
                }
                #expect(try client.readAnswer().text == "\(number)")
            }
            #expect(try client.readToEnd() == [])
            server.expectEmpty()
        }
        for closesLate in [false, true] {
            let client = try server.connect(transport)
            try client.send(Self.poll("3"))
            if closesLate { server.expect(server.server.census.parked, becomes: 1) }
            client.halfClose()
            server.expect(server.server.census.parked, becomes: 1)
            server.backstage.finishParked("event")
            #expect(try client.readAnswer().text == "event")
            #expect(try client.readToEnd() == [])
            server.expectEmpty()
        }
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func anEndThatComesBetweenTwoLooksIsHeardOf(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        try echo("a", on: client, to: "/echo")
        let loop = server.backstage.state.value.loops[0]
        let (begun, ended) = ([Gate(), Gate()], [Gate(), Gate()])
        func hold(_ index: Int) {
            let (begun, ended) = (begun[index], ended[index])
            loop.post { _ in
                begun.open()
                try? ended.wait()
            }
        }
        hold(0)
        try begun[0].wait()
        // The loop's next look finds the request and the second job; the end comes behind that job.
        try client.send(Self.post("b", to: "/echo"))
        hold(1)
        ended[0].open()
        try begun[1].wait()
        client.halfClose()
        ended[1].open()
        #expect(try client.readAnswer().text == "b")
        #expect(try client.readToEnd(within: 60) == [])
    }

    @Test func aBodyAboveItsMaximumIsRefused() throws {
        let server = try LoopServer()
        let client = try publisher(on: server, to: "/small")
        let most = String(repeating: "m", count: LoopHandler.smallBytesMax)
        try echo(most, on: client, to: "/small")
        for client in [client, try server.connect()] {
            try client.send(Self.post(most + "m", to: "/small"))
            let answer = try client.readAnswer()
            #expect(answer.status == 413 && answer.header("Connection") == "close")
        }
        #expect(server.knownCount > 2)
    }

    @Test func bodiesThatFillTheirShareOfMemoryHaveItRefused() throws {
        let server = try LoopServer(memoryBytes: 1 << 20)
        let client = try publisher(on: server)
        let slow = try server.connect()
        let share = (1 << 20) / HTTPFrontLimits.bodiesMemoryFraction
        try slow.send(
            "POST /again HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(share)\r\n\r\n")
        try slow.send([UInt8](repeating: 120, count: share - 10))
        server.expect(server.memory.used(.bodies) >= share - 10 ? 1 : 0, becomes: 1)
        try client.send(Self.post(String(repeating: "x", count: 5_000)))
        let answer = try client.readAnswer()
        #expect(answer.status == 503 && answer.text.contains("LIMIT_BUS"))
        slow.reset()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func anIdleOneIsClosedAtTheDeadlineOfIdleConnections(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer { $0.idleSeconds = 1 }
        let client = try publisher(on: server, transport)
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
        #expect(server.server.loops[0].timeouts.value == 1)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aPieceDoesNotOutliveTheDeadlineOfItsBody(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer { $0.bodySeconds = 1 }
        let client = try publisher(on: server, transport)
        try client.send(String(Self.post("0123456789").dropLast(9)))
        #expect(try client.readAnswer().status == 408)
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aDrainClosesIdleOnesAndLetsLateAnswersOut(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let idle = try publisher(on: server, transport)
        let waiting = try publisher(on: server, transport)
        try waiting.send(Self.post("x", to: "/again/later"))
        let replies = server.replies(1)
        let drained = server.beginDrain()
        #expect(try idle.readToEnd() == [])
        replies[0].send(LoopHandler.text("late"))
        let answer = try waiting.readAnswer()
        #expect(answer.text == "late" && answer.header("Connection") == "close")
        #expect(try waiting.readToEnd() == [])
        try drained.wait()
        #expect(server.server.census == ServerCensus())
    }

    @Test func aDrainThatEndsClosesThoseWhoseAnswerIsStillLate() throws {
        let server = try LoopServer()
        let client = try publisher(on: server)
        try client.send(Self.post("x", to: "/again/later"))
        _ = server.replies(1)
        server.server.drain(within: .milliseconds(50))
        #expect(try client.readToEnd() == [])
        #expect(server.server.census == ServerCensus())
    }

    @Test func theAccessLogHasItLikeAnyOther() throws {
        let log = Records()
        let server = try LoopServer { $0.accessSink = log }
        let client = try publisher(on: server)
        try echo("d", on: client)
        #expect(server.knownCount == 2)
        server.expect(log.records.value.count, becomes: 3)
        for record in log.records.value {
            #expect(record.method == "POST" && record.path == "/again" && record.status == 200)
            #expect(record.bytesIn == 1 && record.bytesOut == 1)
            #expect(record.peer.uid == log.records.value[0].peer.uid)
        }
    }
}

/// Keeps what an access log is told.
private final class Records: AccessSink {
    let records = Protected([AccessRecord]())

    func ended(_ record: AccessRecord) { records.write { $0.append(record) } }
}
