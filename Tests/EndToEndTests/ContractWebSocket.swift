import TestSupport
import Testing

/// What tests of WebSockets say again and again.
extension WebSocketClient {
    /// Asks for a WebSocket that nobody may get, and returns the answer.
    static func refusal(
        _ address: RawClient.Address, _ target: String, headers: [(String, String)] = handshake
    ) throws -> RawClient.Answer {
        let client = try RawClient(address)
        try client.send("GET", target, headers: headers)
        return try client.readAnswer()
    }

    /// A socket of which the cursor it opens with was read.
    static func opened(
        _ address: RawClient.Address, _ target: String, receiveBufferBytes: Int32? = nil
    ) throws -> WebSocketClient {
        let client = try RawClient(address, receiveBufferBytes: receiveBufferBytes)
        try client.send("GET", target, headers: handshake)
        let socket = try WebSocketClient(accepting: client)
        #expect(try socket.text() == "{\"cursor\":\"\(try #require(socket.cursor))\"}")
        return socket
    }

    /// The next message that is not a ping, which is answered.
    func message(within seconds: Double = 60) throws -> WebSocketReader.Message {
        let deadline = monotonicSeconds() + seconds
        while true {
            let message = try next(within: deadline - monotonicSeconds())
            guard case .ping(let payload) = message else { return message }
            try send(WebSocketFrame(WebSocketFrame.Opcode.pong, payload))
        }
    }

    /// The text that comes next.
    func text(within seconds: Double = 60) throws -> String {
        let message = try message(within: seconds)
        guard case .text(let text) = message else {
            throw RawClient.Failure.malformed("\(message)")
        }
        return text
    }

    /// The closing code that comes next, behind which the connection ends.
    func closeCode(within seconds: Double = 60) throws -> UInt16? {
        let message = try message(within: seconds)
        guard case .close(let code, let reason) = message else {
            throw RawClient.Failure.malformed("\(message)")
        }
        #expect(reason.utf8.count <= 123)
        if let code { try? send(.close(code)) }
        #expect(try client.readToEnd().isEmpty)
        return code
    }

    /// Publishes by a text message, and returns the answer, a text too.
    func publish(_ json: String) throws -> String {
        try send(.text(json))
        return try text()
    }

    /// The cursor that the answer to the handshake has.
    var cursor: UInt64? { answer.number("event-cursor") }
}
