import Glibc
import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct ServerParkingTests {
    private let park = "GET /park HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private let hello = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test(arguments: LoopServer.Transport.allCases)
    func parkedRequestIsAnsweredAndTheConnectionGoesOn(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        for round in 0..<4 {
            try client.send("GET", "/park")
            server.expect(server.server.census.parked, becomes: 1)
            server.backstage.finishParked("event \(round)")
            let answer = try client.readAnswer()
            #expect(answer.text == "event \(round)")
            #expect(answer.header("Connection") == nil)
            #expect(try client.exchange("POST", "/echo", body: Array("b".utf8)).text == "b")
        }
        client.close()
        server.expectEmpty()
    }

    @Test func waiterThatHalfClosesAndThenLeavesIsNoticedSoon() throws {
        let server = try LoopServer { $0.halfClosedRecheckSeconds = 60 }
        let clients = try (0..<20).map { _ in try server.connect() }
        for client in clients { try client.send(park) }
        server.expect(server.server.census.parked, becomes: 20)
        for client in clients { client.halfClose() }
        // Once the server has served another client, it has seen these ends and judged them.
        try server.acceptAll()
        #expect(server.server.census.parked == 20)
        for client in clients { client.close() }
        server.expect(server.server.census.parked, becomes: 0)
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func answerWhoseClientLeavesBeforeItIsOutIsToldAsLost(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4096 }
        let text = String(repeating: "x", count: 900_000)
        for leaves in [false, true] {
            let client = try server.connect(transport)
            try client.send("GET", "/park")
            server.expect(server.server.census.parked, becomes: 1)
            server.backstage.finishParked(text)
            server.expect(server.memory.used(.unsent) > 0 ? 1 : 0, becomes: 1)
            if !leaves { #expect(try client.readAnswer().text == text) }
            client.close()
            server.expectEmpty()
            #expect(server.backstage.state.value.lost == (leaves ? 1 : 0))
        }
    }

    @Test func deadlineIsTold() throws {
        let server = try LoopServer()
        let client = try server.connect()
        #expect(try client.exchange("GET", "/park/30").text == "timed out")
        #expect(server.backstage.state.value.timedOut == 1)
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func pollWithARequestBehindItIsAnsweredAtOnce(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        try client.send(hello + park + hello)
        #expect(try client.readAnswer().text == "hello")
        let answer = try client.readAnswer()
        #expect(answer.text == "at once")
        #expect(answer.header("Connection") == nil)
        #expect(try client.readAnswer().text == "hello")
        try client.send("GET", "/park")
        server.expect(server.server.census.parked, becomes: 1)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func requestThatFollowsAParkedOneIsServedAfterIt(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        try client.send(park)
        server.expect(server.server.census.parked, becomes: 1)
        try client.send(hello + park)
        #expect(client.isSilent(for: 0.02))
        server.backstage.finishParked("event")
        #expect(try client.readAnswer().text == "event")
        #expect(try client.readAnswer().text == "hello")
        server.expect(server.server.census.parked, becomes: 1)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aPieceOfTheNextRequestStaysWhereItIs(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        try client.send(park + String(hello.prefix(8)))
        server.expect(server.server.census.parked, becomes: 1)
        server.backstage.finishParked("event")
        let answer = try client.readAnswer()
        #expect(answer.text == "event")
        #expect(answer.header("Connection") == nil)
        try client.send(String(hello.dropFirst(8)))
        #expect(try client.readAnswer().text == "hello")
    }

    @Test func lineEndsBeforeARequestDoNotKeepItFromWaiting() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send("\r\n" + park)
        server.expect(server.server.census.parked, becomes: 1)
    }

    @Test func aPollBehindChunksKeepsItsConnection() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send(
            "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2\r\nok\r\n0\r\n\r\n" + park)
        #expect(try client.readAnswer().text == "ok")
        server.expect(server.server.census.parked, becomes: 1)
        server.backstage.finishParked("event")
        #expect(try client.readAnswer().header("Connection") == nil)
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func parkedClientThatGoesIsNoticed(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let clients = try (0..<20).map { _ in try server.connect(transport) }
        for client in clients { try client.send(park) }
        server.expect(server.server.census.parked, becomes: 20)
        for (index, client) in clients.enumerated() {
            index.isMultiple(of: 2) ? client.close() : client.reset()
        }
        server.expect(server.backstage.state.value.closed, becomes: 20)
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func halfClosedClientGetsItsAnswer(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        try client.send(park)
        client.halfClose()
        server.expect(server.server.census.parked, becomes: 1)
        #expect(client.isSilent(for: 0.05))
        #expect(server.backstage.state.value.closed == 0)
        server.backstage.finishParked("event")
        #expect(try client.readAnswer().text == "event")
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func halfClosedClientGetsAnswersToAllItSent(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        try client.send(park)
        server.expect(server.server.census.parked, becomes: 1)
        try client.send(hello)
        client.halfClose()
        server.backstage.finishParked("event")
        #expect(try client.readAnswer().text == "event")
        #expect(try client.readAnswer().text == "hello")
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test func longAnswerIsWrittenAsThePeerReads() throws {
        let server = try LoopServer()
        let client = try server.connect()
        let text = String(repeating: "0123456789", count: 400_000)
        for _ in 0..<2 {
            try client.send(park)
            server.expect(server.server.census.parked, becomes: 1)
            server.backstage.finishParked(text)
            server.expect(server.server.census.parked, becomes: 0)
            #expect(try client.readAnswer(within: 60).text == text)
        }
        #expect(try client.exchange("GET", "/hello").text == "hello")
        client.close()
        server.expectEmpty()
    }

    /// In a process of its own, whose memory nobody else changes; clients and handler count too.
    @Test(.withoutSanitizer) func waitingCostsLittleMemory() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            var limit = rlimit(rlim_cur: 8192, rlim_max: 8192)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let server = try LoopServer()
            var clients: [RawClient] = []
            func park(_ count: Int) throws {
                for _ in 0..<count {
                    let client = try server.connect()
                    try client.send("GET", "/park")
                    clients.append(client)
                }
                server.expect(server.server.census.parked, becomes: clients.count)
            }
            try park(500)
            let before = try residentBytes()
            try park(2000)
            let cost = (try residentBytes() - before) / 2000
            #expect(cost < 2048, "\(cost) bytes a connection")
        }
    }

    @Test func http10ClientMayWait() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send("GET /park HTTP/1.0\r\nHost: localhost\r\n\r\n")
        server.expect(server.server.census.parked, becomes: 1)
        server.backstage.finishParked("event")
        let answer = try client.readAnswer()
        #expect(answer.text == "event")
        #expect(answer.header("Connection") == "close")
        server.expectEmpty()
    }
}
