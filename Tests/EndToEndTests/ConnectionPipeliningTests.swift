import Glibc
import TestSupport
import Testing

/// Requests sent ahead of the answers before them.
@Suite(.blocking, .serialized) struct ConnectionPipeliningTests {
    private let daemon: RunningDaemon
    private let publisher: RawClient

    init() throws {
        daemon = try RunningDaemon()
        publisher = try daemon.connect()
    }

    private func get(_ target: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }

    private func post(_ text: String) -> String {
        "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
            + text
    }

    @Test(arguments: [false, true])
    func requestsAreAnsweredInTheirOrder(overUnix: Bool) throws {
        let client = try RawClient(overUnix ? daemon.unix : daemon.tcp)
        let requests = (0..<200).map { $0 % 4 == 3 ? get("/topics/t?since=latest") : post("\($0)") }
        try client.send(requests.joined())
        for number in 0..<200 {
            let answer = try client.readAnswer()
            #expect(answer.status == (number % 4 == 3 ? 200 : 201))
            if number % 4 == 3 { #expect(answer.text == "\(number - 1)") }
        }
    }

    /// What a client sees that sent `bytes` behind a poll: the poll's answer, and either the
    /// answers to all that came behind it or word that the connection ends here.
    private func outcome(
        _ client: RawClient, behind: Int
    ) throws -> (first: RawClient.Answer, rest: [RawClient.Answer]) {
        let first = try client.readAnswer()
        if first.header("connection")?.lowercased() == "close" {
            #expect(try client.readToEnd().isEmpty)
            return (first, [])
        }
        return (first, try (0..<behind).map { _ in try client.readAnswer() })
    }

    @Test(arguments: [false, true])
    func nothingBehindAPollIsLostInSilence(overUnix: Bool) throws {
        try publisher.register("t")
        for behind in 1...4 {
            let client = try RawClient(overUnix ? daemon.unix : daemon.tcp)
            let rest = (0..<behind).map { post("\($0)") }.joined()
            let before = try publisher.exchange("HEAD", "/topics/t").number("event-count") ?? 0
            try client.send(get("/topics/t?wait=300ms") + rest)
            let (first, answers) = try outcome(client, behind: behind)
            #expect(first.status == 204 || first.status == 200)
            #expect(first.number("event-cursor") != nil)
            #expect(answers.allSatisfy { $0.status == 201 })
            let after = try publisher.exchange("HEAD", "/topics/t").number("event-count") ?? 0
            #expect(Int(after - before) == answers.count)
        }
    }

    @Test(arguments: [false, true])
    func whatComesWhileAPollWaitsIsServedAfterIt(overUnix: Bool) throws {
        try publisher.register("t")
        let client = try RawClient(overUnix ? daemon.unix : daemon.tcp)
        try client.send(get("/topics/t"))
        try publisher.await(subscribers: 1, of: "t")
        try client.send(get("/healthz") + post("behind"))
        #expect(client.isSilent(for: 0.05))
        try publisher.publish("x", to: "t")
        let (first, rest) = try outcome(client, behind: 2)
        #expect(first.status == 200 && first.text == "x")
        #expect(rest.isEmpty || rest.map(\.status) == [200, 201])
        #expect(!rest.isEmpty, "bytes that stayed in the socket need not be given up")
    }

    @Test(arguments: [false, true])
    func halfARequestBehindAPollIsServedWhenItIsWhole(overUnix: Bool) throws {
        try publisher.register("t")
        for split in [1, 4, 20, 40] {
            let client = try RawClient(overUnix ? daemon.unix : daemon.tcp)
            let next = Array(post("late").utf8)
            try client.send(Array(get("/topics/t?wait=200ms").utf8) + next[..<split])
            let first = try client.readAnswer()
            #expect(first.status == 204 || first.status == 200)
            if first.header("connection")?.lowercased() == "close" {
                #expect(try client.readToEnd().isEmpty)
            } else {
                try client.send(Array(next[split...]))
                #expect(try client.readAnswer().status == 201, "split at \(split)")
            }
        }
    }

    @Test(arguments: [false, true])
    func pollsInARowOnOneConnection(overUnix: Bool) throws {
        let ids = try (0..<5).map { try publisher.publish("\($0)", to: "t") }
        let client = try RawClient(overUnix ? daemon.unix : daemon.tcp)
        let all = [0] + ids
        try client.send(all.map { get("/topics/t?since=\($0)&wait=100ms") }.joined())
        for number in 0..<6 {
            let answer = try client.readAnswer()
            #expect(answer.status == (number < 5 ? 200 : 204))
            if number < 5 { #expect(answer.text == "\(number)") }
        }
        #expect(try client.get("/healthz").status == 200)
    }

    @Test func linesBetweenRequestsAreForgiven() throws {
        let client = try daemon.connect()
        try client.send("\r\n" + get("/topics/t?wait=10ms"))
        let first = try client.readAnswer()
        #expect(first.status == 204)
        if first.header("connection")?.lowercased() != "close" {
            #expect(try client.get("/healthz").status == 200)
        }
    }

    @Test func theAnswerThatClosesIsTheLast() throws {
        let client = try daemon.connect()
        try client.send(
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" + post("lost"))
        let answer = try client.readAnswer()
        #expect(answer.status == 200 && answer.header("connection") == "close")
        #expect(try client.readToEnd().isEmpty)
        #expect(try publisher.exchange("HEAD", "/topics/t").status == 404)
    }
}
