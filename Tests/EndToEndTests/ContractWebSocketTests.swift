import TestSupport
import Testing

/// What a WebSocket tells, and how it is opened.
@Suite(.blocking) struct ContractWebSocketTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon(
            configuration: "[http]\norigins = http://app.example\n[retention]\ngrace = 0s\n")
        client = try daemon.connect()
    }

    private func open(
        _ target: String, headers: [(String, String)] = []
    ) throws -> WebSocketClient {
        try WebSocketClient(daemon.tcp, target, headers: headers)
    }

    @Test func eventsAreTextFramesOfTheEnvelopesThatPollsHave() throws {
        let cursor = try client.publish("old", to: "t")
        let socket = try open("/topics/t")
        #expect(socket.cursor == cursor)
        #expect(try socket.text() == "{\"cursor\":\"\(cursor)\"}")
        for (body, type) in [("plain \u{2028}", nil), ("{ \"a\" : 1 }", "application/json")] {
            try client.publish(
                body, to: "t", headers: type.map { [("Content-Type", $0)] } ?? [])
        }
        _ = try client.exchange("POST", "/topics/t?type=x&key=y", body: [0xFF, 0x00])
        let poll = try client.get("/topics/t?as=json&since=\(cursor)").text
        let envelopes = try (0..<3).map { _ in try socket.text() }
        #expect(poll.contains("{\"events\":[\(envelopes.joined(separator: ","))],"))
    }

    @Test func rawEventsAreBinaryFramesAndWhatTheBusSaysIsText() throws {
        try client.register("t", "?keep=2")
        let ids = try (1...4).map { try client.publish("\($0)", to: "t") }
        let socket = try open("/topics/t?as=raw&since=\(ids[0])")
        #expect(try socket.text() == "{\"cursor\":\"\(ids[0])\"}")
        #expect(
            try socket.text() == "{\"gap\":{\"after\":\"\(ids[0])\",\"through\":\"\(ids[1])\"}}")
        #expect(try socket.message() == .binary(Array("3".utf8)))
        #expect(try socket.message() == .binary(Array("4".utf8)))
        _ = try client.exchange("POST", "/topics/t", body: [0xFF, 0x00])
        #expect(try socket.message() == .binary([0xFF, 0x00]))
        _ = try client.exchange("POST", "/topics/t", body: [])
        #expect(try socket.message() == .binary([]))
    }

    @Test func bothFormsHaveFramesOfEveryLength() throws {
        let envelopes = try open("/topics/t")
        let raw = try open("/topics/t?as=raw")
        for socket in [envelopes, raw] { _ = try socket.text() }
        for count in [125, 126, 65_535, 65_536, 1 << 20] {
            let body = String(repeating: "x", count: count)
            try client.publish(body, to: "t")
            #expect(try envelopes.text().contains("\"data\":\"\(body)\""))
            #expect(try raw.message() == .binary(Array(body.utf8)))
        }
    }

    @Test func theCursorOnOpeningIsWhereTheNextWouldGoOn() throws {
        let ids = try (1...3).map { try client.publish("\($0)", to: "t") }
        for (since, cursor) in [
            ("now", ids[2]), ("\(ids[1])", ids[1]), ("latest", ids[2] - 1), ("-2", ids[1] - 1),
        ] {
            let socket = try open("/topics/t?since=\(since)")
            #expect(socket.cursor == cursor, "since=\(since)")
            #expect(try socket.text() == "{\"cursor\":\"\(cursor)\"}")
        }
        let resumed = try open("/topics/t?since=now", headers: [("Last-Event-ID", "\(ids[0])")])
        #expect(resumed.cursor == ids[0])
        #expect(resumed.answer.header("cache-control") == "no-store")
    }

    @Test func filtersAndWideSelectorsWork() throws {
        let socket = try open("/topics/a,b.*?type=t&key=k")
        _ = try socket.text()
        for target in ["a", "a?type=t", "a?type=t&key=k", "b?type=t&key=k", "b.c?type=t&key=k"] {
            let answer = try client.exchange("POST", "/topics/\(target)", body: [0x78])
            #expect(answer.status == 201)
        }
        #expect(try socket.text().contains("\"topic\":\"a\",") == true)
        #expect(try socket.text().contains("\"topic\":\"b.c\",") == true)
    }

    @Test func anotherVersionIsToldWhichOneIsSpoken() throws {
        for versions in [["12"], ["13", "13"], ["13, 14"], [""], []] {
            let headers =
                WebSocketClient.handshake.filter { $0.0 != "Sec-WebSocket-Version" }
                + versions.map { ("Sec-WebSocket-Version", $0) }
            let answer = try WebSocketClient.refusal(daemon.tcp, "/topics/t", headers: headers)
            #expect(answer.status == 426, "\(versions)")
            #expect(answer.header("sec-websocket-version") == "13")
            ProblemTests.check(answer, "WEBSOCKET_VERSION", "\(versions)")
        }
    }

    @Test(
        "what is wrong with a request is said before the handshake",
        arguments: [
            ("/topics/a..b", 400, "SELECTOR_INVALID"),
            ("/topics/t?as=sse", 400, "PARAMETER_INVALID"),
            ("/topics/t?since=x", 400, "CURSOR_INVALID"),
            ("/topics/t?max=0", 400, "PARAMETER_INVALID"),
            ("/topics/t?envelope=yes", 400, "PARAMETER_INVALID"),
            ("/topics/t?since=1&strict=1", 410, "EVENTS_GONE"),
            ("/topics/t?nonsense=1", 400, "PARAMETER_UNKNOWN"),
        ])
    func refusals(target: String, status: Int, code: String) throws {
        try client.publish("x", to: "t")
        let answer = try WebSocketClient.refusal(daemon.tcp, target)
        #expect(answer.status == status)
        ProblemTests.check(answer, code, target)
    }

    @Test func aHandshakeWithoutAKeyIsMalformed() throws {
        for dropped in ["Sec-WebSocket-Key", "Connection"] {
            let headers = WebSocketClient.handshake.filter { $0.0 != dropped }
            let answer = try WebSocketClient.refusal(daemon.tcp, "/topics/t", headers: headers)
            #expect(answer.status == 400)
            ProblemTests.check(answer, "REQUEST_MALFORMED", dropped)
        }
    }

    /// RFC 6455, section 4.2.2: an answer that chooses none of those that were offered names none.
    @Test(
        arguments: [
            ("belfry.v1", "belfry.v1"), ("mqtt,belfry.v1", "belfry.v1"),
            ("soap, belfry.v1 ,x", "belfry.v1"),
            ("mqtt", nil), ("belfry.v2", nil), ("Belfry.V1", nil), ("", nil),
        ] as [(String, String?)])
    func theSubprotocolOfTheBusIsChosenWhereItIsOffered(offered: String, chosen: String?) throws {
        let offer = [("Sec-WebSocket-Protocol", offered)]
        let answer = try WebSocketClient.refusal(
            daemon.tcp, "/topics/t", headers: WebSocketClient.handshake + offer)
        #expect(answer.status == 101)
        #expect(answer.header("sec-websocket-protocol") == chosen)
    }

    /// RFC 9110, section 7.8: a server may ignore what it is asked to change to.
    @Test func whatIsNoHandshakeIsAPoll() throws {
        for (upgrade, version) in [("Upgrade: h2c\r\n", "1.1"), ("", "1.1"), (nil, "1.0")] {
            let client = try daemon.connect()
            // With a key it is a handshake that a proxy cut down.
            let lines = WebSocketClient.handshake.filter {
                $0.0 != "Sec-WebSocket-Key" && (upgrade == nil || $0.0 != "Upgrade")
            }
            .map { "\($0.0): \($0.1)\r\n" }.joined()
            try client.send(
                "GET /topics/t?wait=0 HTTP/\(version)\r\nHost: localhost\r\n"
                    + "\(lines)\(upgrade ?? "")\r\n")
            #expect(try client.readAnswer().status == 204, "\(upgrade ?? version)")
        }
    }

    @Test func pagesAndHostsAreJudgedAsForAnyRequest() throws {
        func answer(_ header: (String, String)) throws -> RawClient.Answer {
            try WebSocketClient.refusal(
                daemon.tcp, "/topics/t", headers: WebSocketClient.handshake + [header])
        }
        #expect(try answer(("Origin", "http://evil.example")).status == 403)
        #expect(try answer(("Origin", "null")).status == 403)
        #expect(try answer(("Origin", "http://app.example")).status == 101)
        #expect(try answer(("Origin", "http://localhost")).status == 101)
        let foreign = try RawClient(daemon.tcp)
        let lines = WebSocketClient.handshake.map { "\($0.0): \($0.1)\r\n" }.joined()
        try foreign.send("GET /topics/t HTTP/1.1\r\nHost: evil.example\r\n\(lines)\r\n")
        #expect(try foreign.readAnswer().status == 421)
    }

    @Test func aSocketCountsAsASubscriberUntilItCloses() throws {
        try client.register("t")
        let sockets = try (0..<2).map { _ in try open("/topics/t") }
        try client.await(subscribers: 2, of: "t")
        _ = try sockets[0].text()
        try sockets[0].send(.close(1000))
        #expect(try sockets[0].closeCode() == 1000)
        try client.await(subscribers: 1, of: "t")
        sockets[1].client.close()
        try client.await(subscribers: 0, of: "t")
    }

    @Test func socketsCountAgainstTheLimitOfThoseThatWait() throws {
        let daemon = try RunningDaemon(configuration: "[poll]\nsubscribers = 1\n")
        let socket = try WebSocketClient(daemon.tcp, "/topics/t")
        let answer = try WebSocketClient.refusal(daemon.tcp, "/topics/t")
        #expect(answer.status == 503 && answer.header("retry-after") == "1")
        ProblemTests.check(answer, "LIMIT_BUS", "the second socket")
        socket.client.close()
        try eventually("its place is free") {
            try WebSocketClient.refusal(daemon.tcp, "/topics/t").status == 101
        }
    }

    @Test func whereTopicsAreNotMadeByAskingThereIsNoSocketOfNothing() throws {
        let daemon = try RunningDaemon(configuration: "[bus]\nautocreate = no\n")
        let answer = try WebSocketClient.refusal(daemon.tcp, "/topics/t")
        #expect(answer.status == 404)
        ProblemTests.check(answer, "TOPIC_UNKNOWN", "t")
    }
}
