import TestSupport
import Testing

/// Polls that one event wakes together, which share what is read and written for them.
@Suite(.blocking) struct PollsTogetherTests {
    private static let asked: [(target: String, headers: String)] = [
        ("/topics/t?wait=1h", ""), ("/topics/t?wait=40m", ""), ("/topics/t?wait=1h", ""),
        ("/topics/t?wait=1h&as=json", ""), ("/topics/t?wait=1h", "Accept: application/json\r\n"),
        ("/topics/t?wait=1h", "Prefer: wait=60\r\n"), ("/topics/t?wait=1h&strict=1", ""),
        ("/topics/t,u?wait=1h&as=json", ""), ("/topics/*?wait=1h&as=json&max=1", ""),
        ("/topics/t?wait=1h&type=a", ""), ("/topics/t?wait=1h&type=b&as=json", ""),
        ("/topics/t?wait=40m", "Connection: close\r\n"), ("/topics/t?wait=1h&as=json", ""),
    ]

    private func send(
        _ client: RawClient, _ asked: (target: String, headers: String), since: UInt64
    )
        throws
    {
        try client.send(
            "GET \(asked.target)&since=\(since) HTTP/1.1\r\nHost: localhost\r\n\(asked.headers)\r\n"
        )
    }

    @Test(arguments: [false, true]) func eachIsAnsweredInItsOwnWords(overUnix: Bool) throws {
        let daemon = try RunningDaemon()
        let publisher = try daemon.connect()
        let first = try publisher.publish("x", to: "t", headers: [("Event-Type", "a")])
        let clients = try Self.asked.map { _ in
            try RawClient(overUnix ? daemon.unix : daemon.tcp)
        }
        for (client, asked) in zip(clients, Self.asked) {
            try send(client, asked, since: first)
        }
        try eventually("all of them wait") {
            try MetricsTests.samples(publisher).filter { $0.key.hasPrefix("belfry_subscribers") }
                .values.reduce(0, +) >= Double(clients.count)
        }
        // Both at once, so that each poll that takes more than one gets them together.
        try publisher.send(
            "POST /topics/t?split=lines&type=a HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Length: 5\r\n\r\none\n2")
        #expect(try publisher.readAnswer().status == 201)
        for (client, asked) in zip(clients, Self.asked) where !asked.target.contains("type=b") {
            let answer = try client.readAnswer()
            let alone = try daemon.connect()
            try send(alone, asked, since: first)
            // The parser says Connection in another place than the loop.
            let told = answer.butWhen(inOrder: false)
            let wanted = try alone.readAnswer().butWhen(inOrder: false)
            #expect(told == wanted, "\(asked)")
        }
    }
}
