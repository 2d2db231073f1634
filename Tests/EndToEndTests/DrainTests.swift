import Glibc
import TestSupport
import Testing

/// A stop that somebody holds up.
@Suite(.blocking) struct DrainTests {
    @Test func aReaderThatReadsNothingHoldsAStopForItsTimeOnly() throws {
        let daemon = try RunningDaemon(configuration: "[daemon]\ndrain_seconds = 1\n")
        let client = try stuckReader(daemon)
        let begin = monotonicSeconds()
        #expect(try daemon.terminate() == .exited(0))
        #expect(monotonicSeconds() - begin >= 1)
        client.close()
    }

    @Test func aSecondStopEndsADrainThatIsHeldUpAtOnce() throws {
        let daemon = try RunningDaemon(configuration: "[daemon]\ndrain_seconds = 1h\n")
        let client = try stuckReader(daemon)
        let waiting = try daemon.connect()
        try waiting.send("GET", "/topics/other?wait=1h")
        let observer = try daemon.connect()
        try observer.register("other")
        try observer.await(subscribers: 1, of: "other")
        daemon.send(SIGTERM)
        #expect(try waiting.readAnswer().status == 204)
        daemon.send(SIGTERM)
        #expect(try daemon.wait() == .exited(3))
        client.close()
    }

    /// A client that asks for more than the sockets between hold, and reads none of it.
    private func stuckReader(_ daemon: RunningDaemon) throws -> RawClient {
        let publisher = try daemon.connect()
        let big = [UInt8](repeating: 0x78, count: 1 << 20)
        for _ in 0..<2 {
            #expect(try publisher.exchange("POST", "/topics/big", body: big).status == 201)
        }
        let client = try daemon.connect()
        for _ in 0..<12 { try client.send("GET", "/topics/big?since=earliest") }
        var entry = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&entry, 1, 10_000) == 1, "its first answer begins")
        return client
    }
}
