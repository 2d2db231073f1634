import TestSupport
import Testing

typealias Frame = TestSupport.WebSocketFrame

/// What a client may send, and what has to come of it by RFC 6455.
struct FrameCase: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    /// The events, as `FrameTranscript` writes them.
    let events: [String]

    var testDescription: String { name }

    init(_ name: String, _ frames: [Frame], _ events: String...) {
        self.init(name, bytes: frames.flatMap { $0.encoded() }, events)
    }

    init(_ name: String, bytes: [UInt8], _ events: [String]) {
        self.name = name
        self.bytes = bytes
        self.events = events
    }

    /// Bytes of one message that the machine under test takes.
    static let messageBytesMax = 70_000

    static let all =
        lengths + opcodes + fragments + controls + closes + texts + masks + reservedBits
        + nothingBehindTheEnd

    private static func data(
        _ opcode: UInt8, _ text: String, isFinal: Bool = true, reserved: UInt8 = 0
    ) -> Frame {
        Frame(opcode, Array(text.utf8), isFinal: isFinal, reserved: reserved)
    }

    private static func bytes(_ count: Int) -> Frame {
        Frame(2, [UInt8](repeating: 7, count: count))
    }

    private static let lengths: [FrameCase] = takenLengths + longForms + tooLong

    private static let takenLengths: [FrameCase] =
        [0, 1, 7, 8, 9, 125, 126, 127, 255, 65_535, 65_536, messageBytesMax].map { count in
            FrameCase("\(count) bytes", [bytes(count)], "binary \(count)")
        }

    private static let longForms: [FrameCase] = [
        form(.sixteen, of: 0), form(.sixteen, of: 1), form(.sixteen, of: 125),
        form(.sixteen, of: 126, "binary 126"), form(.sixtyFour, of: 0), form(.sixtyFour, of: 125),
        form(.sixtyFour, of: 126), form(.sixtyFour, of: 65_535),
        form(.sixtyFour, of: 65_536, "binary 65536"),
    ]

    private static func form(
        _ form: Frame.LengthForm, of count: Int, _ event: String = "failure 1002"
    ) -> FrameCase {
        FrameCase("\(count) bytes, \(form)", bytes: bytes(count).encoded(form), [event])
    }

    private static func lying(_ name: String, _ count: UInt64, _ event: String) -> FrameCase {
        FrameCase(name, bytes: Frame(1).encoded(.lying(count)), [event])
    }

    private static let tooLong: [FrameCase] = [
        FrameCase("above the maximum", [bytes(messageBytesMax + 1)], "failure 1009"),
        lying("far above it, and none of it sent", 1 << 40, "failure 1009"),
        lying("the greatest length", .max >> 1, "failure 1009"),
        lying("the highest bit of a length", 1 << 63, "failure 1002"),
        lying("all bits of a length", .max, "failure 1002"),
        FrameCase(
            "above the maximum by a fragment",
            [begun(messageBytesMax - 1), Frame(0, [1], isFinal: false), Frame(0, [2])],
            "failure 1009"),
        FrameCase(
            "at the maximum by a fragment", [begun(messageBytesMax - 1), Frame(0, [1])],
            "binary \(messageBytesMax)"),
    ]

    private static func begun(_ count: Int) -> Frame {
        Frame(2, [UInt8](repeating: 7, count: count), isFinal: false)
    }

    /// Every opcode, alone and inside a message.
    private static let opcodes: [FrameCase] = (UInt8(0)...15).flatMap { opcode -> [FrameCase] in
        let frame = Frame(opcode)
        let alone: [UInt8: String] = [
            1: "text ", 2: "binary 0", 8: "close none", 9: "ping ", 10: "pong",
        ]
        let inside: [UInt8: String] = [0: "text a", 8: "close none", 9: "ping ", 10: "pong"]
        return [
            FrameCase("opcode \(opcode)", [frame], alone[opcode, default: "failure 1002"]),
            FrameCase(
                "opcode \(opcode) inside a message", [data(1, "a", isFinal: false), frame],
                inside[opcode, default: "failure 1002"]),
        ]
    }

    private static let fragments: [FrameCase] = [
        FrameCase(
            "three fragments",
            [data(1, "one ", isFinal: false), data(0, "two ", isFinal: false), data(0, "three")],
            "text one two three"),
        FrameCase(
            "empty fragments",
            [data(1, "", isFinal: false), data(0, "", isFinal: false), data(0, "")], "text "),
        FrameCase(
            "an empty fragment before all of it",
            [data(2, "", isFinal: false), data(0, "abc")], "binary 3"),
        FrameCase(
            "control frames inside a message",
            [
                data(1, "a", isFinal: false), Frame(9, [1, 2]), Frame(10, [3]),
                data(0, "b", isFinal: false), Frame(9), data(0, "c"),
            ], "ping 0102", "pong", "ping ", "text abc"),
        FrameCase(
            "messages one behind the other",
            [
                data(1, "a", isFinal: false), data(0, "b"), data(1, "c"), data(2, "d"),
                data(2, "e", isFinal: false), data(0, "f"),
            ], "text ab", "text c", "binary 1", "binary 2"),
        FrameCase(
            "a continuation behind a whole message", [data(1, "a"), data(0, "b")], "text a",
            "failure 1002"),
        FrameCase(
            "a continuation behind the last fragment",
            [data(1, "a", isFinal: false), data(0, "b"), data(0, "c")], "text ab", "failure 1002"),
        FrameCase(
            "a message inside another", [data(1, "a", isFinal: false), data(2, "b")],
            "failure 1002"),
        FrameCase(
            "text begun inside bytes",
            [data(2, "a", isFinal: false), data(1, "b", isFinal: false)], "failure 1002"),
        FrameCase("a fragment of nothing", [data(0, "a", isFinal: false)], "failure 1002"),
        FrameCase(
            "bytes that are no text in two fragments",
            [Frame(2, [0xFF], isFinal: false), Frame(0, [0xFE])], "binary 2"),
    ]

    private static let controls: [FrameCase] = [
        FrameCase(
            "a ping of 125 bytes", [Frame(9, [UInt8](repeating: 0xAB, count: 125))],
            "ping " + String(repeating: "AB", count: 125)),
        FrameCase(
            "a pong of 125 bytes", [Frame(10, [UInt8](repeating: 0xFF, count: 125))], "pong"),
        FrameCase(
            "a ping around messages", [Frame(9, [1]), data(1, "a"), data(2, "b")], "ping 01",
            "text a", "binary 1"),
        FrameCase(
            "a ping of 126 bytes", [Frame(9, [UInt8](repeating: 1, count: 126))], "failure 1002"),
        FrameCase(
            "a pong of 126 bytes", [Frame(10, [UInt8](repeating: 1, count: 126))], "failure 1002"),
        FrameCase(
            "a close of 126 bytes", [Frame.close(1000, String(repeating: "r", count: 124))],
            "failure 1002"),
        FrameCase(
            "a ping's length in two bytes", bytes: Frame(9).encoded(.sixteen), ["failure 1002"]),
        FrameCase("a fragmented ping", [Frame(9, [], isFinal: false)], "failure 1002"),
        FrameCase("a fragmented pong", [Frame(10, [], isFinal: false)], "failure 1002"),
        FrameCase("a fragmented close", [Frame(8, [], isFinal: false)], "failure 1002"),
        FrameCase("a pong that nobody asked for", [Frame(10, [1])], "pong"),
    ]

    private static let closes: [FrameCase] = goodCodes + badCodes + badCloses

    private static let goodCodes: [FrameCase] = [
        1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000,
        4999,
    ].map { (code: UInt16) in FrameCase("close \(code)", [Frame.close(code)], "close \(code)") }

    private static let badCodes: [FrameCase] = [
        0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535,
    ].map { (code: UInt16) in FrameCase("close \(code)", [Frame.close(code)], "failure 1002") }

    private static let badCloses: [FrameCase] = [
        FrameCase("half a close code", [Frame(8, [3])], "failure 1002"),
        FrameCase("two closes", [.close(1001), .close(1000)], "close 1001"),
        FrameCase("a close behind a ping", [Frame(9, [1]), .close(1000)], "ping 01", "close 1000"),
        FrameCase(
            "a close with a code inside a message",
            [data(1, "a", isFinal: false), .close(1000)], "close 1000"),
        FrameCase(
            "a close with a long reason",
            [Frame.close(4999, String(repeating: "ü", count: 61) + "r")], "close 4999"),
        FrameCase(
            "a close whose reason is not UTF-8", [Frame(8, [3, 232, 0xC0, 0x80])], "failure 1007"),
        FrameCase("a close whose reason is cut", [Frame(8, [3, 232, 0xE2, 0x82])], "failure 1007"),
    ]

    private static let masks: [FrameCase] =
        [
            FrameCase(
                "the example of section 5.7",
                bytes: [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
                ["text Hello"]),
            FrameCase(
                "a mask of zeros", [Frame(1, Array("Hello, masks".utf8), mask: 0)],
                "text Hello, masks"),
            FrameCase(
                "a mask of ones", [Frame(1, Array("Hello, masks".utf8), mask: .max)],
                "text Hello, masks"),
            FrameCase("no mask", [Frame(1, Array("Hello".utf8), mask: nil)], "failure 1002"),
            FrameCase(
                "a continuation without mask",
                [data(1, "a", isFinal: false), Frame(0, Array("b".utf8), mask: nil)], "failure 1002"
            ),
        ]
        + [1, 2, 8, 9, 10].map { (opcode: UInt8) in
            FrameCase("opcode \(opcode) without mask", [Frame(opcode, mask: nil)], "failure 1002")
        }

    private static let reservedBits: [FrameCase] = (UInt8(1)...7).flatMap { bits in
        [
            FrameCase(
                "reserved bits \(bits)", [data(1, "a", reserved: bits)], "failure 1002"),
            FrameCase(
                "reserved bits \(bits) of a ping", [Frame(9, [], reserved: bits)], "failure 1002"),
            FrameCase(
                "reserved bits \(bits) of a close", [Frame(8, reserved: bits)], "failure 1002"),
            FrameCase(
                "reserved bits \(bits) of a continuation",
                [data(1, "a", isFinal: false), data(0, "b", reserved: bits)], "failure 1002"),
        ]
    }

    private static let nothingBehindTheEnd: [FrameCase] = [
        FrameCase(
            "text behind a close", [data(1, "a"), .close(1000), data(1, "b")], "text a",
            "close 1000"),
        FrameCase(
            "text behind a failure", [data(3, ""), data(1, "b")], "failure 1002"),
    ]
}
