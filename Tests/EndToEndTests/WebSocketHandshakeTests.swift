import TestSupport
import Testing

/// Who gets a WebSocket, and what others are answered.
@Suite(.blocking) struct WebSocketHandshakeTests {
    private let daemon: RunningDaemon

    init() throws {
        daemon = try RunningDaemon()
    }

    private func answer(
        replacing name: String = "", by values: [String] = [], adding more: [(String, String)] = [],
        method: String = "GET", version: String = "1.1"
    ) throws -> RawClient.Answer {
        let client = try daemon.connect()
        let fields =
            WebSocketClient.handshake.filter { $0.0 != name } + values.map { (name, $0) } + more
        var head = "\(method) /topics/t?wait=0 HTTP/\(version)\r\nHost: localhost\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        try client.send(head + "\r\n")
        return try client.readAnswer()
    }

    @Test func theAnswerAgreesAndOffersNothing() throws {
        for (name, value) in [
            ("Connection", "keep-alive, Upgrade"), ("Connection", "upgrade"),
            ("Upgrade", "WebSocket"), ("Sec-WebSocket-Extensions", "permessage-deflate"),
            ("Sec-WebSocket-Protocol", "mqtt, soap"), ("Origin", "http://localhost:\(daemon.port)"),
        ] {
            let client = try daemon.connect()
            let fields = WebSocketClient.handshake.filter { $0.0 != name } + [(name, value)]
            try client.send(
                "GET /topics/t HTTP/1.1\r\nHost: localhost:\(daemon.port)\r\n"
                    + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n")
            let socket = try WebSocketClient(accepting: client)
            #expect(socket.answer.number("event-cursor") != nil, "\(name): \(value)")
            guard case .text(let text) = try socket.next(),
                case .told(.cursor(let cursor)) = try StreamText(text)
            else { throw RawClient.Failure.malformed("no cursor") }
            #expect(socket.answer.number("event-cursor") == cursor)
        }
    }

    @Test(arguments: ["0", "7", "8", "12", "14", "013", "13, 8", "x", ""])
    func otherVersionsAreToldTheRightOne(version: String) throws {
        let answer = try answer(replacing: "Sec-WebSocket-Version", by: [version])
        #expect(answer.status == 426)
        #expect(answer.member("code") == "WEBSOCKET_VERSION")
        #expect(answer.header("sec-websocket-version") == "13")
    }

    @Test func aMissingVersionIsToldTheRightOne() throws {
        #expect(try answer(replacing: "Sec-WebSocket-Version").status == 426)
    }

    @Test(arguments: [
        [], [""], ["short"], ["dGhlIHNhbXBsZSBub25jZQ"], ["dGhlIHNhbXBsZSBub25jZSE="],
        ["dGhlIHNhbXBsZSBub25j*Q=="], [WebSocketClient.key, WebSocketClient.key],
    ])
    func aKeyThatIsNoneIsRefused(keys: [String]) throws {
        let answer = try answer(replacing: "Sec-WebSocket-Key", by: keys)
        #expect(answer.status == 400, "\(answer.text)")
    }

    /// RFC 9110, section 7.8: a server may ignore what it is asked to change to.
    @Test func whatIsNoHandshakeIsAPoll() throws {
        #expect(try answer(replacing: "Upgrade", by: ["h2c"]).status == 204)
        #expect(try answer(replacing: "Upgrade").status == 204)
        #expect(try answer(version: "1.0").status == 204)
    }

    /// Something on the way has taken it out: whoever asked for a WebSocket should hear of it.
    @Test(arguments: [[], ["keep-alive"], ["close"]])
    func anUpgradeThatTheConnectionDoesNotNameIsRefused(connection: [String]) throws {
        let answer = try answer(replacing: "Connection", by: connection)
        #expect(answer.status == 400 && answer.member("code") == "REQUEST_MALFORMED")
    }

    @Test func aPageOfAnotherOriginIsRefused() throws {
        #expect(try answer(adding: [("Origin", "http://evil.example")]).status == 403)
        #expect(try answer(adding: [("Origin", "null")]).status == 403)
    }

    /// A client has to wait for the answer (RFC 6455, section 4.1): what it sends ahead is not lost
    /// in silence.
    @Test func framesAheadOfTheAnswerAreRefusedWithTheHandshake() throws {
        for address in [daemon.tcp, daemon.unix] {
            let client = try RawClient(address)
            let fields = WebSocketClient.handshake.map { "\($0.0): \($0.1)\r\n" }.joined()
            try client.send(
                Array("GET /topics/early?as=raw HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n".utf8)
                    + WebSocketFrame(2, [1, 2]).encoded())
            let answer = try client.readAnswer()
            #expect(answer.status == 400 && answer.header("connection") == "close")
            #expect(try client.readToEnd().isEmpty)
        }
    }
}
