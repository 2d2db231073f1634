import Access
import Glibc
import TestSupport
import Testing
import Topics

@testable import BusAPI

/// Streams as they look from inside the process.
@Suite(.blocking) struct StreamingResponseTests {
    /// What arrives until there is enough. More may have come with it, such as a heartbeat.
    private func text(_ client: RawClient, until isComplete: (String) -> Bool) throws -> String {
        var chunks = ChunkedBody()
        var text = ""
        while !isComplete(text) {
            guard let bytes = try client.readSome(within: 60), !bytes.isEmpty else {
                throw RawClient.Failure.timedOut(received: text)
            }
            text += String(decoding: try chunks.feed(bytes), as: UTF8.self)
        }
        return text
    }

    @Test func theRetryIsDrawnByWhoeverMadeTheService() throws {
        let server = try StreamServer()
        let client = try server.open("/topics/t?as=sse")
        let text = try text(client) { $0.contains("\n\n") }
        #expect(text.hasPrefix(":\nretry: 1234\nid: "))
    }

    @Test func aReloadChangesTheHeartbeatOfStreamsThatRun() throws {
        var configuration = BusAPIConfiguration(
            heartbeat: 50_000, access: AccessPolicy(administrator: getuid()), version: "0")
        let server = try StreamServer(configuration)
        let client = try server.open("/topics/t?as=ndjson")
        let first = try text(client) { $0.contains("}\n\n\n") }
        #expect(first.hasPrefix("{\"cursor\""))
        configuration.heartbeat = 3_600_000_000
        server.service.reload(configuration)
        // What is in front of the event may be of the time before. Behind it one is still due by the old time.
        try server.publish("x", to: "t")
        var (chunks, rest, behind) = (ChunkedBody(), "", 0)
        while behind <= 1,
            let bytes = try client.readSome(within: rest.contains("}\n") ? 0.5 : 60), !bytes.isEmpty
        {
            rest += String(decoding: try chunks.feed(bytes), as: UTF8.self)
            behind = rest.drop { $0 != "}" }.dropFirst(2).count
        }
        #expect(rest.contains("}\n") && behind <= 1, "\(rest.debugDescription)")
    }

    @Test func aReaderWithoutProgressIsDroppedAndComesBackWithItsCursor() throws {
        let server = try StreamServer(sendProgressSeconds: 2)
        let client = try server.open("/topics/t?as=ndjson", receiveBufferBytes: 4_096)
        let big = String(repeating: "x", count: 64 << 10)
        for _ in 0..<30 { try server.publish(big, to: "t") }
        #expect(server.service.waitingCount == 1)
        while server.service.waitingCount > 0 { poll(nil, 0, 5) }

        let (had, isComplete) = try ids(client)
        #expect(!isComplete && !had.isEmpty && had.count < 30)
        let (rest, _) = try ids(
            server.open("/topics/t?as=ndjson&wait=0&since=\(try #require(had.last))"))
        let (all, _) = try ids(server.open("/topics/t?as=ndjson&wait=0&since=earliest"))
        #expect(had + rest == all && all.count == 30)
    }

    /// The ids of the whole lines that arrive until the end, and whether that was the stream's own.
    private func ids(_ client: RawClient) throws -> ([String], isComplete: Bool) {
        var chunks = ChunkedBody()
        var lines = LineReader()
        var ids: [String] = []
        while !chunks.isComplete, let bytes = try client.readSome(within: 60), !bytes.isEmpty {
            for line in try lines.feed(chunks.feed(bytes)) {
                if let id = line.prefixMatch(of: #/\{"id":"(\d+)"/#)?.1 { ids.append(String(id)) }
            }
        }
        return (ids, chunks.isComplete)
    }

    @Test func whatManyReadersGetIsEncodedOnceAndTheNewsIsKept() throws {
        let server = try StreamServer()
        let clients = try (0..<20).map { _ in try server.open("/topics/t?as=ndjson") }
        for client in clients { _ = try text(client) { $0.contains("}\n") } }
        #expect(server.memory.used(.encodings) == 0)
        try server.publish(String(repeating: "x", count: 10_000), to: "t")
        for client in clients { _ = try text(client) { $0.contains(#/xxx.*\}\n/#) } }
        #expect((10_000..<12_000).contains(server.memory.used(.encodings)))
    }
}
