/// Frames as a server sends them: whole messages, unmasked (RFC 6455 section 5.2).
///
/// Made once for a message that many sockets share.
public enum WebSocketFrame {
    /// The type of a message.
    public enum Opcode: UInt8, Sendable {
        /// UTF-8.
        case text = 1
        /// Bytes.
        case binary = 2
    }

    /// The header of a frame with a payload of `count` bytes; it has 2 to 10 bytes.
    ///
    /// - Complexity: O(1); one allocation.
    public static func header(_ opcode: Opcode, count: Int) -> [UInt8] {
        header(opcode: opcode.rawValue, count: count)
    }

    /// A message of text, which must be UTF-8.
    ///
    /// - Complexity: O(bytes).
    public static func text(_ utf8: some Collection<UInt8>) -> [UInt8] {
        header(.text, count: utf8.count) + utf8
    }

    /// A message of bytes.
    ///
    /// - Complexity: O(bytes).
    public static func binary(_ bytes: some Collection<UInt8>) -> [UInt8] {
        header(.binary, count: bytes.count) + bytes
    }

    static let ping = header(opcode: 9, count: 0)

    /// The answer to a ping, with its payload.
    static func pong(_ payload: UnsafeRawBufferPointer) -> [UInt8] {
        header(opcode: 10, count: payload.count) + payload
    }

    /// A closing frame; without a code, an empty one. The reason is cut to fit.
    static func close(_ code: CloseCode?, _ reason: String = "") -> [UInt8] {
        guard let code else { return header(opcode: 8, count: 0) }
        var payload = [UInt8(code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)]
        for scalar in reason.unicodeScalars {
            let utf8 = UTF8.encode(scalar)!
            guard payload.count + utf8.count <= controlBytesMax else { break }
            payload += utf8
        }
        return header(opcode: 8, count: payload.count) + payload
    }

    private static func header(opcode: UInt8, count: Int) -> [UInt8] {
        var bytes = [0x80 | opcode]
        switch count {
        case 0..<126: bytes.append(UInt8(count))
        case 126..<65_536: append(126, UInt64(count), bytes: 2, to: &bytes)
        default: append(127, UInt64(count), bytes: 8, to: &bytes)
        }
        return bytes
    }

    private static func append(
        _ form: UInt8, _ count: UInt64, bytes: UInt64, to output: inout [UInt8]
    ) {
        output.append(form)
        for index in (0..<bytes).reversed() {
            output.append(UInt8(truncatingIfNeeded: count >> (index * 8)))
        }
    }

    /// Bytes of payload that a control frame holds at most (RFC 6455 section 5.5).
    static let controlBytesMax = 125
}
