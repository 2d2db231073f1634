import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct WebSocketHandshakeTests {
    private typealias Fields = [(String, String)]
    private static let good: Fields = WebSocketClient.handshake

    /// The good handshake with another value of one header, or without it.
    private static func handshake(_ name: String, _ value: String?) -> Fields {
        good.filter { $0.0 != name } + (value.map { [(name, $0)] } ?? [])
    }

    @Test func acceptanceIsThatOfTheStandardsExample() {
        let answer = Array(WebSocketClient.key.utf8).withUnsafeBytes {
            WebSocketHandshake.acceptance(of: $0)
        }
        #expect(answer == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(arguments: [
        ("Connection", "keep-alive, Upgrade"), ("Connection", "UPGRADE"),
        ("Upgrade", "WebSocket"), ("Upgrade", "h2c , websocket"),
        ("Sec-WebSocket-Extensions", "permessage-deflate"),
        ("Sec-WebSocket-Protocol", "mqtt, soap"),
    ])
    func handshakeIsReadAsListsWithoutCaseAndOffersAreNotTaken(_ name: String, _ value: String)
        throws
    {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send("GET", "/ws", headers: Self.handshake(name, value))
        #expect(try WebSocketClient(accepting: client).next() == .text("begun"))
    }

    @Test(
        arguments: [
            ("Connection", nil), ("Connection", "keep-alive"), ("Upgrade", nil), ("Upgrade", "h2c"),
            ("Sec-WebSocket-Key", nil), ("Sec-WebSocket-Key", ""), ("Sec-WebSocket-Key", "short"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZSE="),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZTE="),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25*ZQ=="),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j ZQ="),
            (
                "Sec-WebSocket-Key",
                "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
            ),
        ] as [(String, String?)])
    func handshakeThatIsNotRightIsRefused(_ name: String, _ value: String?) throws {
        let server = try LoopServer()
        let client = try server.connect()
        let answer = try client.exchange("GET", "/ws", headers: Self.handshake(name, value))
        #expect(answer.status == 400)
        #expect(answer.text.contains("REQUEST_MALFORMED"))
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test(arguments: ["0", "7", "8", "12", "14", "013", "13, 8", "x", "", nil] as [String?])
    func otherVersionsAreToldWhichOneIsSpoken(_ version: String?) throws {
        let server = try LoopServer()
        let client = try server.connect()
        let answer = try client.exchange(
            "GET", "/ws", headers: Self.handshake("Sec-WebSocket-Version", version))
        #expect(answer.status == 426)
        #expect(answer.header("Sec-WebSocket-Version") == "13")
        #expect(answer.header("Upgrade") == "websocket")
        #expect(answer.text.contains("WEBSOCKET_VERSION"))
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test func onlyGETInHTTP11OpensASocket() throws {
        let server = try LoopServer()
        let client = try server.connect()
        #expect(try client.exchange("POST", "/ws", headers: Self.good, body: []).status == 400)
        let fields = Self.good.map { "\($0): \($1)\r\n" }.joined()
        try client.send("GET /ws HTTP/1.0\r\nHost: localhost\r\n\(fields)\r\n")
        #expect(try client.readAnswer().status == 400)
    }

    @Test func hostAndOriginAreJudgedBeforeTheHandshake() throws {
        let server = try LoopServer()
        let client = try server.connect()
        let foreign = try client.exchange(
            "GET", "/ws", headers: Self.good + [("Origin", "http://elsewhere.example")])
        #expect(foreign.status == 403)
        let other = try server.connect()
        let fields = Self.good.map { "\($0): \($1)\r\n" }.joined()
        try other.send("GET /ws HTTP/1.1\r\nHost: elsewhere.example\r\n\(fields)\r\n")
        #expect(try other.readAnswer().status == 421)
        #expect(server.backstage.state.value.sockets.isEmpty)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func framesBeforeTheAnswerAreRefusedAndNotLost(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        let fields = Self.good.map { "\($0): \($1)\r\n" }.joined()
        try client.send(
            Array("GET /ws HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n".utf8)
                + Frame.text("early").encoded())
        let answer = try client.readAnswer()
        #expect(answer.status == 400)
        #expect(answer.header("Connection") == "close")
        #expect(try client.readToEnd() == [])
        #expect(server.backstage.state.value.sockets.isEmpty)
    }

    @Test func socketMayBeOpenedOnAConnectionThatServedBefore() throws {
        let server = try LoopServer()
        let client = try server.connect()
        #expect(try client.exchange("POST", "/echo", body: [65]).text == "A")
        try client.send("GET", "/ws", headers: Self.good)
        let socket = try WebSocketClient(accepting: client)
        #expect(try socket.next() == .text("begun"))
        try socket.send(.text("hi"))
        #expect(try socket.next() == .text("hi"))
    }

    @Test func requestSaysWhetherItAsksForASocket() throws {
        func asks(_ fields: Fields, _ version: HTTPVersion = .http11) throws -> Bool {
            var headers = HeaderFields()
            for (name, value) in fields { headers.append(name, value) }
            let target = try Array("/".utf8).withUnsafeBytes { try RequestTarget($0) }
            return RequestHead(
                method: "GET", target: target, version: version, headers: headers
            ).asksForWebSocket
        }
        #expect(try asks(Self.good))
        #expect(try asks([("upgrade", "h2c, WebSocket")]))
        #expect(try !asks([("Upgrade", "h2c")]))
        #expect(try !asks([]))
        #expect(try !asks(Self.good, .http10))
    }

    @Test func serversFramesHaveTheShortestLengths() {
        func header(_ count: Int) -> [UInt8] {
            HTTPFront.WebSocketFrame.header(.binary, count: count)
        }
        #expect(header(0) == [0x82, 0])
        #expect(header(125) == [0x82, 125])
        #expect(header(126) == [0x82, 126, 0, 126])
        #expect(header(65_535) == [0x82, 126, 255, 255])
        #expect(header(65_536) == [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(HTTPFront.WebSocketFrame.text("é".utf8) == [0x81, 2, 0xC3, 0xA9])
    }

    @Test func reasonIsCutBetweenCharacters() {
        let frame = HTTPFront.WebSocketFrame.close(
            .normal, String(repeating: "€", count: 41) + "ü")
        #expect(frame.count == 2 + 2 + 123)
        let short = HTTPFront.WebSocketFrame.close(.normal, "a" + String(repeating: "€", count: 41))
        #expect(Array(short[..<4]) == [0x88, 123, 3, 232])
        #expect(
            String(validating: short[4...], as: UTF8.self) == "a"
                + String(repeating: "€", count: 40))
    }
}
