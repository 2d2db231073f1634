import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct HostileRequestTests {
    private static let host = "Host: localhost\r\n"

    /// What is sent, and the code of the refusal.
    static let malformed: [(String, String, String)] = [
        (
            "repeated length",
            "POST /a HTTP/1.1\r\n\(host)Content-Length: 2\r\nContent-Length: 2\r\n\r\nab",
            "REQUEST_MALFORMED"
        ),
        (
            "two lengths",
            "POST /a HTTP/1.1\r\n\(host)Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
            "REQUEST_MALFORMED"
        ),
        (
            "length and chunks",
            "POST /a HTTP/1.1\r\n\(host)Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "REQUEST_MALFORMED"
        ),
        (
            "gzip, chunked",
            "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "REQUEST_MALFORMED"
        ),
        (
            "identity", "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: identity\r\n\r\nx",
            "REQUEST_MALFORMED"
        ),
        (
            "chunked twice",
            "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "REQUEST_MALFORMED"
        ),
        (
            "chunks in HTTP/1.0",
            "POST /a HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "REQUEST_MALFORMED"
        ),
        ("blank before colon", "GET /a HTTP/1.1\r\n\(host)X-A : b\r\n\r\n", "REQUEST_MALFORMED"),
        ("tab before colon", "GET /a HTTP/1.1\r\n\(host)X-A\t: b\r\n\r\n", "REQUEST_MALFORMED"),
        ("blank in name", "GET /a HTTP/1.1\r\n\(host)X A: b\r\n\r\n", "REQUEST_MALFORMED"),
        ("folded header", "GET /a HTTP/1.1\r\n\(host)X-A: b\r\n c\r\n\r\n", "REQUEST_MALFORMED"),
        (
            "folded twice", "GET /a HTTP/1.1\r\n\(host)X-A: b\r\n\tc\r\n d\r\nX-B: e\r\n\r\n",
            "REQUEST_MALFORMED"
        ),
        ("no colon", "GET /a HTTP/1.1\r\n\(host)no colon\r\n\r\n", "REQUEST_MALFORMED"),
        ("NUL in a name", "GET /a HTTP/1.1\r\nX\0A: b\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("return in a value", "GET /a HTTP/1.1\r\n\(host)X: a\rb\r\n\r\n", "REQUEST_MALFORMED"),
        ("noise", "\u{1}\u{2}\r\n\r\n", "REQUEST_MALFORMED"),
        ("method alone", "GET\r\n\r\n", "REQUEST_MALFORMED"),
        ("no version", "GET /a\r\n\r\n", "REQUEST_MALFORMED"),
        ("length x", "POST /a HTTP/1.1\r\n\(host)Content-Length: x\r\n\r\n", "REQUEST_MALFORMED"),
        (
            "length +1", "POST /a HTTP/1.1\r\n\(host)Content-Length: +1\r\n\r\nx",
            "REQUEST_MALFORMED"
        ),
        (
            "lengths in one", "POST /a HTTP/1.1\r\n\(host)Content-Length: 1, 1\r\n\r\nx",
            "REQUEST_MALFORMED"
        ),
        ("no length", "POST /a HTTP/1.1\r\n\(host)Content-Length:\r\n\r\nx", "REQUEST_MALFORMED"),
        (
            "huge length",
            "POST /a HTTP/1.1\r\n\(host)Content-Length: 99999999999999999999\r\n\r\n",
            "REQUEST_MALFORMED"
        ),
        (
            "fold before all headers", "GET /a HTTP/1.1\r\n X-A: b\r\n\(host)\r\n",
            "REQUEST_MALFORMED"
        ),
        ("no Host", "GET /a HTTP/1.1\r\n\r\n", "REQUEST_MALFORMED"),
        ("no Host in HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n", "REQUEST_MALFORMED"),
        ("two Hosts", "GET /a HTTP/1.1\r\n\(host)\(host)\r\n", "REQUEST_MALFORMED"),
        ("NUL in the path", "GET /a\0b HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("NUL in the query", "GET /a?b\0c HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("NUL in a value", "GET /a HTTP/1.1\r\n\(host)X-A: b\0c\r\n\r\n", "REQUEST_MALFORMED"),
        (
            "NUL in the last value", "GET /a HTTP/1.1\r\nX-A: b\0cdef\r\n\(host)\r\n",
            "REQUEST_MALFORMED"
        ),
        ("encoded NUL", "GET /a%00b HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("encoded slash", "GET /a%2Fb HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("blank in the target", "GET /a b HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("strange method", "G(T /a HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("foreign host", "GET /a HTTP/1.1\r\nHost: evil.example\r\n\r\n", "HOST_UNKNOWN"),
        (
            "foreign page", "GET /a HTTP/1.1\r\n\(host)Origin: http://evil.example\r\n\r\n",
            "ORIGIN_FORBIDDEN"
        ),
        (
            "sandboxed page",
            "POST /a HTTP/1.1\r\n\(host)Origin: null\r\nContent-Length: 1\r\n\r\nx",
            "ORIGIN_FORBIDDEN"
        ),
        (
            "unknown expectation",
            "POST /a HTTP/1.1\r\n\(host)Expect: tea\r\nContent-Length: 1\r\n\r\nx",
            "EXPECTATION_UNKNOWN"
        ),
    ]

    @Test(arguments: malformed.indices)
    func requestThatBreaksARuleIsRefusedBeforeAnyHandler(_ index: Int) throws {
        let (name, request, code) = Self.malformed[index]
        let server = try LoopServer()
        let client = try server.connect()
        try client.send(request)
        let answer = try client.readAnswer()
        #expect(answer.text.contains("\"\(code)\""), "\(name): \(answer.statusLine)")
        #expect(answer.header("Content-Type") == "application/problem+json", "\(name)")
        #expect(server.backstage.state.value.handled.isEmpty, "\(name)")
        #expect(try server.connect().exchange("GET", "/after").text == "after")
        client.close()
        server.expectEmpty()
    }

    /// What libmicrohttpd refuses by itself: its words or a close, but never another request.
    static let broken: [(String, String)] = [
        ("HTTP/2.0", "GET /a HTTP/2.0\r\n\(host)\r\n"),
        ("HTTP/0.9", "GET /a HTTP/0.9\r\n\(host)\r\n"),
        ("other protocol", "GET /a FTP/1.1\r\n\(host)\r\n"),
        ("chunk size", "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nxyz\r\n"),
        ("chunk end", "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n"),
        (
            "huge chunk",
            "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"
        ),
    ]

    @Test(arguments: broken.indices)
    func requestThatIsNoHTTPEndsItsConnection(_ index: Int) throws {
        let (name, request) = Self.broken[index]
        let server = try LoopServer()
        let client = try server.connect()
        try client.send(request + "GET /smuggled HTTP/1.1\r\n\(Self.host)\r\n")
        let bytes = try client.readToEnd()
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(
            text.isEmpty || text.hasPrefix("HTTP/1.1 4") || text.hasPrefix("HTTP/1.1 5"),
            "\(name)")
        #expect(server.backstage.state.value.handled.isEmpty, "\(name)")
        #expect(try server.connect().exchange("GET", "/after").text == "after")
        client.close()
        server.expectEmpty()
    }

    @Test(arguments: malformed.indices)
    func whatIsNotSeenBeforeItIsParsedIsNoOtherRequestEither(_ index: Int) throws {
        let (name, request, _) = Self.malformed[index]
        let server = try LoopServer()
        let client = try server.connect()
        #expect(try client.exchange("GET", "/first").text == "first")
        try client.send(request)
        if let answer = try? client.readAnswer() {
            let isJoined = name.hasPrefix("folded") && !ParserLibrary.loaded.hidesBrokenHeaders
            #expect(
                isJoined ? answer.status == 200 : (301...499).contains(answer.status), "\(name)")
        }
        client.close()
        #expect(server.backstage.state.value.handled.allSatisfy { ["first", "a"].contains($0) })
        server.expectEmpty()
    }

    private static let badLengths = [
        "", " +1", " -1", " 0x1", " 1, 1", " 1 1", " 18446744073709551616",
    ]

    /// On a connection that we hold: a new one, or one whose last requests were known.
    @Test(arguments: LoopServer.Transport.allCases, [0, 3])
    func aBadLengthIsRefusedOnceAndInWords(
        _ transport: LoopServer.Transport, requestsBefore: Int
    ) throws {
        let server = try LoopServer()
        for length in Self.badLengths {
            let client = try server.connect(transport)
            for _ in 0..<requestsBefore {
                #expect(try client.exchange("POST", "/again", body: [0x78]).text == "x")
            }
            try client.send("POST /a HTTP/1.1\r\n\(Self.host)Content-Length:\(length)\r\n\r\nx")
            let answer = try client.readAnswer()
            #expect(answer.status == 400, "\(length)")
            #expect(answer.header("Content-Type") == "application/problem+json", "\(length)")
            #expect(try client.readToEnd() == [], "\(length)")
        }
        #expect(!server.backstage.state.value.handled.contains("a"))
        server.expectEmpty()
    }

    /// 0.9.75 then sends the head of its own answer twice, and closes.
    @Test(arguments: LoopServer.Transport.allCases)
    func aBadLengthThatOnlyTheParserSeesEndsTheConnection(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer()
        let headsMax = ParserLibrary.loaded.hidesBrokenHeaders ? 2 : 1
        for length in Self.badLengths {
            let client = try server.connect(transport)
            #expect(try client.exchange("GET", "/first").text == "first")
            try client.send(
                "POST /a HTTP/1.1\r\n\(Self.host)Content-Length:\(length)\r\n\r\n"
                    + "GET /smuggled HTTP/1.1\r\n\(Self.host)\r\n")
            let text = String(decoding: try client.readToEnd(), as: UTF8.self)
            let heads = text.matches(of: #/HTTP\/1\.1 (\d)/#)
            #expect(heads.count <= headsMax && heads.allSatisfy { $0.1 == "4" }, "\(text)")
        }
        #expect(server.backstage.state.value.handled.allSatisfy { $0 == "first" })
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aClientOfHTTP2IsToldThatItsVersionIsNotSupported(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        try client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0")
        let told = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(told.hasPrefix("HTTP/1.1 505 "), "\(told)")
        client.close()
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aClientThatStaysAfterItsHeadWasRefusedIsClosedLikeOthers(
        _ transport: LoopServer.Transport
    ) throws {
        // A body would have an hour to come; the rest of a refused head has `lingerSeconds`.
        let server = try LoopServer()
        let client = try server.connect(transport)
        try client.send("GET /a HTTP/1.1\r\n\(Self.host)no colon\r\n\r\n")
        #expect(try client.readAnswer().status == 400)
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
        withExtendedLifetime(client) {}
    }

    @Test func headersBeyondTheirMaximumAreRefused() throws {
        let server = try LoopServer()
        for (request, status) in [
            ("GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\n", 414),
            (
                "GET /a HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 20_000))",
                431
            ),
        ] {
            let client = try server.connect()
            try client.send(request)
            #expect(try client.readAnswer().status == status)
            #expect(try client.readToEnd() == [])
        }
        #expect(server.backstage.state.value.handled.isEmpty)
        server.expectEmpty()
    }

    @Test func thousandsOfQueryItemsDoNotStopTheLoop() throws {
        let server = try LoopServer()
        let client = try server.connect()
        let target = "/a?" + String(repeating: "b&", count: 3_000)
        try client.send("GET", target)
        #expect(try client.readAnswer().status == 400)
        #expect(try server.connect().exchange("GET", "/after").text == "after")
    }

    @Test func largestHeadersThatFitAreAnswered() throws {
        let server = try LoopServer()
        var answered = 0
        for bytes in stride(from: 12_000, through: 16_500, by: 97) {
            let client = try server.connect()
            try client.send("GET", "/a", headers: [("X", String(repeating: "a", count: bytes))])
            let answer = try client.readAnswer()
            #expect([200, 431].contains(answer.status))
            if answer.status == 200 { answered += 1 }
        }
        #expect(answered == server.backstage.state.value.handled.count)
        #expect(answered > 10)
    }

    @Test func refusalOfAWholeBodyKeepsTheConnection() throws {
        let server = try LoopServer()
        let client = try server.connect()
        for _ in 0..<3 {
            let answer = try client.exchange("POST", "/refuse", body: Array("body".utf8))
            #expect(answer.status == 403)
            #expect(answer.header("Connection") == nil)
        }
        #expect(try client.exchange("GET", "/refuse").status == 403)
        #expect(try client.exchange("GET", "/after").text == "after")
        #expect(server.backstage.state.value.handled == ["after"])
    }
}
