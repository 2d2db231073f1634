import Dispatch
import Glibc
import Protection
import TestSupport
import Testing

@testable import HTTPFront

/// Requests with a body whose head is known, on connections that are kept and on new ones.
@Suite(.blocking) struct KnownBodyTests {
    private typealias Transport = LoopServer.Transport

    private static func post(
        _ body: String, to path: String = "/again", headers: String = "X: y\r\n"
    ) -> String {
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n"
            + "\(headers)\r\n\(body)"
    }

    /// A client that was answered twice, so that its next POST of these words is known.
    private func publisher(
        on server: LoopServer, _ transport: Transport = .tcp, to path: String = "/again"
    ) throws -> RawClient {
        let client = try server.connect(transport)
        for body in ["a", "b"] { try echo(body, on: client, to: path) }
        return client
    }

    private func echo(_ body: String, on client: RawClient, to path: String = "/again") throws {
        try client.send(Self.post(body, to: path))
        let answer = try client.readAnswer()
        #expect(answer.status == 200 && answer.text == body)
        #expect(answer.header("Connection") == nil)
    }

    @Test(arguments: LoopServer.Transport.allCases, ["/again", "/again/direct"])
    func repeatedRequestsAreAnsweredAndCountedLikeTheFirst(
        _ transport: LoopServer.Transport, path: String
    ) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        let large = [12_345, 30_000].map { String(repeating: "x", count: $0) }
        let bodies = ["a", "b", "d", "", "0123456789", "\r\n\r\n"] + large
        for body in bodies { try echo(body, on: client, to: path) }
        #expect(server.server.loops[0].requests.value == 8)
        #expect(server.server.loops[0].answers.value == 8)
        #expect(server.server.census.connections == 1)
        // Else this said nothing of repeated ones.
        #expect(!server.known.isEmpty)
        client.close()
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func fromTheSecondConnectionOnTheFirstIsKnown(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        for body in ["a", "bc", "", "0123456789"] {
            let client = try server.connect(transport)
            try echo(body, on: client)
            client.close()
        }
        #expect(server.known == ["2", "0", "10"] && server.handledCount == 1)
        #expect(server.backstage.state.value.made == 1)
        // And so are those that follow on its connection, which never was in the parser.
        let client = try server.connect(transport)
        for body in ["d", "ef"] { try echo(body, on: client) }
        #expect(server.known.count == 5 && server.handledCount == 1)
        client.close()
        server.expectEmpty()
    }

    /// Sends the head of a request, has the loop look at it, and sends its body in these pieces.
    private func post(_ pieces: [String], on client: RawClient, of server: LoopServer) throws {
        let request = Self.post(pieces.joined())
        try client.send(String(request.dropLast(pieces.joined().count)))
        for piece in pieces {
            try server.acceptAll()
            try client.send(piece)
        }
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aBodyThatComesApartFromItsHeadIsKnownToo(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer { $0.bodyAwaitedMilliseconds = 3_600_000 }
        let client = try server.connect(transport)
        for number in 0..<6 {
            let body = String(repeating: "x", count: 100 * number + 1)
            try post([body], on: client, of: server)
            #expect(try client.readAnswer().text == body)
        }
        #expect(server.known.count == 4)
        // Nothing is mistaken for the body of another request.
        try client.send(Self.post("whole"))
        #expect(try client.readAnswer().text == "whole")
        client.close()
        server.expectEmpty()
    }

    @Test func aBodyThatComesInMorePiecesIsTheParsers() throws {
        let server = try LoopServer { $0.bodyAwaitedMilliseconds = 3_600_000 }
        // TCP may send small pieces together.
        let client = try publisher(on: server, .unix)
        try post(["ab", "cd", "ef"], on: client, of: server)
        #expect(try client.readAnswer().text == "abcdef")
        #expect(server.known.isEmpty)
        // The socket leaves the parser again.
        for body in ["g", "h", "i"] { try echo(body, on: client) }
        #expect(!server.known.isEmpty)
        client.close()
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aBodyThatDoesNotComeAtOnceIsTheParsers(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer { $0.bodyAwaitedMilliseconds = 1 }
        let client = try publisher(on: server, transport)
        try client.send(String(Self.post("late").dropLast(4)))
        let requests = server.server.loops[0].requests
        server.expect(Int(requests.value), becomes: 3)
        try client.send("late")
        #expect(try client.readAnswer().text == "late")
        #expect(server.known.isEmpty)
        client.close()
        server.expectEmpty()
    }

    @Test func whoseBodyIsAwaitedMayGoOrBeDrained() throws {
        let server = try LoopServer { $0.bodyAwaitedMilliseconds = 3_600_000 }
        for ends in [false, true] {
            let client = try publisher(on: server)
            try client.send(String(Self.post("never").dropLast(ends ? 5 : 2)))
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

    @Test func aKnownRequestIsAnsweredForThePeerThatSendsIt() throws {
        let server = try LoopServer()
        var peers: [String] = []
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
            peers.append(text)
        }
        // Two connections over TCP have two ports; this process has one unix socket like another.
        #expect(Set(peers).count == 3)
        #expect(server.known.count >= 8)
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
        #expect(server.known.count == 2)
    }

    @Test func aHeadIsForgottenForManyOthersAndKnownAgain() throws {
        let server = try LoopServer()
        func ask(_ words: String) throws {
            let client = try server.connect()
            try client.send(Self.post("x", headers: "X: \(words)\r\n"))
            #expect(try client.readAnswer().text == "x")
            client.close()
        }
        try ask("first")
        for number in 0..<10 * HTTPFrontLimits.knownHeadsMax {
            try ask(String(repeating: "a", count: number % 200) + "b\(number)")
        }
        let before = server.known.count
        for _ in 0..<3 { try ask("first") }
        #expect(server.known.count == before + 2)
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
        #expect(server.known.count == 2)
    }

    static let differences: [String] = [
        post("d", headers: "X: z\r\n"), post("d", headers: "X: y\r\nZ: 1\r\n"),
        post("d", headers: "x: y\r\n"), post("d", headers: ""), post("d", to: "/again?b"),
        post("d").replacing("Content-Length: 1", with: "Content-Length: +1"),
        post("d").replacing("Content-Length: 1", with: "Content-Length: 00000000000000001"),
        post("d").replacing("Content-Length: 1", with: "Content-Length:  1"),
        post("d").replacing("POST", with: "PUT"), post("d").replacing("1.1", with: "1.0"),
        post("d", headers: "Connection: close\r\n"), post("d", headers: "Expect: 100-continue\r\n"),
        "\r\n" + post("d"), post("d").replacing("\r\n", with: "\n"),
        post("d").replacing("Content-Length: 1", with: "Transfer-Encoding: chunked")
            .replacing("\r\n\r\nd", with: "\r\n\r\n1\r\nd\r\n0\r\n\r\n"),
        post(String(repeating: "x", count: HTTPFrontLimits.receiveBufferBytes)),
        "HEAD /hello HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ]

    @Test(arguments: LoopServer.Transport.allCases, differences)
    func whatDiffersIsParsed(_ transport: LoopServer.Transport, _ request: String) throws {
        var told: [String] = []
        for isFresh in [true, false] {
            let server = try LoopServer()
            let known = try publisher(on: server, transport)
            let client = isFresh ? try server.connect(transport) : known
            try client.send(request)
            let answer = try client.readAnswer(toHead: request.hasPrefix("HEAD"))
            told.append("\(answer.status) \(answer.text) \(answer.header("Connection") ?? "")")
            #expect(server.known == [])
        }
        #expect(told[0] == told[1])
    }

    @Test(arguments: [
        "Connection: close, x", "Connection: keep-alive, x", "Expect: 100-continue", "Upgrade: h2c",
    ])
    func whatAsksForMoreIsParsedEachTime(header: String) throws {
        let server = try LoopServer()
        for _ in 0..<2 {
            let client = try server.connect()
            for _ in 0..<5 {
                try client.send(Self.post("a", headers: header + "\r\n"))
                let answer = try client.readAnswer()
                #expect(answer.status == 200 && answer.text == "a")
                if answer.header("Connection") == "close" { break }
            }
        }
        #expect(server.known == [])
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func whatComesInTwoPiecesIsParsedUnlessTheFirstHasTheHead(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer { $0.bodyAwaitedMilliseconds = 3_600_000 }
        let kept = try publisher(on: server, transport)
        let bytes = Array(Self.post("body").utf8)
        for cut in 1..<bytes.count {
            for client in [kept, try server.connect(transport)] {
                let before = server.known.count
                try client.send(Array(bytes[..<cut]))
                // The loop has seen the first piece once it has served others that came later.
                try server.acceptAll()
                try client.send(Array(bytes[cut...]))
                #expect(try client.readAnswer().text == "body", "cut at \(cut)")
                let isKnown = cut >= bytes.count - 4
                #expect(server.known.count == before + (isKnown ? 1 : 0), "cut at \(cut)")
            }
            // It may have to leave the parser first.
            for body in ["a", "b"] { try echo(body, on: kept) }
        }
        #expect(!server.known.isEmpty)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func whatComesTogetherIsAnsweredInOrder(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try publisher(on: server, transport)
        let bodies = (0..<20).map { "body \($0)" }
        try client.send(bodies.map { Self.post($0) }.joined())
        for body in bodies { #expect(try client.readAnswer().text == body) }
        #expect(server.known == [])
        for body in bodies { try echo(body, on: client) }
        try echo("alone", on: try server.connect(transport))
        #expect(server.known.last == "5")
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aLateAnswerComesInItsPlace(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer(loops: 3)
        let client = try server.connect(transport)
        for number in 0..<6 {
            try client.send(Self.post("\(number)", to: "/again/later"))
            let replies = server.replies(1)
            replies[0].send(LoopHandler.text("late \(number)"))
            replies[0].send(LoopHandler.text("too late"))
            #expect(try client.readAnswer().text == "late \(number)")
        }
        #expect(server.known.count == 4)
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
        #expect(server.known.count == 6)
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
            for number in 0..<4 {
                try client.send(Self.post("\(number)", to: "/again/later"))
                let replies = server.replies(1)
                if number < 3 {
                    replies[0].send(LoopHandler.text("late"))
                    _ = try client.readAnswer()
                } else {
                    resets ? client.reset() : client.close()
                    server.expectEmpty()
                    let other = try publisher(on: server, transport)
                    replies[0].send(LoopHandler.text("to nobody"))
                    try echo("other", on: other)
                    other.close()
                }
            }
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
            for number in 0..<4 {
                try client.send(Self.post("\(number)", to: path))
                if number == 3, !closesLate { client.halfClose() }
                if path.hasSuffix("later") {
                    let replies = server.replies(1)
                    if number == 3, closesLate { client.halfClose() }
                    replies[0].send(LoopHandler.text("\(number)"))
                }
                #expect(try client.readAnswer().text == "\(number)")
            }
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
        // The loop's next look finds the request and the second job; the parser's, behind that job,
        // finds the end as well.
        try client.send(Self.post("b", to: "/echo"))
        hold(1)
        ended[0].open()
        try begun[1].wait()
        client.halfClose()
        ended[1].open()
        #expect(try client.readAnswer().text == "b")
        #expect(try client.readToEnd(within: 60) == [])
    }

    @Test func aBodyAboveItsMaximumIsRefusedAsEver() throws {
        let server = try LoopServer()
        let client = try publisher(on: server, to: "/small")
        let most = String(repeating: "m", count: LoopHandler.smallBytesMax)
        try echo(most, on: client, to: "/small")
        #expect(server.known == ["10"])
        for client in [client, try server.connect()] {
            try client.send(Self.post(most + "m", to: "/small"))
            let answer = try client.readAnswer()
            #expect(answer.status == 413 && answer.header("Connection") == "close")
        }
        #expect(server.known == ["10"])
    }

    @Test func bodiesThatFillTheirShareOfMemoryHaveItRefusedAsEver() throws {
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
        #expect(server.known == [])
        slow.reset()
    }

    @Test func anAnswerThatClosesEndsTheConnection() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send(Self.post("a", to: "/again/closing"))
        #expect(try client.readAnswer().header("Connection") == "close")
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func anIdleOneIsClosedAtTheDeadlineOfIdleConnections(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer { $0.idleSeconds = 1 }
        let client = try publisher(on: server, transport)
        try echo("d", on: client)
        #expect(server.known == ["1"])
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
        #expect(server.server.loops[0].timeouts.value == 1)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aPieceDoesNotOutliveTheDeadlineOfItsBody(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer { $0.bodySeconds = 1 }
        let client = try publisher(on: server, transport)
        let request = Self.post("0123456789")
        try client.send(String(request.dropLast(9)))
        let answer = try client.readAnswer()
        #expect(answer.status == 408)
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aDrainClosesIdleOnesAndLetsLateAnswersOut(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let idle = try publisher(on: server, transport)
        let waiting = try server.connect(transport)
        let drained = Gate()
        let http = server.server
        for number in 0..<4 {
            try waiting.send(Self.post("\(number)", to: "/again/later"))
            let replies = server.replies(1)
            if number == 3 {
                DispatchQueue.global().async {
                    http.drain(within: .seconds(60))
                    drained.open()
                }
                #expect(try idle.readToEnd() == [])
            }
            replies[0].send(LoopHandler.text("late"))
            let answer = try waiting.readAnswer()
            #expect(answer.text == "late")
            #expect(answer.header("Connection") == (number == 3 ? "close" : nil))
        }
        #expect(try waiting.readToEnd() == [])
        try drained.wait()
        #expect(server.server.census == ServerCensus())
    }

    @Test func aDrainThatEndsClosesThoseWhoseAnswerIsStillLate() throws {
        let server = try LoopServer()
        let client = try server.connect()
        for number in 0..<4 {
            try client.send(Self.post("\(number)", to: "/again/later"))
            let replies = server.replies(1)
            if number == 3 { break }
            replies[0].send(LoopHandler.text("late"))
            _ = try client.readAnswer()
        }
        #expect(server.known.count == 2)
        server.server.drain(within: .milliseconds(50))
        #expect(try client.readToEnd() == [])
        #expect(server.server.census == ServerCensus())
    }

    @Test func settingsThatChangedHaveItParsed() throws {
        let server = try LoopServer()
        let client = try publisher(on: server)
        try echo("d", on: client)
        server.server.reconfigure(HTTPServerConfiguration(listen: []))
        try echo("e", on: client)
        #expect(server.known == ["1"] && server.handledCount == 3)
        var configuration = HTTPServerConfiguration(listen: [])
        configuration.hosts = try HostPolicy(allowing: ["elsewhere.test"])
        server.server.reconfigure(configuration)
        for client in [client, try server.connect()] { try echo("f", on: client) }
        #expect(server.known == ["1", "1"] && server.handledCount == 4)
    }

    @Test func whatTheHandlerMadeOfItIsNotUsedOnceItsConfigurationIsAnother() throws {
        let server = try LoopServer()
        let client = try publisher(on: server)
        for number in 1...3 {
            server.backstage.state.write { $0.configurationNumber += 1 }
            try echo("d", on: client)
            #expect(server.handledCount == 2 + number && server.known == [])
        }
        try echo("e", on: try server.connect())
        #expect(server.handledCount == 5 && server.known == ["1"])
    }

    @Test func aClientWhoseRequestsDifferIsSoonLeftInTheParser() throws {
        let server = try LoopServer()
        let client = try server.connect()
        for number in 0..<100 {
            try client.send(Self.post("a", headers: "X: \(number)\r\n"))
            #expect(try client.readAnswer().text == "a")
        }
        // Each of those that were looked at made one; the others were not looked at.
        #expect(server.backstage.state.value.made == Int(HTTPFrontLimits.unknownHeadsMax))
        #expect(server.known == [])
    }

    @Test func aFewKindsOfRequestsMayTakeTurns() throws {
        let server = try LoopServer()
        let client = try server.connect()
        for number in 0..<40 {
            try client.send(Self.post("a", headers: "X: \(number % 3)\r\n"))
            #expect(try client.readAnswer().text == "a")
        }
        #expect(server.known.count > 30)
    }

    @Test func pollsAndPostsMayTakeTurns() throws {
        let server = try LoopServer()
        let client = try server.connect()
        for number in 0..<40 {
            try echo("\(number)", on: client)
            try client.send("GET /park?since=\(number) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            server.expect(server.server.census.parked, becomes: 1)
            server.backstage.finishParked("event \(number)")
            #expect(try client.readAnswer().text == "event \(number)")
        }
        client.close()
        server.expectEmpty()
    }

    @Test func theAccessLogHasItLikeAnyOther() throws {
        let log = KeptRecords()
        let server = try LoopServer { $0.accessSink = log }
        let client = try publisher(on: server)
        try echo("d", on: client)
        #expect(server.known == ["1"])
        server.expect(log.records.value.count, becomes: 3)
        for record in log.records.value {
            #expect(record.method == "POST" && record.path == "/again" && record.status == 200)
            #expect(record.bytesIn == 1 && record.bytesOut == 1)
            #expect(record.peer.uid == log.records.value[0].peer.uid)
        }
    }
}

/// Keeps what an access log is told.
private final class KeptRecords: AccessSink {
    let records = Protected([AccessRecord]())

    func ended(_ record: AccessRecord) { records.write { $0.append(record) } }
}
