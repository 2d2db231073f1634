import Glibc
import TestSupport
import Testing

/// A stop: what it answers, and what holds it up.
@Suite(.blocking) struct DrainTests {
    /// More than a loop is told of at once, so that some are behind others.
    @Test(arguments: ["memory", "sqlite"])
    func everyRequestThatHadArrivedBeforeTheStopIsServed(store: String) throws {
        let daemon = try RunningDaemon(
            configuration: "[store]\nstore = \(store)\n[daemon]\ndrain_seconds = 2m\n")
        let clients = try (0..<300).map { index in
            try RawClient(index % 2 == 0 ? daemon.tcp : daemon.unix)
        }
        let newcomers = try (0..<20).map { _ in try daemon.connect() }
        // They are known to the loop, so that only their requests are new.
        for client in clients { #expect(try client.exchange("GET", "/version").status == 200) }
        for (index, client) in clients.enumerated() {
            try client.send("POST", "/topics/stop", body: Array("\(index)".utf8))
        }
        for client in newcomers { try client.send("POST", "/topics/stop", body: [0x78]) }
        daemon.send(SIGTERM)
        for client in clients + newcomers { #expect(try client.readAnswer().status == 201) }
        #expect(try daemon.wait() == .exited(0))
    }

    /// The daemon sleeps until all have come and the stop is under way.
    @Test(arguments: [1, 3])
    func everyConnectionThatHadComeBeforeTheStopIsServed(loops: Int) throws {
        let daemon = try RunningDaemon(
            configuration: "[http]\nloops = \(loops)\n[daemon]\ndrain_seconds = 2m\n")
        daemon.send(SIGSTOP)
        let clients = try (0..<200).map { index in
            let client = try RawClient(index % 2 == 0 ? daemon.tcp : daemon.unix)
            try client.send("POST", "/topics/stop", body: Array("\(index)".utf8))
            return client
        }
        daemon.send(SIGTERM)
        daemon.send(SIGCONT)
        for client in clients { #expect(try client.readAnswer().status == 201) }
        #expect(try daemon.wait() == .exited(0))
    }

    /// The parser has it, and wakes its loop for none of what a stop waits for.
    @Test func aKeptConnectionThatAsksNothingDoesNotHoldUpAStop() throws {
        let daemon = try RunningDaemon(configuration: "[daemon]\ndrain_seconds = 2m\n")
        let client = try daemon.connect()
        #expect(try client.exchange("GET", "/version").status == 200)
        let begin = monotonicSeconds()
        #expect(try daemon.terminate() == .exited(0))
        #expect(monotonicSeconds() - begin < 30)
        client.close()
    }

    @Test func clientsThatSendOnWithoutEndDoNotHoldAStop() throws {
        let daemon = try RunningDaemon()
        let (address, process) = (daemon.tcp, daemon.pid)
        let begun = Gate(openings: 4)
        try inParallel(5) { index in
            let client = try RawClient(address)
            guard index < 4 else {
                try client.send("GET", "/topics/quiet?wait=1h")
                try begun.wait()
                kill(process, SIGTERM)
                #expect(try client.readAnswer().status == 204)
                return
            }
            var number = 0
            while let answer = try Self.nextAnswer(to: client) {
                #expect(answer.status == 201 || answer.status == 503)
                number += 1
                if number == 10 { begun.open() }
                if answer.header("Connection") == "close" { break }
            }
        }
        #expect(try daemon.wait() == .exited(0))
    }

    @Test func aReaderThatAskedBeforeTheStopIsToldWhatWasPublishedBeforeIt() throws {
        let daemon = try RunningDaemon()
        let readers = try (0..<100).map { _ in try daemon.connect() }
        for reader in readers { #expect(try reader.exchange("GET", "/version").status == 200) }
        let publisher = try daemon.connect()
        #expect(try publisher.exchange("POST", "/topics/stop", body: [0x78]).status == 201)
        for reader in readers { try reader.send("GET", "/topics/stop?since=earliest") }
        daemon.send(SIGTERM)
        for reader in readers {
            let answer = try reader.readAnswer()
            #expect(answer.status == 200)
            #expect(answer.text == "x")
        }
        #expect(try daemon.wait() == .exited(0))
    }

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

    /// The answer to one more publish; nil where the connection was closed between two requests, which a
    /// client cannot know.
    private static func nextAnswer(to client: RawClient) throws -> RawClient.Answer? {
        do throws(RawClient.Failure) {
            try client.send("POST", "/topics/stop", body: [0x78])
            return try client.readAnswer()
        } catch {
            switch error {
            case .closed(let received) where received.isEmpty: return nil
            case .system(_, let code) where code == EPIPE || code == ECONNRESET: return nil
            default: throw error
            }
        }
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
