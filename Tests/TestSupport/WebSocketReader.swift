/// What a WebSocket server sends, read as strictly as RFC 6455 lets a client be: a masked frame,
/// reserved bits and opcodes, a length in more bytes than it takes, long or fragmented control
/// frames, text that is not UTF-8, and anything behind a closing frame are malformed.
public struct WebSocketReader: Sendable {
    /// One whole message.
    public enum Message: Equatable, Sendable {
        /// Text, put together from its fragments.
        case text(String)
        /// Bytes, put together from their fragments.
        case binary([UInt8])
        /// A ping.
        case ping([UInt8])
        /// A pong.
        case pong([UInt8])
        /// The end, with its code, if any, and its reason.
        case close(UInt16?, String)
    }

    private var queue = ByteQueue()
    private var fragments: (opcode: UInt8, payload: [UInt8])?

    /// Whether a closing frame is there.
    public private(set) var isClosed = false

    /// What is sent before its first byte.
    public init() {}

    /// Takes what arrived, and returns the messages that are there in whole.
    public mutating func feed(_ bytes: [UInt8]) throws(RawClient.Failure) -> [Message] {
        queue.append(bytes)
        var messages: [Message] = []
        while let frame = try takeFrame() {
            guard !isClosed else { throw .malformed("a frame behind the closing one") }
            if let message = try take(frame) { messages.append(message) }
        }
        guard !isClosed || queue.isEmpty else { throw .malformed("bytes behind the close") }
        return messages
    }

    private mutating func takeFrame() throws(RawClient.Failure) -> WebSocketFrame? {
        guard queue.count >= 2 else { return nil }
        let (first, second) = (queue[0], queue[1])
        guard first & 0x70 == 0 else { throw .malformed("reserved bits in \(first)") }
        guard second & 0x80 == 0 else { throw .malformed("a server's frame is masked") }
        let size = [126: 2, 127: 8][Int(second), default: 0]
        guard queue.count >= 2 + size else { return nil }
        var count = Int(second)
        if size > 0 {
            let wide = (2..<(2 + size)).reduce(UInt64(0)) { $0 << 8 | UInt64(queue[$1]) }
            guard wide >= (size == 2 ? 126 : 1 << 16), wide < 1 << 40 else {
                throw .malformed("the length \(wide) in \(size) bytes")
            }
            count = Int(wide)
        }
        guard queue.count >= 2 + size + count else { return nil }
        _ = queue.take(2 + size)
        return WebSocketFrame(
            first & 0x0F, queue.take(count), isFinal: first & 0x80 != 0, mask: nil)
    }

    private mutating func take(_ frame: WebSocketFrame) throws(RawClient.Failure) -> Message? {
        let payload = frame.payload
        if frame.opcode >= 8, !frame.isFinal || payload.count > 125 {
            throw .malformed("a long or fragmented control frame")
        }
        switch frame.opcode {
        case WebSocketFrame.Opcode.ping: return .ping(payload)
        case WebSocketFrame.Opcode.pong: return .pong(payload)
        case WebSocketFrame.Opcode.close:
            isClosed = true
            guard payload.count != 1 else { throw .malformed("half a close code") }
            guard !payload.isEmpty else { return .close(nil, "") }
            return .close(
                UInt16(payload[0]) << 8 | UInt16(payload[1]), try Self.text(payload.dropFirst(2)))
        case WebSocketFrame.Opcode.continuation:
            guard let begun = fragments else { throw .malformed("nothing to go on with") }
            return try join(begun.opcode, begun.payload + payload, isFinal: frame.isFinal)
        case WebSocketFrame.Opcode.text, WebSocketFrame.Opcode.binary:
            guard fragments == nil else { throw .malformed("a message inside a message") }
            return try join(frame.opcode, payload, isFinal: frame.isFinal)
        default: throw .malformed("the opcode \(frame.opcode)")
        }
    }

    private mutating func join(
        _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool
    ) throws(RawClient.Failure) -> Message? {
        fragments = isFinal ? nil : (opcode, payload)
        guard isFinal else { return nil }
        return opcode == WebSocketFrame.Opcode.text
            ? .text(try Self.text(payload[...])) : .binary(payload)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(RawClient.Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed("text that is not UTF-8")
        }
        return text
    }
}
