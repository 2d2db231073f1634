import Dispatch
import Glibc
import Protection
import TestSupport
import Testing

@testable import HTTPFront

/// Requests without a body whose head is known, with another number in one place.
@Suite(.blocking) struct KnownRequestTests {
    private typealias Transport = LoopServer.Transport

    private static func poll(_ since: String) -> String {
        "GET /park?a=1&since=\(since)&b HTTP/1.1\r\nHost: localhost\r\nX: y\r\n\r\n"
    }

    /// A client whose next poll of these words is known.
    private func follower(
        of server: LoopServer, _ transport: Transport = .tcp,
        _ poll: (String) -> String = Self.poll
    ) throws -> RawClient {
        let client = try server.connect(transport)
        try finish(poll("1"), on: client, server)
        return client
    }

    /// Sends a poll that parks and has it answered.
    private func finish(
        _ poll: String, on client: RawClient, _ server: LoopServer, text: String = "event"
    ) throws {
        let parked = server.server.census.parked
        try client.send(poll)
        server.expect(server.server.census.parked, becomes: parked + 1)
        server.backstage.finishParked(text)
        let answer = try client.readAnswer()
        #expect(answer.text == text)
        #expect(answer.header("Connection") == nil)
        server.expect(server.server.census.parked, becomes: 0)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func fromTheSecondOnItIsKnown(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try follower(of: server, transport)
        #expect(server.handledCount == 1 && server.known == [])
        for since in ["3", "1234567890123456", "7"] {
            try finish(Self.poll(since), on: client, server)
        }
        try client.send(Self.poll("0"))
        #expect(try client.readAnswer().text == "at once")
        try finish(Self.poll("8"), on: client, server)
        #expect(server.known == ["3", "1234567890123456", "7", "0", "8"])
        #expect(server.handledCount == 1)
        #expect(server.server.loops[0].requests.value == 6)
        #expect(server.server.loops[0].repeats.value == 5)
        #expect(server.server.loops[0].answers.value == 6)
        #expect(server.server.census.connections == 1)
        client.close()
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func otherRequestsInBetweenAreParsed(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try follower(of: server, transport)
        try finish(Self.poll("3"), on: client, server)
        #expect(try client.exchange("POST", "/echo", body: Array("b".utf8)).text == "b")
        #expect(try client.exchange("GET", "/hello").text == "hello")
        // In the parser, taken out of it, seen before it, known.
        // Parsed, and known once the socket has left the parser.
        for since in ["4", "5", "6"] { try finish(Self.poll(since), on: client, server) }
        #expect(server.known == ["3", "5", "6"])
        client.close()
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aHeadersNumberIsKnownToo(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        func poll(_ id: String) -> String {
            "GET /park?since=5 HTTP/1.1\r\nHost: localhost\r\nlast-event-id:\t\(id) \r\n\r\n"
        }
        let client = try follower(of: server, transport, poll)
        try finish(poll("300"), on: client, server)
        #expect(server.known == ["300"])
        try finish(poll("300").replacing("=5", with: "=6"), on: client, server)
        #expect(server.known == ["300"])
        try finish(poll("301"), on: try server.connect(transport), server)
        #expect(server.known == ["300", "301"])
    }

    static let differences: [String] = [
        poll("3").replacing("a=1", with: "a=2"), poll("3").replacing("X: y", with: "X: z"),
        poll("3").replacing("X: y", with: "X: y\r\nZ: 1"), poll("3").replacing("X:", with: "x:"),
        poll("3").replacing("\r\n", with: "\n"), poll("12345678901234567"), poll("+3"), poll("-3"),
        poll("%33"), poll("3&since=4"), poll(""), poll("now"), "\r\n" + poll("3"),
        poll("3").replacing("1.1", with: "1.0"), poll("3").replacing("GET", with: "HEAD"),
        poll("3").replacing("X: y", with: "Connection: close"),
        poll("3").replacing("X: y", with: "Content-Length: 0"),
    ]

    @Test(arguments: LoopServer.Transport.allCases, differences)
    func whatDiffersIsParsed(_ transport: LoopServer.Transport, _ request: String) throws {
        let server = try LoopServer()
        let client = try follower(of: server, transport)
        try client.send(request)
        server.expect(server.server.census.parked, becomes: 1)
        server.backstage.finishParked("event")
        let answer = try client.readAnswer(toHead: request.hasPrefix("HEAD"))
        #expect(answer.status == 200)
        #expect(server.handledCount == 2 && server.known == [])
    }

    @Test(arguments: [
        "Connection: close, x", "Connection: keep-alive, x", "Expect: 100-continue", "Upgrade: h2c",
        "Content-Length: 0",
    ])
    func whatAsksForMoreIsParsedEachTime(header: String) throws {
        let server = try LoopServer()
        for since in 1...4 {
            let client = try server.connect()
            for round in 0..<4 {
                try client.send(Self.poll("\(since)").replacing("X: y", with: header))
                server.expect(server.server.census.parked, becomes: 1)
                server.backstage.finishParked("event")
                let answer = try client.readAnswer()
                #expect(answer.text == "event", "round \(round)")
                if answer.header("Connection") == "close" { break }
            }
        }
        #expect(server.known == [])
    }

    @Test(arguments: [
        poll("1").replacing("X: y", with: "Connection: close"),
        poll("1").replacing("1.1", with: "1.0"),
    ])
    func oneThatClosesItsConnectionIsKnownOnTheNext(poll: String) throws {
        let server = try LoopServer()
        for since in 1...3 {
            let client = try server.connect()
            try client.send(poll.replacing("=1&b", with: "=\(since + 1)&b"))
            server.expect(server.server.census.parked, becomes: 1)
            server.backstage.finishParked("event")
            let answer = try client.readAnswer()
            #expect(answer.text == "event" && answer.header("Connection") == "close")
            #expect(try client.readToEnd() == [])
        }
        #expect(server.known == ["3", "4"])
        server.expectEmpty()
    }

    @Test func whatIsLongIsParsedEachTime() throws {
        let server = try LoopServer()
        let filler = String(repeating: "y", count: HTTPFrontLimits.keptHeadBytesMax)
        let client = try follower(of: server) {
            Self.poll($0).replacing("X: y", with: "X: \(filler)")
        }
        try finish(
            Self.poll("3").replacing("X: y", with: "X: \(filler)"), on: client, server)
        #expect(server.known == [])
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func whatComesInTwoPiecesIsParsedWhereverItIsCut(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer()
        let bytes = Array(Self.poll("345").utf8)
        let client = try follower(of: server, transport)
        for cut in 1..<bytes.count {
            let before = server.known.count
            try client.send(Array(bytes[..<cut]))
            // The loop has seen the first piece once it has served others that came later.
            try server.acceptAll()
            try client.send(Array(bytes[cut...]))
            server.expect(server.server.census.parked, becomes: 1)
            server.backstage.finishParked("cut at \(cut)")
            #expect(try client.readAnswer().text == "cut at \(cut)")
            #expect(server.known.count == before, "cut at \(cut)")
            try finish(Self.poll("1"), on: client, server)
            #expect(server.known.count == before + 1, "known again behind \(cut)")
        }
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func twoAtOnceAreBothAnswered(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try follower(of: server, transport)
        try client.send(Self.poll("3") + Self.poll("4"))
        // As behind any poll that has a request behind it.
        #expect(try client.readAnswer().text == "at once")
        server.expect(server.server.census.parked, becomes: 1)
        server.backstage.finishParked("second")
        #expect(try client.readAnswer().text == "second")
        #expect(server.known == [])
        for since in ["5", "6"] { try finish(Self.poll(since), on: client, server) }
        #expect(server.known == ["5", "6"])
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func whatComesWhileItWaitsIsServedAfterIt(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try follower(of: server, transport)
        try client.send(Self.poll("3"))
        server.expect(server.server.census.parked, becomes: 1)
        try client.send(Self.poll("4"))
        #expect(client.isSilent(for: 0.02))
        server.backstage.finishParked("first")
        #expect(try client.readAnswer().text == "first")
        server.expect(server.known.count, becomes: 2)
        try client.send("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        server.expect(server.server.census.parked, becomes: 1)
        server.backstage.finishParked("second")
        #expect(try client.readAnswer().text == "second")
        #expect(try client.readAnswer().text == "hello")
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aHalfClosedClientGetsItsAnswer(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        for closesLate in [false, true] {
            let client = try follower(of: server, transport)
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
    func aClientThatGoesIsNoticed(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        for resets in [false, true] {
            let client = try follower(of: server, transport)
            try client.send(Self.poll("3"))
            server.expect(server.server.census.parked, becomes: 1)
            resets ? client.reset() : client.close()
            server.expect(server.server.census.connections, becomes: 0)
            let idle = try follower(of: server, transport)
            resets ? idle.reset() : idle.close()
            server.expectEmpty()
        }
        #expect(server.backstage.state.value.closed == 2)
    }

    @Test func aLongAnswerIsWrittenAsThePeerReads() throws {
        let server = try LoopServer()
        let client = try follower(of: server)
        let text = String(repeating: "0123456789", count: 400_000)
        for since in 3..<6 {
            try client.send(Self.poll("\(since)"))
            server.expect(server.server.census.parked, becomes: 1)
            server.backstage.finishParked(text)
            #expect(try client.readAnswer(within: 60).text == text)
        }
        #expect(server.known == ["3", "4", "5"])
        client.close()
        server.expectEmpty()
    }

    @Test func itsDeadlineIsTold() throws {
        let server = try LoopServer()
        let client = try server.connect()
        for since in 1...4 {
            #expect(try client.exchange("GET", "/park/20?since=\(since)").text == "timed out")
        }
        #expect(server.known == ["2", "3", "4"])
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func anIdleOneIsClosedAtTheDeadlineOfIdleConnections(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer { $0.idleSeconds = 1 }
        let client = try follower(of: server, transport)
        try finish(Self.poll("3"), on: client, server)
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
        #expect(server.server.loops[0].timeouts.value == 1)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aDrainClosesIdleOnesAndAnswersThoseThatWait(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let idle = try follower(of: server, transport)
        let waiting = try follower(of: server, transport)
        try waiting.send(Self.poll("3"))
        server.expect(server.server.census.parked, becomes: 1)
        server.server.drain(within: .seconds(60))
        #expect(try idle.readToEnd() == [])
        let answer = try waiting.readAnswer()
        #expect(answer.text == "drained" && answer.header("Connection") == "close")
        #expect(try waiting.readToEnd() == [])
        #expect(server.server.census == ServerCensus())
    }

    @Test func settingsThatChangedHaveItParsed() throws {
        let server = try LoopServer()
        let client = try follower(of: server)
        try finish(Self.poll("3"), on: client, server)
        var configuration = HTTPServerConfiguration(listen: [])
        server.server.reconfigure(configuration)
        for since in ["4", "5"] { try finish(Self.poll(since), on: client, server) }
        #expect(server.known == ["3", "5"])
        configuration.hosts = try HostPolicy(allowing: ["elsewhere.test"])
        server.server.reconfigure(configuration)
        try finish(Self.poll("6"), on: client, server)
        #expect(server.known == ["3", "5"])
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func whatIsKnownHoldsNoConnectionThatIsGone(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        for since in 1...5 {
            let client = try server.connect(transport)
            try finish(Self.poll("\(since)"), on: client, server)
            client.close()
            server.expectEmpty()
        }
        #expect(server.known == ["2", "3", "4", "5"])
    }

    @Test func theAccessLogHasItLikeAnyOther() throws {
        let log = Records()
        let server = try LoopServer { $0.accessSink = log }
        let client = try follower(of: server)
        try finish(Self.poll("3"), on: client, server)
        server.expect(log.records.value.count, becomes: 2)
        let records = log.records.value
        for record in records {
            #expect(record.method == "GET" && record.path == "/park" && record.status == 200)
            #expect(record.bytesIn == 0 && record.bytesOut == 5)
            #expect(record.peer.uid == records[0].peer.uid)
        }
    }
}

/// Keeps what an access log is told.
private final class Records: AccessSink {
    let records = Protected([AccessRecord]())

    func ended(_ record: AccessRecord) { records.write { $0.append(record) } }
}
