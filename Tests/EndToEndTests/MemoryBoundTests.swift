import TestSupport
import Testing

/// What a bus takes, and what stays possible when memory is short.
@Suite(.blocking) struct MemoryBoundTests {
    @Test func encodingsGiveWayToEvents() throws {
        let daemon = try RunningDaemon(
            configuration: "[bus]\nmemory_bytes = 2M\nevent_bytes = 64K\n")
        let client = try daemon.connect()
        let payload = [UInt8](repeating: 0x78, count: 60_000)
        for _ in 0..<80 {
            let receipt = try client.exchange("POST", "/topics/t", body: payload)
            try #require(receipt.status == 201, "\(receipt.text)")
            let body = try PollBody(client.exchange("GET", "/topics/t?as=json&since=latest"))
            #expect(body.events.count == 1)
        }
    }

    /// Beside what is counted, a connection takes as much as its headers may have, whatever they
    /// were, and a few kilobytes.
    @Test(.withoutSanitizer) func connectionsTakeNoMoreThanTheirHeadersMay() throws {
        let daemon = try RunningDaemon(configuration: "[http]\nheader_bytes = 16K\n")
        let padding = String(repeating: "x", count: 14_000)
        func connect(_ count: Int, idle: Bool) throws -> [RawClient] {
            try (0..<count).map { _ in
                let client = try daemon.connect()
                if idle {
                    #expect(try client.get("/healthz", headers: [("X", padding)]).status == 200)
                } else {
                    try client.send("GET /healthz HTTP/1.1\r\nX: \(padding)")
                }
                return client
            }
        }
        let few = try connect(20, idle: true) + connect(20, idle: false)
        #expect(try daemon.connect().get("/healthz").status == 200)
        let before = daemon.residentBytes
        let many = try connect(300, idle: true) + connect(300, idle: false)
        #expect(try daemon.connect().get("/healthz").status == 200)
        let grown = daemon.residentBytes - before
        #expect(grown < many.count * (24 << 10), "\(grown / many.count) bytes a connection")
        withExtendedLifetime((few, many)) {}
    }
}
