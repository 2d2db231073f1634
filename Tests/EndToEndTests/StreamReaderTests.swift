import TestSupport
import Testing

/// The readers of streams forgive nothing, wherever their bytes are cut.
@Suite(.blocking) struct StreamReaderTests {
    /// What a reader makes of bytes that arrive whole, and of the same one by one.
    private func bothWays<Item: Equatable>(
        _ bytes: [UInt8], _ feed: ([[UInt8]]) throws -> [Item]
    ) throws -> [Item] {
        let whole = try feed([bytes])
        #expect(try feed(bytes.map { [$0] }) == whole)
        return whole
    }

    private func events(_ text: String) throws -> [EventStreamReader.Item] {
        try bothWays(Array(text.utf8)) { pieces in
            var reader = EventStreamReader()
            let items = try pieces.flatMap { try reader.feed($0) }
            try reader.finish()
            return items
        }
    }

    @Test func anEventStreamIsReadAsBrowsersReadIt() throws {
        #expect(
            try events(
                "retry: 1500\nid: 7\n\n:\nid:8\nevent: red\ndata: a\ndata:  b\ndata\u{3A}\n\n")
                == [
                    .retry(1500), .id("7"), .comment,
                    .event(id: "8", type: "red", data: "a\n b\n"),
                ])
        #expect(
            try events("id: 1\ndata:\n\n") == [.event(id: "1", type: nil, data: "")])
        #expect(
            try events("data: x\r\ndata: y\rdata: z\r\n\n")
                == [.event(id: nil, type: nil, data: "x\ny\nz")])
    }

    @Test(arguments: [
        ": text\n", "data\n\n", "what: x\n", "id: x\n", "id: 07\n", "id: 1\nid: 2\n",
        "event: a\nevent: b\n", "event:\n", "retry: 1s\n", "data: x\n", "\u{FEFF}data: x\n\n",
        "id: 1\n", "data: x\n\ndat",
    ])
    func whatAnEventStreamNeverSaysIsMalformed(text: String) {
        #expect(throws: RawClient.Failure.self) { try events(text) }
    }

    @Test func linesAreReadWhole() throws {
        let lines = try bothWays(Array("{}\n\n{\"a\":\"ü\"}\n".utf8)) { pieces in
            var reader = LineReader()
            let lines = try pieces.flatMap { try reader.feed($0) }
            try reader.finish()
            return lines
        }
        #expect(lines == ["{}", "", "{\"a\":\"ü\"}"])
        var reader = LineReader()
        #expect(try reader.feed([0x61]) == [])
        #expect(throws: RawClient.Failure.self) { try reader.finish() }
        for bytes: [UInt8] in [[0xFF, 0x0A], [0x61, 0x0D, 0x0A]] {
            var reader = LineReader()
            #expect(throws: RawClient.Failure.self) { try reader.feed(bytes) }
        }
    }

    private func body(_ text: String) throws -> (body: String, rest: String?) {
        let both = try bothWays(Array(text.utf8)) { pieces -> [String] in
            var body = ChunkedBody()
            let bytes = try pieces.flatMap { try body.feed($0) }
            let rest = body.isComplete ? [String(decoding: body.takeRest(), as: UTF8.self)] : []
            return [String(decoding: bytes, as: UTF8.self)] + rest
        }
        return (both[0], both.dropFirst().first)
    }

    @Test func chunksAreTakenApart() throws {
        #expect(
            try body("3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\nHTTP") == ("abc0123456789", "HTTP"))
        #expect(try body("3\r\nab") == ("ab", nil))
    }

    @Test(arguments: [
        "3;x\r\nabc\r\n", "3\nabc\r\n", "3\r\nabcd\r\n", "0\r\nX: y\r\n\r\n", "\r\n", "-1\r\n",
        "g\r\n",
    ])
    func brokenChunksAreMalformed(text: String) {
        #expect(throws: RawClient.Failure.self) { try body(text) }
    }

    private func messages(_ frames: [WebSocketFrame]) throws -> [WebSocketReader.Message] {
        try bothWays(frames.flatMap { $0.encoded() }) { pieces in
            var reader = WebSocketReader()
            return try pieces.flatMap { try reader.feed($0) }
        }
    }

    private static func server(
        _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0
    ) -> WebSocketFrame {
        WebSocketFrame(opcode, payload, isFinal: isFinal, reserved: reserved, mask: nil)
    }

    @Test func framesAreJoinedToMessages() throws {
        let long = [UInt8](repeating: 0x78, count: 300)
        let longest = [UInt8](repeating: 0x79, count: 70_000)
        #expect(
            try messages([
                Self.server(1, Array("gr".utf8) + [0xC3], isFinal: false), Self.server(9, [1]),
                Self.server(0, [0xBC]), Self.server(2, long), Self.server(2, []),
                Self.server(10), Self.server(8, [0x03, 0xE9, 0x62]),
            ]) == [
                .ping([1]), .text("grü"), .binary(long), .binary([]), .pong([]), .close(1001, "b"),
            ])
        var reader = WebSocketReader()
        #expect(try reader.feed(Self.server(2, longest).encoded()) == [.binary(longest)])
    }

    @Test(arguments: [
        [WebSocketFrame(1)], [server(1, reserved: 4)], [server(3)], [server(11)], [server(0)],
        [server(1, isFinal: false), server(1)], [server(9, isFinal: false)],
        [server(9, [UInt8](repeating: 0, count: 126))], [server(1, [0xFF])], [server(8, [3])],
        [server(8), server(10)], [server(8, [3, 0xE8, 0xFF])],
    ])
    func brokenFramesAreMalformed(frames: [WebSocketFrame]) {
        #expect(throws: RawClient.Failure.self) { try messages(frames) }
    }

    @Test func longFormsOfShortLengthsAreMalformed() {
        for form in [WebSocketFrame.LengthForm.sixteen, .sixtyFour, .lying(70), .lying(1 << 63)] {
            var reader = WebSocketReader()
            let bytes = Self.server(2, [1, 2, 3]).encoded(form)
            #expect(throws: RawClient.Failure.self) { try reader.feed(bytes) }
        }
    }

    @Test func clientFramesAreMaskedAsTheStandardShows() {
        // RFC 6455, section 5.7: a single-frame masked text message.
        let frame = WebSocketFrame(1, Array("Hello".utf8), mask: 0x37FA_213D)
        #expect(
            frame.encoded() == [
                0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
            ])
        #expect(
            WebSocketClient.accept(for: WebSocketClient.key) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}
