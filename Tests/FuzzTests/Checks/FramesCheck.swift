import Telemetry
import TestSupport

@testable import HTTPFront

extension ParserCheck {
    /// Frames mean the same however they are cut, and what they say is read again from what the
    /// bus and a client would write of it.
    ///
    /// Input: a byte that says where to cut, then what a client sends.
    static let frames = ParserCheck("frames", bytesMax: 1024) { input in
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        let said = FrameReading(bytes, pieces: bytes.count).said
        try agree(FrameReading(bytes, pieces: 1).said, said, "byte by byte, and whole")
        try agree(FrameReading(bytes, pieces: Int(first) + 1).said, said, "in pieces, and whole")
        for one in said { try checkBounds(of: one) }

        let messages = said.filter { $0.isMessage }
        let client = messages.flatMap { $0.clientFrame.encoded() }
        try agree(FrameReading(client, pieces: 7).said, messages, "written by a client")
        var reader = WebSocketReader()
        try agree(
            try reader.feed(messages.flatMap(\.serverFrame)), messages.map(\.message),
            "written by the bus")
    }

    private static func checkBounds(of said: Said) throws(Broken) {
        switch said {
        case .text(let bytes):
            try hold(String(validating: bytes, as: UTF8.self) != nil, "text that is not UTF-8")
            try hold(bytes.count <= FrameReading.messageBytesMax, "a text above the maximum")
        case .binary(let bytes):
            try hold(bytes.count <= FrameReading.messageBytesMax, "a message above the maximum")
        case .ping(let bytes): try hold(bytes.count <= 125, "a long ping")
        case .pong, .end: break
        }
    }
}

/// One event of the machine, which outlives it.
private enum Said: Equatable {
    case text([UInt8])
    case binary([UInt8])
    case ping([UInt8])
    case pong
    case end(UInt16?, isFailure: Bool)

    /// Whether it can be written by either side and be the same.
    var isMessage: Bool {
        switch self {
        case .text, .binary: true
        case .ping, .pong, .end: false
        }
    }

    private var bytes: [UInt8] {
        switch self {
        case .text(let bytes), .binary(let bytes), .ping(let bytes): bytes
        case .pong, .end: []
        }
    }

    private var isText: Bool { if case .text = self { true } else { false } }

    var clientFrame: TestSupport.WebSocketFrame {
        TestSupport.WebSocketFrame(isText ? 1 : 2, bytes)
    }

    var serverFrame: [UInt8] {
        isText ? HTTPFront.WebSocketFrame.text(bytes) : HTTPFront.WebSocketFrame.binary(bytes)
    }

    var message: WebSocketReader.Message {
        isText ? .text(String(decoding: bytes, as: UTF8.self)) : .binary(bytes)
    }
}

/// What a machine says of bytes that come in pieces.
private struct FrameReading {
    static let messageBytesMax = 300
    private(set) var said: [Said] = []

    init(_ bytes: [UInt8], pieces: Int) {
        let memory = MemoryBudget(bytesMax: 1 << 30)
        var machine = WebSocketMachine(messageBytesMax: Self.messageBytesMax, memory: memory)
        var rest = bytes[...]
        while !rest.isEmpty {
            var piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(piece.count)
            piece.withUnsafeMutableBytes { bytes in
                var input = WebSocketInput(bytes)
                while let event = machine.next(&input) { said.append(Self.said(event)) }
            }
            machine.release()
        }
    }

    private static func said(_ event: WebSocketMachine.FrameEvent) -> Said {
        switch event {
        case .text(let bytes): .text(Array(bytes))
        case .binary(let bytes): .binary(Array(bytes))
        case .ping(let bytes): .ping(Array(bytes))
        case .pong: .pong
        case .close(let code): .end(code?.rawValue, isFailure: false)
        case .failure(let code, _): .end(code.rawValue, isFailure: true)
        }
    }
}
