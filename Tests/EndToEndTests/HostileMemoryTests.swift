import Glibc
import TestSupport
import Testing

/// Readers that all ask at once for much and take nothing of it: memory stays within its bound.
@Suite(.blocking, .withoutSanitizer) struct HostileMemoryTests {
    /// Sends all requests while the daemon is stopped, so that it meets them in one turn, and
    /// returns once each client was answered or cut off.
    private func burst(_ clients: [RawClient], _ target: String, _ daemon: RunningDaemon) throws {
        daemon.send(SIGSTOP)
        for client in clients { try client.send("GET", target) }
        daemon.send(SIGCONT)
        for client in clients {
            var entry = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&entry, 1, 30_000) == 1, "a client heard nothing")
        }
    }

    /// Of 32 MiB answers may have a quarter; 400 answers of 700 KB would be 280 MB. The rest is
    /// the process itself, what answers are made in, and what the allocator keeps.
    @Test(arguments: [false, true])
    func answersThatNobodyReadsStayWithinTheirShare(areKeptAlive: Bool) throws {
        let daemon = try RunningDaemon(configuration: "[bus]\nmemory_bytes = 32M\n")
        let witness = try daemon.connect()
        let payload = [UInt8](repeating: 0xFF, count: 512 << 10)
        #expect(try witness.exchange("POST", "/topics/t", body: payload).status == 201)
        let before = daemon.residentBytes
        let clients = try (0..<400).map { _ in
            let client = try daemon.connect()
            if areKeptAlive { #expect(try client.get("/healthz").status == 200) }
            return client
        }
        try burst(clients, "/topics/t?as=json&since=latest", daemon)
        let grown = daemon.residentBytes - before
        #expect(grown < 64 << 20, "resident memory grew by \(grown) bytes")
        #expect(try witness.get("/topics/t?since=latest").body == payload)
    }

    @Test func aLargeAnswerKeepsItsConnectionAndWhatWasSentAhead() throws {
        let daemon = try RunningDaemon()
        for address in [daemon.tcp, daemon.unix] {
            let client = try RawClient(address)
            let text = String(repeating: "x", count: 900_000)
            try client.publish(text, to: "t")
            for _ in 0..<5 {
                let answer = try client.get("/topics/t?as=json&since=latest")
                #expect(answer.body.count > text.utf8.count)
                #expect(answer.header("connection") == nil)
            }
            try client.send("GET", "/topics/t?as=json&since=latest")
            try client.send("GET", "/healthz")
            let answer = try client.readAnswer()
            #expect(answer.body.count > text.utf8.count)
            if answer.header("connection") == "close" {
                #expect(try client.readToEnd().isEmpty)
            } else {
                #expect(try client.readAnswer().text == "ok\n")
            }
        }
    }
}
