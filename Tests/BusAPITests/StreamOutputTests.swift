import TestSupport
import Testing
import Topics

@testable import BusAPI

/// Events that are encoded where they are written.
struct StreamOutputTests {
    private func events(_ random: inout SeededRandom) throws -> [Event] {
        let bytesMax = [0, 40, 9_000].randomElement(using: &random)!
        let count = Int.random(in: 1...200, using: &random)
        return try (1...count).map { id in
            let isText = Int.random(in: 0..<4, using: &random) > 0
            let bytes = (0..<Int.random(in: 0...bytesMax, using: &random)).map { _ in
                isText ? UInt8.random(in: 0x0A...0x7E, using: &random) : .random(in: 0...255)
            }
            return Event(
                id: EventID(rawValue: UInt64(id)), time: Timestamp(microseconds: 1),
                topic: try TopicName("t"), payload: Payload(bytes),
                metadata: try EventMetadata(
                    type: isText ? "a" : nil, key: nil, contentType: nil),
                sender: .unknown, isStored: false)
        }
    }

    private func bytes(_ output: StreamOutput) -> [UInt8] {
        output.piece.withBytes { Array($0) }
    }

    @Test(arguments: EventEncoding.allCases)
    func whatIsEncodedForOneWriteIsWhatIsEncodedForMany(encoding: EventEncoding) throws {
        var random = SeededRandom(for: "stream output")
        for _ in 0..<4 {
            let events = try events(&random)
            for framing in [StreamFraming.none, .chunks, .messages] {
                var own = StreamOutput(framing)
                own.add { $0 += Array("first".utf8) }
                let count = own.add(events, as: encoding)
                var shared = StreamOutput(framing)
                shared.add { $0 += Array("first".utf8) }
                var scratch: [UInt8] = []
                for event in events.prefix(count) {
                    // Each with what its form's connection puts around it.
                    var text: [UInt8] = []
                    encoding.write(event, to: &text)
                    switch framing {
                    case .none: shared.add { $0 += text }
                    case .chunks: if !text.isEmpty { shared.add { $0 += text } }
                    case .messages:
                        shared.add { $0 += encoding.framing(of: text.count).prefix + text }
                    }
                    scratch = text
                }
                // Compared first: what differs is too much to be shown.
                let isSame = content(own, framing) == content(shared, framing)
                #expect(isSame)
                #expect((1...events.count).contains(count))
                // It ends with the event that fills it, and with no earlier one.
                let isFull = own.count >= Limits.streamWriteBytes
                #expect(isFull || count == events.count)
                #expect(own.count - scratch.count - 32 < Limits.streamWriteBytes)
            }
        }
    }

    /// What a reader takes in, whatever pieces it came in.
    private func content(_ output: StreamOutput, _ framing: StreamFraming) -> [UInt8] {
        guard framing == .chunks else { return bytes(output) }
        var body = ChunkedBody()
        return (try? body.feed(bytes(output))) ?? []
    }
}
