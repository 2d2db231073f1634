import TestSupport
import Testing

/// What stays possible when memory is short.
@Suite struct MemoryBoundTests {
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
}
