import Glibc
import TestSupport
import Testing

/// Five thousand who wait for one topic, over connections that are kept.
@Suite(.blocking, .serialized) struct WaitingTests {
    private static let count = 5_000

    @Test func onePublishAnswersAllAndAStopAnswersAllWithTheirCursor() throws {
        try #require(FileLimit.raise() > Self.count + 1_000, "the hard limit of open files")
        let daemon = try RunningDaemon()
        let publisher = try daemon.connect()
        try publisher.register("t")
        let descriptors = daemon.openDescriptors
        let clients = try (0..<Self.count).map { _ in try daemon.connect() }

        for client in clients { try client.send("GET", "/topics/t?wait=1h") }
        try publisher.await(subscribers: Self.count, of: "t", within: 120)
        let receipt = try publisher.exchange(
            "POST", "/topics/t", body: Array("to all".utf8), within: 120)
        #expect(receipt.status == 201)
        #expect(receipt.text.contains("\"subscribers\":\(Self.count)}"), "\(receipt.text)")
        let id = try #require(receipt.number("event-id"))
        try readAll(clients, within: 120) { _, answer in
            answer.status == 200 && answer.text == "to all" && answer.number("event-id") == id
                && answer.number("event-cursor") == id
        }

        for (index, client) in clients.enumerated() {
            let form = index % 2 == 0 ? "raw" : "json"
            try client.send("GET", "/topics/t?since=\(id)&wait=1h&as=\(form)")
        }
        try publisher.await(subscribers: Self.count, of: "t", within: 120)
        // A socket on its way out of the parser has two descriptors for a moment; a few more are
        // the daemon's own, for files that it opened meanwhile.
        try eventually("one descriptor for each", within: 120) {
            daemon.openDescriptors <= descriptors + Self.count + 8
        }
        daemon.send(SIGTERM)
        try readAll(clients, within: 120) { index, answer in
            answer.number("event-cursor") == id && answer.header("connection") == "close"
                && (index % 2 == 0
                    ? answer.status == 204
                    : answer.text == #"{"events":[],"cursor":"\#(id)","gap":null}"# + "\n")
        }
        #expect(try daemon.wait(within: 120) == .exited(0))
    }

    private func readAll(
        _ clients: [RawClient], within seconds: Double,
        _ isRight: (Int, RawClient.Answer) -> Bool
    ) throws {
        let deadline = monotonicSeconds() + seconds
        for (index, client) in clients.enumerated() {
            let answer = try client.readAnswer(within: max(0.1, deadline - monotonicSeconds()))
            try #require(
                isRight(index, answer), "client \(index): \(answer.statusLine) \(answer.text)")
        }
    }
}
