import TestSupport
import Testing

/// Reads a chunked body from a client as it comes.
struct ChunkReader {
    private let client: RawClient
    private var body = ChunkedBody()
    private var text: [UInt8] = []

    init(_ client: RawClient) {
        self.client = client
    }

    /// Expects that the next bytes of the body are these.
    mutating func expect(_ wanted: String, sourceLocation: SourceLocation = #_sourceLocation) throws
    {
        while text.count < wanted.utf8.count, !body.isComplete { try read() }
        #expect(
            String(decoding: text.prefix(wanted.utf8.count), as: UTF8.self) == wanted,
            sourceLocation: sourceLocation)
        text.removeFirst(min(text.count, wanted.utf8.count))
    }

    /// Reads to the last chunk and returns the rest; what lies behind goes back to the client.
    mutating func readToLast() throws -> [UInt8] {
        while !body.isComplete { try read() }
        client.putBack(body.takeRest())
        return text
    }

    private mutating func read() throws {
        let bytes = try client.readSome(within: 60)
        let some = try #require(bytes, "the connection ended in the middle of the body")
        try #require(!some.isEmpty, "nothing came")
        text += try body.feed(some)
    }
}
