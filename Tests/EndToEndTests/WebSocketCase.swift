import TestSupport

/// What a client may send over a WebSocket, and what RFC 6455 has the bus do about it.
struct WebSocketCase: CustomStringConvertible, Sendable {
    /// What happens. No enum with payloads: it would keep their tag in the arrays' addresses, and
    /// the leak sanitizer would take what the table holds for lost.
    struct Outcome: Equatable, Sendable {
        /// The payloads of the messages that are published, in this order.
        let payloads: [[UInt8]]
        let pongs: [[UInt8]]
        let isClosed: Bool
        /// What the connection is closed with, if anything.
        let code: UInt16?

        /// The messages with these payloads are published, in this order; with pongs among it.
        static func published(_ payloads: [[UInt8]], pongs: [[UInt8]] = []) -> Outcome {
            Outcome(payloads: payloads, pongs: pongs, isClosed: false, code: nil)
        }

        /// The connection is closed, with this code or with none, after these pongs.
        static func closed(_ code: UInt16?, pongs: [[UInt8]] = []) -> Outcome {
            Outcome(payloads: [], pongs: pongs, isClosed: true, code: code)
        }
    }

    let description: String
    let bytes: [UInt8]
    let outcome: Outcome

    init(_ description: String, _ frames: [WebSocketFrame], _ outcome: Outcome) {
        self.init(description, bytes: frames.flatMap { $0.encoded() }, outcome)
    }

    init(_ description: String, bytes: [UInt8], _ outcome: Outcome) {
        self.description = description
        self.bytes = bytes
        self.outcome = outcome
    }

    /// All of them. The bus they are for takes events of up to 256 KiB.
    static let all =
        opcodes + lengths + reservedBits + masks + fragments + controls + closes + texts

    private typealias Frame = WebSocketFrame
    private typealias Opcode = WebSocketFrame.Opcode

    private static let hello = Array("hello".utf8)
    private static let error = Outcome.closed(1002)

    private static func text(_ bytes: [UInt8], isFinal: Bool = true) -> Frame {
        Frame(Opcode.text, bytes, isFinal: isFinal)
    }

    private static func go(_ bytes: [UInt8], isFinal: Bool = true) -> Frame {
        Frame(Opcode.continuation, bytes, isFinal: isFinal)
    }

    // Section 5.2.
    private static let opcodes: [WebSocketCase] = (0..<16).map { opcode in
        let outcome: Outcome =
            switch UInt8(opcode) {
            case Opcode.text, Opcode.binary: .published([hello])
            case Opcode.ping: .published([], pongs: [hello])
            case Opcode.pong: .published([])
            // The first two bytes are its code.
            case Opcode.close: error
            default: error
            }
        return WebSocketCase("opcode \(opcode)", [Frame(UInt8(opcode), hello)], outcome)
    }

    private static let lengths: [WebSocketCase] =
        [0, 1, 125, 126, 127, 128, 65_535, 65_536, 256 << 10].map { count in
            let payload = [UInt8](repeating: 0x78, count: count)
            return WebSocketCase(
                "\(count) bytes", [Frame(Opcode.binary, payload)], .published([payload]))
        } + [
            WebSocketCase(
                "5 bytes, their length in 16 bits",
                bytes: Frame(Opcode.binary, hello).encoded(.sixteen), error),
            WebSocketCase(
                "5 bytes, their length in 64 bits",
                bytes: Frame(Opcode.binary, hello).encoded(.sixtyFour), error),
            WebSocketCase(
                "65,535 bytes, their length in 64 bits",
                bytes: Frame(Opcode.binary).encoded(.lying(65_535)), error),
            WebSocketCase(
                "a length with its highest bit", bytes: Frame(2).encoded(.lying(1 << 63)), error),
            WebSocketCase(
                "all bits of a length", bytes: Frame(2).encoded(.lying(.max)), error),
            WebSocketCase(
                "far too long", bytes: Frame(2).encoded(.lying(1 << 62)), .closed(1009)),
            WebSocketCase(
                "one byte too long for any message",
                bytes: Frame(2).encoded(.lying(1 << 30)), .closed(1009)),
            WebSocketCase(
                "too long in fragments",
                (0..<20).map { index in
                    Frame(
                        index == 0 ? Opcode.binary : 0, [UInt8](repeating: 0x78, count: 64 << 10),
                        isFinal: false)
                }, .closed(1009)),
        ]

    private static let reservedBits: [WebSocketCase] = (1..<8).flatMap { bits in
        let bits = UInt8(bits)
        return [
            WebSocketCase("RSV \(bits), text", [Frame(1, hello, reserved: bits)], error),
            WebSocketCase("RSV \(bits), ping", [Frame(9, hello, reserved: bits)], error),
            WebSocketCase("RSV \(bits), close", [Frame(8, reserved: bits)], error),
            WebSocketCase(
                "RSV \(bits), continuation",
                [text(hello, isFinal: false), Frame(0, hello, reserved: bits)], error),
        ]
    }

    // Section 5.3.
    private static let masks: [WebSocketCase] =
        [1, 2, 8, 9, 10].map { opcode in
            WebSocketCase("unmasked opcode \(opcode)", [Frame(opcode, mask: nil)], error)
        } + [
            WebSocketCase("unmasked payload", [Frame(1, hello, mask: nil)], error),
            WebSocketCase(
                "unmasked continuation",
                [text(hello, isFinal: false), Frame(0, hello, mask: nil)], error),
            WebSocketCase("a mask of zeros", [Frame(1, hello, mask: 0)], .published([hello])),
            WebSocketCase("a mask of ones", [Frame(1, hello, mask: .max)], .published([hello])),
        ]

    // Section 5.4.
    private static let fragments = [
        WebSocketCase(
            "two fragments", [text(hello, isFinal: false), go(hello)], .published([hello + hello])),
        WebSocketCase(
            "bytes in two fragments", [Frame(2, [0xFF], isFinal: false), go([0xFE])],
            .published([[0xFF, 0xFE]])),
        WebSocketCase(
            "a fragment for each byte",
            hello.enumerated().map {
                Frame($0.offset == 0 ? 1 : 0, [$0.element], isFinal: $0.offset == 4)
            }, .published([hello])),
        WebSocketCase(
            "empty fragments",
            [text([], isFinal: false), go([], isFinal: false), go(hello, isFinal: false), go([])],
            .published([hello])),
        WebSocketCase(
            "nothing in fragments", [text([], isFinal: false), go([])], .published([[]])),
        WebSocketCase(
            "two messages in fragments",
            [text(hello, isFinal: false), go([]), text([0x61], isFinal: false), go([0x62])],
            .published([hello, [0x61, 0x62]])),
        WebSocketCase(
            "a ping between fragments",
            [text(hello, isFinal: false), Frame(9, [1]), go(hello)],
            .published([hello + hello], pongs: [[1]])),
        WebSocketCase(
            "a pong between fragments",
            [text(hello, isFinal: false), Frame(10, [1]), go(hello)], .published([hello + hello])),
        WebSocketCase(
            "a close between fragments", [text(hello, isFinal: false), .close(1000)], .closed(1000)),
        WebSocketCase("a continuation of nothing", [go(hello)], error),
        WebSocketCase("a fragment of nothing", [go(hello, isFinal: false)], error),
        WebSocketCase("a continuation behind the end", [text(hello), go(hello)], error),
        WebSocketCase(
            "text inside text", [text(hello, isFinal: false), text(hello)], error),
        WebSocketCase(
            "bytes inside text", [text(hello, isFinal: false), Frame(2, hello)], error),
        WebSocketCase(
            "text inside bytes", [Frame(2, hello, isFinal: false), text(hello, isFinal: false)],
            error),
    ]

    // Section 5.5.
    private static let controls: [WebSocketCase] =
        [
            WebSocketCase("an empty ping", [Frame(9)], .published([], pongs: [[]])),
            WebSocketCase(
                "a ping of 125 bytes", [Frame(9, [UInt8](repeating: 0xFF, count: 125))],
                .published([], pongs: [[UInt8](repeating: 0xFF, count: 125)])),
            WebSocketCase(
                "a pong of 125 bytes", [Frame(10, [UInt8](repeating: 0xFF, count: 125))],
                .published([])),
            WebSocketCase(
                "a ping around messages", [Frame(9, [1]), text(hello), Frame(2, [0])],
                .published([hello, [0]], pongs: [[1]])),
        ]
        + [8, 9, 10].flatMap { (opcode: UInt8) in
            [
                WebSocketCase(
                    "a fragment of opcode \(opcode)", [Frame(opcode, isFinal: false)], error),
                WebSocketCase(
                    "126 bytes of opcode \(opcode)",
                    [Frame(opcode, [3, 0xE8] + [UInt8](repeating: 0x78, count: 124))], error),
            ]
        }

    // Sections 5.5.1 and 7.4, and the registry of IANA.
    private static let closes: [WebSocketCase] =
        [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999,
            4000, 4999,
        ].map { (code: UInt16) in
            WebSocketCase("close \(code)", [.close(code)], .closed(code))
        }
        + [
            0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535,
        ].map { (code: UInt16) in WebSocketCase("close \(code)", [.close(code)], error) } + [
            WebSocketCase("a close without a code", [Frame(8)], .closed(nil)),
            WebSocketCase("half a code", [Frame(8, [3])], error),
            WebSocketCase("a close with a reason", [.close(1000, "grüße")], .closed(1000)),
            WebSocketCase(
                "the longest reason", [.close(1000, String(repeating: "x", count: 123))],
                .closed(1000)),
            WebSocketCase(
                "a reason that is not UTF-8", [Frame(8, [3, 0xE8, 0xC3])], .closed(1007)),
            WebSocketCase(
                "frames behind a close", [.close(1000), text(hello), Frame(9), Frame(3)],
                .closed(1000)),
            WebSocketCase("two closes", [.close(1001), .close(1000)], .closed(1001)),
            WebSocketCase(
                "a close behind a ping", [Frame(9, [1]), .close(1000)], .closed(1000, pongs: [[1]])),
        ]

    // Section 8.1; RFC 3629.
    private static let texts: [WebSocketCase] = whole + broken + early

    private static let whole: [WebSocketCase] =
        [
            "", "\u{0}", "κόσμε", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}",
            "\u{FFFD}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "\u{1F514}\u{FEFF}",
        ].flatMap { (sample: String) -> [WebSocketCase] in
            let bytes = Array(sample.utf8)
            let name = sample.unicodeScalars.map { String($0.value, radix: 16) }
                .joined(separator: " ")
            return [
                WebSocketCase("text of \(name)", [text(bytes)], .published([bytes])),
                WebSocketCase(
                    "text of \(name), a fragment for each byte",
                    [text([], isFinal: false)] + bytes.map { go([$0], isFinal: false) } + [go([])],
                    .published([bytes])),
            ]
        }

    private static let brokenBytes: [[UInt8]] =
        [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF0, 0x9F, 0x94], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0x61, 0xFF, 0x61],
            Array("κόσμε".utf8) + [0xED, 0xA0, 0x80] + hello,
        ]

    private static let broken: [WebSocketCase] =
        brokenBytes.flatMap { (bytes: [UInt8]) -> [WebSocketCase] in
            let name = bytes.map { String($0, radix: 16) }.joined(separator: " ")
            return [
                WebSocketCase("text of \(name)", [text(bytes)], .closed(1007)),
                WebSocketCase(
                    "text that ends by \(name)", [text(hello, isFinal: false), go(bytes)],
                    .closed(1007)),
                WebSocketCase("bytes of \(name)", [Frame(2, bytes)], .published([bytes])),
            ]
        }

    private static let early: [WebSocketCase] =
        [
            WebSocketCase(
                "text that goes wrong before its end",
                [text([0xCE, 0xBA, 0xFF], isFinal: false)], .closed(1007)),
            WebSocketCase(
                "text whose continuation goes wrong before its end",
                [text([0xCE], isFinal: false), go([0x28], isFinal: false)], .closed(1007)),
        ]
}
