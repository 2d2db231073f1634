import TestSupport
import Testing

/// Every case of RFC 6455 over a raw socket, whole and in pieces.
@Suite(.blocking) struct WebSocketTableTests {
    private enum Way: CaseIterable { case whole, cut, byBytes }

    @Test func everyCaseIsAnsweredAsTheStandardSays() throws {
        let daemon = try RunningDaemon(configuration: "[bus]\nevent_bytes = 256K\n")
        var random = SeededRandom(for: "cuts of WebSocket frames")
        for (number, sample) in WebSocketCase.all.enumerated() {
            for way in Way.allCases where sample.bytes.count < 1_000 || way != .byBytes {
                let pieces = Self.pieces(of: sample.bytes, way, using: &random)
                let topic = "case.\(number).\(way)"
                let address = number % 2 == 0 ? daemon.tcp : daemon.unix
                let found = Result {
                    try outcome(
                        of: sample, pieces, WebSocketClient(address, "/topics/\(topic)?as=raw"))
                }
                switch found {
                case .success(let found):
                    #expect(found == sample.outcome, "\(sample), \(way)")
                case .failure(let error): Issue.record("\(sample), \(way): \(error)")
                }
            }
        }
        #expect(try daemon.terminate() == .exited(0))
    }

    private static func pieces(
        of bytes: [UInt8], _ way: Way, using random: inout SeededRandom
    ) -> [[UInt8]] {
        switch way {
        case .whole: return [bytes]
        case .cut:
            let cut = Int.random(in: 0...bytes.count, using: &random)
            return [Array(bytes[..<cut]), Array(bytes[cut...])]
        case .byBytes: return bytes.map { [$0] }
        }
    }

    /// Sends it and, where nothing is to be closed, a last ping; what comes up to its pong and as
    /// many events as are due, or up to the end, is what happened.
    private func outcome(
        of sample: WebSocketCase, _ pieces: [[UInt8]], _ socket: WebSocketClient
    ) throws -> WebSocketCase.Outcome {
        for piece in pieces { guard try socket.client.sendUnlessClosed(piece) else { break } }
        var eventsDue = 0
        if !sample.outcome.isClosed {
            eventsDue = sample.outcome.payloads.count
            try socket.client.sendUnlessClosed(WebSocketFrame(9, Array("last".utf8)).encoded())
        }
        var events: [[UInt8]] = []
        var pongs: [[UInt8]] = []
        var receipts = 0
        var isLast = false
        while !isLast || events.count < eventsDue || receipts < eventsDue {
            switch try socket.next() {
            case .binary(let payload): events.append(payload)
            case .pong(Array("last".utf8)): isLast = true
            case .pong(let payload): pongs.append(payload)
            case .text(let text):
                if case .receipt(_, let id, _) = try StreamText(text) {
                    try #require(id != nil, "\(text)")
                    receipts += 1
                }
            case .close(let code, _):
                guard sample.outcome.isClosed else { return .closed(code, pongs: pongs) }
                try socket.client.sendUnlessClosed(
                    WebSocketFrame(WebSocketFrame.Opcode.close, []).encoded())
                try #require(try socket.available(within: 5) == nil, "the end does not come")
                return .closed(code, pongs: pongs)
            case let message: throw RawClient.Failure.malformed("\(message)")
            }
        }
        return .published(events, pongs: pongs)
    }
}
