internal import Foundation

/// A WebSocket over a socket of its own: it sends exactly the frames a test wants and reads
/// strictly. It answers no ping by itself.
///
/// Not for use from two threads at once.
public final class WebSocketClient {
    /// The connection under it.
    public let client: RawClient
    /// The answer to its handshake.
    public let answer: RawClient.Answer
    private var reader = WebSocketReader()
    private var messages: [WebSocketReader.Message] = []

    /// The key of the handshake in RFC 6455, section 1.3.
    public static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    /// The header fields of a handshake that is right.
    public static let handshake = [
        ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", key),
    ]

    /// Takes a connection whose handshake was sent, and reads the answer, which has to agree.
    public init(
        accepting client: RawClient, within seconds: Double = 60
    ) throws(RawClient.Failure) {
        self.client = client
        answer = try client.readHead(within: seconds)
        guard answer.status == 101, answer.header("upgrade")?.lowercased() == "websocket",
            answer.header("connection")?.lowercased() == "upgrade",
            answer.header("sec-websocket-accept") == Self.accept(for: Self.key),
            answer.header("sec-websocket-extensions") == nil,
            answer.header("sec-websocket-protocol") == nil,
            answer.header("content-length") == nil, answer.header("transfer-encoding") == nil
        else { throw .malformed("\(answer.statusLine) \(answer.headers)") }
    }

    /// Connects and shakes hands.
    public convenience init(
        _ address: RawClient.Address, _ target: String, headers: [(String, String)] = []
    ) throws(RawClient.Failure) {
        let client = try RawClient(address)
        try client.send("GET", target, headers: Self.handshake + headers)
        try self.init(accepting: client)
    }

    /// Sends a frame.
    public func send(
        _ frame: WebSocketFrame, _ form: WebSocketFrame.LengthForm = .shortest
    ) throws(RawClient.Failure) {
        try client.send(frame.encoded(form))
    }

    /// The next message, whatever it is.
    public func next(within seconds: Double = 60) throws(RawClient.Failure)
        -> WebSocketReader.Message
    {
        let deadline = RawClient.now() + seconds
        while messages.isEmpty {
            guard try take(within: deadline - RawClient.now()) else {
                throw .closed(received: "no message")
            }
            guard !messages.isEmpty || RawClient.now() < deadline else {
                throw .timedOut(received: "no message")
            }
        }
        return messages.removeFirst()
    }

    /// All messages that are there; nil when there are none and the connection has ended.
    public func available(
        within seconds: Double = 0
    ) throws(RawClient.Failure) -> [WebSocketReader.Message]? {
        let isOpen = messages.isEmpty ? try take(within: seconds) : true
        guard isOpen || !messages.isEmpty else { return nil }
        defer { messages = [] }
        return messages
    }

    /// Passes over all messages before the closing frame, reads the end of the connection, and
    /// returns the code and the reason; nil if it ends without a closing frame.
    public func readClose(within seconds: Double = 60) throws(RawClient.Failure)
        -> (code: UInt16?, reason: String)?
    {
        let deadline = RawClient.now() + seconds
        var close: (UInt16?, String)?
        while try take(within: deadline - RawClient.now()) {
            guard RawClient.now() < deadline else { throw .timedOut(received: "no end") }
        }
        for case .close(let code, let reason) in messages { close = (code, reason) }
        messages = []
        return close
    }

    /// Reads what is there; false at the end of the connection.
    private func take(within seconds: Double) throws(RawClient.Failure) -> Bool {
        guard let bytes = try client.readSome(within: max(0, seconds)) else { return false }
        messages += try reader.feed(bytes)
        return true
    }

    /// What a handshake's key has to be answered with.
    public static func accept(for key: String) -> String {
        Data(SHA1.hash(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
            .base64EncodedString()
    }
}
