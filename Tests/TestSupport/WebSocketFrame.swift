/// One frame of RFC 6455, right or wrong: a test may send any.
public struct WebSocketFrame: Equatable, Sendable {
    /// What it is; 3 to 7 and 11 to 15 are reserved.
    public enum Opcode {
        /// Goes on with the message that is in progress.
        public static let continuation: UInt8 = 0
        /// Text begins.
        public static let text: UInt8 = 1
        /// Bytes begin.
        public static let binary: UInt8 = 2
        /// Ends the connection.
        public static let close: UInt8 = 8
        /// Asks for a pong.
        public static let ping: UInt8 = 9
        /// Answers a ping.
        public static let pong: UInt8 = 10
    }

    /// How its length is written.
    public enum LengthForm: Sendable {
        /// In as few bytes as will do, as it has to be.
        case shortest
        /// In two bytes behind 126.
        case sixteen
        /// In eight bytes behind 127.
        case sixtyFour
        /// In eight bytes behind 127, and this, whatever the payload is.
        case lying(UInt64)
    }

    /// Four bits.
    public var opcode: UInt8
    /// What it carries, unmasked.
    public var payload: [UInt8]
    /// Whether it ends its message.
    public var isFinal: Bool
    /// The three reserved bits, 0 to 7.
    public var reserved: UInt8
    /// What it is masked by; nil is not at all, as only a server may send it.
    public var mask: UInt32?

    /// A frame as a client sends it, unless said otherwise.
    public init(
        _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0,
        mask: UInt32? = 0x1B3C_5D7E
    ) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
        self.reserved = reserved
        self.mask = mask
    }

    /// A frame of text.
    public static func text(_ text: String) -> WebSocketFrame {
        WebSocketFrame(Opcode.text, Array(text.utf8))
    }

    /// A closing frame.
    public static func close(_ code: UInt16, _ reason: String = "") -> WebSocketFrame {
        WebSocketFrame(Opcode.close, bigEndian(code) + Array(reason.utf8))
    }

    /// Its bytes on the wire.
    public func encoded(_ form: LengthForm = .shortest) -> [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        let masked: UInt8 = mask == nil ? 0 : 0x80
        switch form {
        case .shortest where payload.count < 126: bytes.append(masked | UInt8(payload.count))
        case .shortest where payload.count < 1 << 16, .sixteen:
            bytes += [masked | 126] + Self.bigEndian(UInt16(payload.count))
        case .shortest, .sixtyFour: bytes += [masked | 127] + Self.bigEndian(UInt64(payload.count))
        case .lying(let count): bytes += [masked | 127] + Self.bigEndian(count)
        }
        guard let mask else { return bytes + payload }
        let key = Self.bigEndian(mask)
        return bytes + key + payload.enumerated().map { $0.element ^ key[$0.offset & 3] }
    }

    private static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }
}
