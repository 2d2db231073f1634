import TestSupport
import Testing

/// What a WebSocket is told while nothing is published to it, and what of one that does not answer.
@Suite(.blocking) struct ContractWebSocketHeartbeatTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon(configuration: "[stream]\nheartbeat = 500ms\n")
        client = try daemon.connect()
    }

    @Test func aQuietSocketIsPingedAtEverySecondHeartbeat() throws {
        let socket = try WebSocketClient.opened(daemon.tcp, "/topics/t")
        for _ in 0..<2 {
            let begin = monotonicSeconds()
            #expect(try socket.next() == .ping([]))
            #expect(monotonicSeconds() - begin > 0.5)
            try socket.send(WebSocketFrame(WebSocketFrame.Opcode.pong, []))
        }
    }

    @Test func whoeverAnswersNoPingIsClosed() throws {
        let socket = try WebSocketClient.opened(daemon.tcp, "/topics/t")
        #expect(try socket.next() == .ping([]))
        guard case .close(let code, _) = try socket.next() else {
            Issue.record("it goes on")
            return
        }
        #expect(code == 1013)
    }

    @Test func theCursorIsToldWhenItMovedWithoutAnEvent() throws {
        let socket = try WebSocketClient.opened(daemon.tcp, "/topics/t?type=wanted")
        let id = try client.publish("unwanted", to: "t")
        #expect(try socket.text() == "{\"cursor\":\"\(id)\"}")
        let elsewhere = try client.publish("elsewhere", to: "u")
        #expect(try socket.text() == "{\"cursor\":\"\(elsewhere)\"}")
        _ = try client.exchange("POST", "/topics/t?type=wanted", body: [0x78])
        #expect(try socket.text().contains("\"type\":\"wanted\""))
        // The event said it: nothing but pings comes.
        #expect(throws: RawClient.Failure.self) { try socket.text(within: 1) }
    }

    @Test func ofRawEventsTheCursorIsToldBesides() throws {
        let socket = try WebSocketClient.opened(daemon.tcp, "/topics/t?as=raw")
        let id = try client.publish("x", to: "t")
        #expect(try socket.message() == .binary([0x78]))
        #expect(try socket.text() == "{\"cursor\":\"\(id)\"}")
        #expect(throws: RawClient.Failure.self) { try socket.text(within: 1) }
    }
}
