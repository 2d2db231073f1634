import Glibc
import TestSupport
import Testing

/// What a restart leaves and what it takes away, when the store is memory.
@Suite(.blocking) struct RestartTests {
    @Test func idsRiseOverStopsAndKillsAndOlderCursorsAreToldOfAGap() throws {
        var daemon = try RunningDaemon(arguments: ["--store", "memory"])
        var newest: UInt64 = 0
        for round in 0..<6 {
            let client = try daemon.connect()
            if round > 0 {
                let resumed = try client.exchange("GET", "/topics/t?as=json&since=\(newest)")
                let gap = try #require(try PollBody(resumed).gap, "in round \(round)")
                #expect(gap.after == "\(newest)")
                #expect(try #require(UInt64(gap.through)) > newest)
            }
            for _ in 0..<3 {
                let id = try client.publish("x", to: "t")
                #expect(id > newest, "in round \(round)")
                newest = id
            }
            if round % 2 == 0 { try daemon.kill() }
            daemon = try daemon.restarted()
        }
    }
}
