import TestSupport
import Testing

/// Requests as programs by others send them, which mean well.
@Suite(.blocking, .serialized) struct RealClientTests {
    private static let shared = SharedDaemon(
        configuration: "[http]\norigins = https://app.example\n")
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try Self.shared.running()
        client = try daemon.connect()
    }

    private func exchange(_ lines: String...) throws -> RawClient.Answer {
        let client = try daemon.connect()
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try client.readAnswer(toHead: lines[0].hasPrefix("HEAD"))
    }

    // Readers that come back.

    /// Polyfills of `EventSource` and the clients of Mercure cannot send the header.
    @Test(arguments: [
        "lastEventId", "lastEventID", "last_event_id", "Last-Event-ID", "last-event-id",
    ])
    func aReaderResumesByTheQueryAsByTheHeader(name: String) throws {
        let first = try client.publish("one", to: "resumed")
        try client.publish("two", to: "resumed")
        for since in ["", "&since=earliest"] {
            let answer = try client.get(
                "/topics/resumed?\(name)=\(first)\(since)&as=json&wait=0&max=1")
            #expect(
                answer.status == 200 && answer.text.contains("\"data\":\"two\""), "\(answer.text)")
            let next = try #require(answer.header("link"))
            #expect(!next.contains(name), "\(next)")
        }
        let stream = try client.get("/topics/resumed?\(name)=\(first)&as=sse&max=1")
        #expect(stream.status == 200 && stream.text.contains("data: two"))
    }

    @Test func aReaderWithoutAPlaceToResumeAtBeginsWhereItSays() throws {
        try client.publish("one", to: "begun")
        let answer = try client.get("/topics/begun?lastEventId=&since=earliest")
        #expect(answer.text == "one")
    }

    @Test(arguments: [
        ("lastEventId=x", "CURSOR_INVALID"),
        ("lastEventId=1&last_event_id=1", "PARAMETER_REPEATED"),
    ])
    func aPlaceToResumeAtIsAnIDAndIsSaidOnce(query: String, code: String) throws {
        let answer = try client.get("/topics/resumed?\(query)&wait=0")
        #expect(answer.status == 400 && answer.member("code") == code)
    }

    // Pages.

    @Test(arguments: [
        "authorization", "baggage", "cache-control", "idempotency-key", "last-event-id",
        "traceparent", "tracestate", "x-requested-with", "x-request-id",
    ])
    func aPageOfAListedOriginMaySendWhatLibrariesAdd(header: String) throws {
        let answer = try client.exchange(
            "OPTIONS", "/topics/a",
            headers: [
                ("Origin", "https://app.example"), ("Access-Control-Request-Method", "GET"),
                ("Access-Control-Request-Headers", header),
            ])
        let allowed = try #require(answer.header("access-control-allow-headers")).lowercased()
        #expect(allowed.split(separator: ", ").contains { $0 == header }, "\(allowed)")
    }

    /// Chromium asks for a page of a public address whether it may reach a private one.
    @Test func onlyAPageOfAListedOriginThatAsksMayComeFromAMorePublicNetwork() throws {
        for (origin, asked, allowed) in [
            ("https://app.example", "true", "true"), ("https://app.example", nil, nil),
            ("https://app.example", "false", nil), ("https://other.example", "true", nil),
        ] as [(String, String?, String?)] {
            let answer = try client.exchange(
                "OPTIONS", "/topics/a",
                headers: [("Origin", origin), ("Access-Control-Request-Method", "GET")]
                    + (asked.map { [("Access-Control-Request-Private-Network", $0)] } ?? []))
            #expect(answer.status == (origin == "https://app.example" ? 204 : 403))
            #expect(answer.header("access-control-allow-private-network") == allowed)
        }
    }

    @Test(arguments: [
        ("https://localhost", "localhost", 201), ("http://localhost", "localhost", 201),
        ("https://localhost:8443", "localhost", 403), ("https://other.localhost", "localhost", 403),
        ("ftp://localhost", "localhost", 403),
    ])
    func thePageOfTheBusBehindAProxyWithTLSMayPublish(
        origin: String, host: String, status: Int
    ) throws {
        let answer = try exchange(
            "POST /topics/page HTTP/1.1", "Host: \(host)", "Origin: \(origin)",
            "Sec-Fetch-Site: same-origin", "Content-Length: 0")
        #expect(answer.status == status, "\(answer.text)")
    }

    // Checks.

    @Test(arguments: ["/healthz", "/readyz", "/healthz?from=lb", "/readyz?verbose"])
    func aCheckMayKnowTheBusByAnyName(path: String) throws {
        let answers = [
            try exchange("GET \(path) HTTP/1.0"),
            try exchange("HEAD \(path) HTTP/1.0"),
            try exchange("GET \(path) HTTP/1.1", "Host: 10.0.0.7:7464"),
            try exchange("GET \(path) HTTP/1.1", "Host: [fe80::1%25eth0]"),
            try exchange("GET \(path) HTTP/1.1", "Host: belfry", "User-Agent: kube-probe/1.30"),
        ]
        #expect(answers.map(\.status) == [200, 200, 200, 200, 200])
    }

    @Test func aCheckByOptionsNeedsNoHost() throws {
        #expect(try exchange("OPTIONS / HTTP/1.0").status == 204)
    }

    /// A page of a name that was made to point here (DNS rebinding) carries that name.
    @Test func aForeignNameLearnsNothingButThatTheBusIsWell() throws {
        try client.publish("x", to: "secret")
        for path in ["/topics", "/topics/secret", "/version", "/", "/groups", "/openapi.yaml"] {
            #expect(
                try exchange("GET \(path) HTTP/1.1", "Host: evil.example").status == 421, "\(path)")
        }
        #expect(try exchange("POST /healthz HTTP/1.1", "Host: evil.example").status == 421)
        let figures = try exchange("GET /metrics HTTP/1.1", "Host: belfry:7464")
        #expect(figures.status == 200)
        let lines = figures.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines == ["belfry_host_unknown 1"])
        #expect(figures.text.contains("http.hosts"))
    }

    @Test func aPageOfAForeignNameMayNotEvenCheck() throws {
        let answer = try exchange(
            "GET /healthz HTTP/1.1", "Host: evil.example", "Sec-Fetch-Site: same-origin")
        #expect(answer.status == 421)
        let other = try exchange(
            "GET /healthz HTTP/1.1", "Host: evil.example", "Origin: http://evil.example")
        #expect(other.status == 421)
    }

    // Publishers.

    /// Webhooks of GitLab have one in each request.
    @Test func aRepeatWithItsKeyMakesNoSecondEvent() throws {
        for query in ["", "?split=lines"] {
            var answers: [RawClient.Answer] = []
            for _ in 0..<3 {
                answers.append(
                    try client.exchange(
                        "POST", "/topics/gitlab\(query)",
                        headers: [("Idempotency-Key", "f5e57ebe-07b7\(query)")],
                        body: Array("x".utf8)))
            }
            #expect(answers.allSatisfy { $0.status == 201 })
            #expect(answers[0].header("idempotency-replayed") == nil)
            #expect(answers[2].header("idempotency-replayed") == "true")
            #expect(answers[1].text == answers[2].text)
            #expect(answers[0].header("event-id") == answers[2].header("event-id"))
            let id = try #require(answers[2].member(query.isEmpty ? "id" : "last"))
            #expect(answers[0].text.contains(id))
        }
        let events = try client.exchange("GET", "/topics/gitlab?since=earliest&as=json&wait=0")
        #expect(events.text.components(separatedBy: "\"data\":\"x\"").count == 3)
    }

    @Test func aPublishOfUnknownLengthIsRefusedInsteadOfLosingItsBody() throws {
        let client = try daemon.connect()
        try client.send("POST /topics/lengthless HTTP/1.0\r\nHost: localhost\r\n\r\nimportant")
        let answer = try client.readAnswer()
        #expect(answer.status == 400 && answer.member("code") == "REQUEST_MALFORMED")
        #expect(try #require(answer.member("detail")).contains("Content-Length"))
        #expect(try self.client.exchange("HEAD", "/topics/lengthless").status == 404)
        let empty = try exchange(
            "POST /topics/lengthless HTTP/1.0", "Host: localhost", "Content-Length: 0")
        #expect(empty.status == 201)
    }

    /// nginx speaks HTTP/1.0 to us, as long as nobody tells it otherwise.
    @Test func whatNeedsNoBodyNeedsNoLength() throws {
        #expect(try client.exchange("PUT", "/groups/lengthless?of=jobs.a").status == 201)
        let answer = try exchange(
            "POST /groups/lengthless/next?wait=0 HTTP/1.0", "Host: localhost")
        #expect(answer.status == 204)
    }

    @Test func aHandshakeThatAProxyCutDownIsToldSo() throws {
        let answer = try client.get(
            "/topics/socket",
            headers: [
                ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
            ])
        #expect(answer.status == 400 && answer.member("code") == "REQUEST_MALFORMED")
        #expect(try #require(answer.member("detail")).contains("proxy"))
    }
}
