import Glibc
import TestSupport
import Testing

/// Many requests that the daemon finds ready in one and the same look: libmicrohttpd's own threads
/// and pool leave some of them unanswered when there are exactly 128.
///
/// The daemon is stopped while they are sent, so that none is served before the last is there.
@Suite(.blocking, .serialized) struct SimultaneousTests {
    private static let counts = [127, 128, 129, 256]

    @Test(arguments: [1, 3], counts)
    func allRequestsOfKeptConnectionsAreAnsweredAtOnce(loops: Int, count: Int) throws {
        let daemon = try RunningDaemon(configuration: "[http]\nloops = \(loops)\n")
        let clients = try (0..<count).map { _ in try daemon.connect() }
        for client in clients { #expect(try client.exchange("GET", "/healthz").status == 200) }
        for round in 0..<3 {
            try simultaneously(daemon) {
                for client in clients { try client.send("GET", "/healthz?") }
            }
            try expectAnswers(of: clients, 200, "round \(round)")
        }
        try simultaneously(daemon) {
            for client in clients { try client.send("POST", "/topics/t", body: [0x78]) }
        }
        try expectAnswers(of: clients, 201, "published")
        try simultaneously(daemon) {
            for client in clients { try client.send("GET", "/topics/t?since=earliest") }
        }
        try expectAnswers(of: clients, 200, "read")
    }

    @Test(arguments: [1, 3], counts)
    func allRequestsOfNewConnectionsAreAnsweredAtOnce(loops: Int, count: Int) throws {
        let daemon = try RunningDaemon(configuration: "[http]\nloops = \(loops)\n")
        for address in [daemon.tcp, daemon.unix] {
            var clients: [RawClient] = []
            try simultaneously(daemon) {
                for _ in 0..<count {
                    let client = try RawClient(address)
                    try client.send("POST", "/topics/t", body: [0x78])
                    clients.append(client)
                }
            }
            try expectAnswers(of: clients, 201, "\(address)")
        }
    }

    @Test(arguments: [1, 3], counts)
    func onePublishAnswersAllWhoWait(loops: Int, count: Int) throws {
        let daemon = try RunningDaemon(configuration: "[http]\nloops = \(loops)\n")
        let publisher = try daemon.connect()
        let clients = try (0..<count).map { _ in try daemon.connect() }
        try simultaneously(daemon) {
            for client in clients { try client.send("GET", "/topics/t?wait=1h") }
        }
        try publisher.register("t")
        try publisher.await(subscribers: count, of: "t")
        let receipt = try publisher.exchange("POST", "/topics/t", body: [0x78])
        #expect(receipt.text.contains("\"subscribers\":\(count)"))
        try expectAnswers(of: clients, 200, "woken")
    }

    private func simultaneously(_ daemon: RunningDaemon, _ body: () throws -> Void) throws {
        daemon.send(SIGSTOP)
        defer { daemon.send(SIGCONT) }
        try body()
    }

    /// All answers have to be there within one bound that is far below any timer of the daemon.
    private func expectAnswers(
        of clients: [RawClient], _ status: Int, _ what: String
    ) throws {
        let deadline = monotonicSeconds() + 5
        for (index, client) in clients.enumerated() {
            let answer = try client.readAnswer(within: max(0.1, deadline - monotonicSeconds()))
            #expect(answer.status == status, "\(what), client \(index): \(answer.text)")
        }
    }
}
