import Glibc
import TestSupport
import Testing

/// What a restart leaves and what it takes away, when the store is memory.
@Suite struct RestartTests {
    @Test func idsRiseOverAStopAndOverAKill() throws {
        var daemon = try RunningDaemon()
        var newest: UInt64 = 0
        for round in 0..<4 {
            let client = try daemon.connect()
            for _ in 0..<3 {
                let answer = try client.exchange("POST", "/topics/t", body: [0x78])
                let id = try #require(answer.header("event-id").flatMap { UInt64($0) })
                #expect(id > newest, "in round \(round)")
                newest = id
            }
            if round % 2 == 0 { try daemon.kill() }
            daemon = try daemon.restarted()
        }
    }
}
