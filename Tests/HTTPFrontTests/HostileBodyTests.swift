import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct HostileBodyTests {
    private let head = "POST /small HTTP/1.1\r\nHost: localhost\r\n"

    @Test func bodyAsLongAsAllowedIsTaken() throws {
        let server = try LoopServer()
        let client = try server.connect()
        let body = [UInt8](repeating: 65, count: LoopHandler.smallBytesMax)
        #expect(try client.exchange("POST", "/small", body: body).body == body)
        let answer = try client.exchange("POST", "/small", body: body + [66])
        #expect(answer.status == 413)
        #expect(answer.header("Connection") == "close")
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test func chunksAsLongAsAllowedAreTaken() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send(head + "Transfer-Encoding: chunked\r\n\r\n")
        try client.send("4\r\nAAAA\r\n6\r\nAAAAAA\r\n0\r\n\r\n")
        #expect(try client.readAnswer().text == "AAAAAAAAAA")
    }

    /// Others take what stands behind such a line for something else.
    @Test(arguments: [
        "2\nab\r\n0\r\n\r\n", "2\r\nab\n0\r\n\r\n", "2\r\nab\r\n0\n\r\n", "2\r\nab\r\n0\r\n\n",
        "2;\nab\r\n45\r\n0\r\n\r\n", "2\r\nab\r\n0\r\nX: y\n\r\n",
    ])
    func aLineOfAChunkThatEndsInALineFeedAloneIsRefused(chunks: String) throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send(head + "Transfer-Encoding: chunked\r\n\r\n" + chunks)
        let answer = try client.readAnswer()
        #expect(answer.status == 400 && answer.text.contains("REQUEST_MALFORMED"))
        #expect(try client.readToEnd() == [])
    }

    @Test func chunksBeyondTheMaximumAreRefused() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send(
            head + "Transfer-Encoding: chunked\r\n\r\n8\r\n12345678\r\n8\r\n12345678\r\n0\r\n\r\n")
        let answer = try client.readAnswer()
        #expect(answer.status == 413)
        #expect(answer.header("Connection") == "close")
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func longBodyIsReadToItsEndBeforeTheRefusal(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        let body = [UInt8](repeating: 65, count: 2_000_000)
        let answer = try client.exchange("POST", "/small", body: body)
        #expect(answer.status == 413)
        #expect(answer.text.contains("EVENT_TOO_LARGE"))
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test(arguments: [true, false])
    func bodyBeyondWhatIsThrownAwayIsRefusedWhileItArrives(isDeclared: Bool) throws {
        let server = try LoopServer { $0.discardBytesMax = 100_000 }
        let client = try server.connect()
        let framing =
            isDeclared
            ? "Content-Length: 10000000\r\n\r\n" : "Transfer-Encoding: chunked\r\n\r\n989680\r\n"
        try client.send(head + framing)
        try client.send([UInt8](repeating: 65, count: 150_000))
        let answer = try client.readAnswer()
        #expect(answer.status == 413)
        #expect(answer.header("Connection") == "close")
        #expect(try client.readToEnd() == [])
        client.close()
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases, ["/small", "/refuse"])
    func bodyDeclaredFarTooLongIsRefusedBeforeItComes(
        _ transport: LoopServer.Transport, path: String
    ) throws {
        let server = try LoopServer { $0.discardBytesMax = 100_000 }
        let client = try server.connect(transport)
        try client.send(
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n")
        let answer = try client.readAnswer()
        #expect(answer.status == (path == "/small" ? 413 : 403))
        #expect(answer.header("Connection") == "close")
        #expect(try client.readToEnd() == [])
        // What comes all the same is thrown away, and not for ever.
        try? client.send([UInt8](repeating: 65, count: 400_000))
        server.expect(server.server.census.connections, becomes: 0)
    }

    @Test func clientThatWaitsToBeAskedIsRefusedInstead() throws {
        let server = try LoopServer()
        for (path, headers, status) in [
            ("/small", "Host: localhost\r\n", 413), ("/refuse", "Host: localhost\r\n", 403),
            ("/echo", "Host: evil.example\r\n", 421),
            ("/echo", "Host: localhost\r\nOrigin: null\r\n", 403),
        ] {
            let client = try server.connect()
            try client.send(
                "POST \(path) HTTP/1.1\r\n\(headers)Expect: 100-continue\r\n"
                    + "Content-Length: 11\r\n\r\n")
            #expect(try client.nextStatus() == status, "\(path) \(headers)")
            let answer = try client.readAnswer()
            #expect(answer.header("Connection") == "close", "\(path) \(headers)")
            #expect(try client.readToEnd() == [], "\(path) \(headers)")
        }
        #expect(server.handledCount == 0)
        server.expectEmpty()
    }

    @Test func clientThatWasAskedAndSendsTooMuchIsRefused() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send(head + "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readInterim().status == 100)
        try client.send("a\r\n0123456789\r\n1\r\nx\r\n0\r\n\r\n")
        let answer = try client.readAnswer()
        #expect(answer.status == 413)
        #expect(answer.header("Connection") == "close")
        #expect(server.handledCount == 0)
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test(
        arguments: LoopServer.Transport.allCases,
        [
            "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n",
            "Content-Length: 11\r\nExpect: nothing\r\n",
        ])
    func aClientThatStaysAfterItsBodyWasRefusedIsClosedWhereItsEndIsNotKnown(
        _ transport: LoopServer.Transport, framing: String
    ) throws {
        // A body whose length is known would have an hour to come.
        let server = try LoopServer()
        let client = try server.connect(transport)
        try client.send("POST /refuse HTTP/1.1\r\nHost: localhost\r\n\(framing)\r\n")
        #expect([403, 417].contains(try client.readAnswer().status))
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
        withExtendedLifetime(client) {}
    }

    @Test func bodiesStayWithinTheirShareOfMemory() throws {
        let server = try LoopServer(memoryBytes: 4 << 20)
        let clients = try (0..<8).map { _ in try server.connect() }
        var refused = 0
        for client in clients {
            try client.send(
                "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n")
            try client.send([UInt8](repeating: 65, count: 899_999))
        }
        for client in clients {
            try client.send([65])
            let answer = try client.readAnswer()
            #expect([200, 503].contains(answer.status))
            if answer.status == 503 { refused += 1 }
            #expect(server.memory.used(.bodies) <= (4 << 20) / 4 + 900_000)
        }
        #expect(refused > 0)
        for client in clients { client.close() }
        server.expectEmpty()
    }

    @Test func answersNobodyReadsStayWithinTheirShareOfMemory() throws {
        let share = (16 << 20) / HTTPFrontLimits.unsentMemoryFraction
        let server = try LoopServer(memoryBytes: 16 << 20)
        let clients = try (0..<24).map { _ in try server.connect() }
        for client in clients {
            try client.send("GET", "/size/1500000")
            _ = client.isSilent(for: 0.005)
        }
        server.expect(server.backstage.state.value.handled.count, becomes: 24)
        server.expect(
            server.memory.used(.unsent) <= share + 1_500_000 ? 1 : 0, becomes: 1)
        // Only as many were closed as had to be: the last ones are served.
        #expect(server.server.loops[0].shed.value < 24)
        #expect(try clients[23].readAnswer().body.count == 1_500_000)
        for client in clients { client.close() }
        server.expectEmpty()
    }

    @Test func clientThatReadsGetsAnAnswerLargerThanTheShare() throws {
        let server = try LoopServer(memoryBytes: 1 << 20)
        let client = try server.connect()
        for _ in 0..<3 {
            #expect(try client.exchange("GET", "/size/1500000").body.count == 1_500_000)
        }
        #expect(server.server.loops[0].shed.value == 0)
    }
}
