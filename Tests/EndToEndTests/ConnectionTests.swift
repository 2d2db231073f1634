import Glibc
import TestSupport
import Testing

/// How connections live: versions of HTTP, keeping, closing, and requests sent ahead.
@Suite(.blocking) struct ConnectionTests {
    private let daemon: RunningDaemon

    init() throws {
        daemon = try RunningDaemon()
    }

    private func exchange(_ client: RawClient, _ lines: String...) throws -> RawClient.Answer {
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try client.readAnswer(toHead: lines[0].hasPrefix("HEAD"))
    }

    @Test func oldClientsNeedAHostOverTCPOnly() throws {
        let remote = try daemon.connect()
        let refused = try exchange(remote, "GET /topics HTTP/1.0")
        #expect(refused.status == 400)
        ProblemTests.check(refused, "REQUEST_MALFORMED", "HTTP/1.0 without Host")
        #expect(try remote.readToEnd().isEmpty)
        let local = try RawClient(daemon.unix)
        let served = try exchange(local, "GET /healthz HTTP/1.0")
        #expect(served.status == 200)
        #expect(try local.readToEnd().isEmpty)
        let named = try daemon.connect()
        #expect(try exchange(named, "GET /healthz HTTP/1.0", "Host: localhost").status == 200)
        #expect(try named.readToEnd().isEmpty)
    }

    @Test func oldClientsAreKeptIfTheyAsk() throws {
        let client = try daemon.connect()
        for _ in 0..<3 {
            let answer = try exchange(
                client, "GET /healthz HTTP/1.0", "Host: localhost", "Connection: Keep-Alive")
            #expect(answer.status == 200)
            #expect(answer.header("connection")?.lowercased() == "keep-alive")
        }
        try client.publish("x", to: "t")
        let polled = try exchange(
            client, "GET /topics/t?wait=10ms HTTP/1.0", "Host: localhost",
            "Connection: keep-alive")
        #expect(polled.status == 204)
        #expect(try exchange(client, "GET /healthz HTTP/1.0", "Host: localhost").status == 200)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test(arguments: [false, true])
    func oldClientsWaitToo(overUnix: Bool) throws {
        let publisher = try daemon.connect()
        try publisher.register("t")
        let client = try RawClient(overUnix ? daemon.unix : daemon.tcp)
        try client.send("GET /topics/t HTTP/1.0\r\nHost: localhost\r\n\r\n")
        try publisher.await(subscribers: 1, of: "t")
        try publisher.publish("x", to: "t")
        let answer = try client.readAnswer()
        #expect(answer.text == "x" && answer.statusLine.hasPrefix("HTTP/1."))
        #expect(try client.readToEnd().isEmpty)
    }

    @Test func aConnectionServesEveryKindOfRequestInTurn() throws {
        for address in [daemon.tcp, daemon.unix] {
            let client = try RawClient(address)
            for round in 0..<50 {
                let id = try client.publish("\(round)", to: "t")
                #expect(try client.get("/topics/t?since=latest").text == "\(round)")
                #expect(try client.get("/topics/t?wait=1ms").status == 204)
                #expect(try client.exchange("HEAD", "/topics/t").number("event-cursor") == id)
                #expect(try client.get("/nothing").status == 404)
                #expect(try client.get("/topics/t?as=json&wait=1ms").status == 200)
            }
        }
        #expect(try daemon.terminate() == .exited(0))
    }

    @Test func whoeverSaysCloseIsClosed() throws {
        let publisher = try daemon.connect()
        try publisher.publish("x", to: "t")
        for target in [
            "GET /healthz", "GET /topics/t?since=0", "GET /topics/t?wait=1ms", "HEAD /topics/t",
            "GET /topics/t?wait=0", "GET /nothing", "DELETE /topics/none",
        ] {
            let client = try daemon.connect()
            let answer = try exchange(
                client, "\(target) HTTP/1.1", "Host: localhost", "Connection: x, Close")
            #expect(answer.header("connection")?.lowercased() == "close", "\(target)")
            #expect(try client.readToEnd().isEmpty, "\(target)")
        }
    }

    @Test(arguments: [
        ("localhost", 200), ("LOCALHOST.", 200), ("localhost:PORT", 200), ("127.0.0.1:PORT", 200),
        ("127.1.2.3", 200), ("[::1]:PORT", 200), ("[::1]", 200), ("app.localhost", 200),
        ("a.b.LocalHost.:PORT", 200),
        ("localhost:1", 421), ("example.com", 421), ("localhost.example.com", 421),
        ("127.0.0.1.nip.io", 421), ("0.0.0.0", 421), ("[::]", 421), ("[::ffff:127.0.0.1]", 421),
        ("localhostx", 421), ("128.0.0.1", 421), ("0x7f.1", 421), ("127.1", 421),
        ("2130706433", 421),
        ("localhost/", 400), ("user@localhost", 400), ("local host", 400), ("[::1", 400),
        ("localhost:x", 400), ("localhost:99999", 400),
    ])
    func onlyOurOwnNamesAreServed(host: String, status: Int) throws {
        let client = try daemon.connect()
        let written = host.replacing("PORT", with: "\(daemon.port)")
        let answer = try exchange(client, "GET /version HTTP/1.1", "Host: \(written)")
        #expect(answer.status == status || status == 421 && answer.status == 400, "\(written)")
        if status == 200 {
            let absolute = try exchange(
                client, "GET http://\(written)/version HTTP/1.1", "Host: example.com")
            #expect(absolute.status == 200)
        } else {
            ProblemTests.check(
                answer, answer.status == 421 ? "HOST_UNKNOWN" : "REQUEST_MALFORMED", written)
        }
    }

    @Test func theUnixSocketTakesAnyHost() throws {
        let client = try RawClient(daemon.unix)
        for host in ["example.com", "", "localhost:1"] {
            #expect(try exchange(client, "GET /healthz HTTP/1.1", "Host: \(host)").status == 200)
        }
    }

    @Test(
        arguments: [
            (nil, nil, 200), (nil, "none", 200), (nil, "same-origin", 200), (nil, "same-site", 403),
            (nil, "cross-site", 403), (nil, "nonsense", 403), ("http://HOST", nil, 200),
            ("http://HOST", "same-origin", 200), ("http://HOST", "cross-site", 403),
            ("https://HOST", nil, 200), ("http://localhost", nil, 403), ("null", nil, 403),
            ("null", "same-origin", 403), ("http://example.com", "same-origin", 403),
            ("http://HOST.example.com", nil, 403), ("", nil, 403),
        ] as [(String?, String?, Int)])
    func pagesOfOtherOriginsAreKeptOut(origin: String?, site: String?, status: Int) throws {
        let host = "localhost:\(daemon.port)"
        for address in [daemon.tcp, daemon.unix] {
            let client = try RawClient(address)
            var lines = ["POST /topics/t HTTP/1.1", "Host: \(host)", "Content-Length: 1"]
            if let origin { lines.append("Origin: \(origin.replacing("HOST", with: host))") }
            if let site { lines.append("Sec-Fetch-Site: \(site)") }
            try client.send(lines.joined(separator: "\r\n") + "\r\n\r\nx")
            let answer = try client.readAnswer()
            #expect(answer.status == (status == 200 ? 201 : status))
            if status == 403 { ProblemTests.check(answer, "ORIGIN_FORBIDDEN", "\(lines)") }
        }
        let events = try daemon.connect().exchange("HEAD", "/topics/t").header("event-count")
        #expect(events == (status == 200 ? "2" : nil))
    }
}
