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
            "chunks and length",
            "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n1\r\nx\r\n0\r\n\r\n",
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
            "identity and length",
            "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: identity\r\nContent-Length: 1\r\n\r\nx",
            "REQUEST_MALFORMED"
        ),
        (
            "xchunked",
            "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: xchunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
            "REQUEST_MALFORMED"
        ),
        (
            "vertical tab before chunked",
            "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: \u{B}chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
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
        (
            "blank before the colon of a length",
            "POST /a HTTP/1.1\r\n\(host)Content-Length : 1\r\n\r\nx", "REQUEST_MALFORMED"
        ),
        (
            "tab before the colon of a length",
            "POST /a HTTP/1.1\r\n\(host)Content-Length\t: 1\r\n\r\nx", "REQUEST_MALFORMED"
        ),
        ("blank in name", "GET /a HTTP/1.1\r\n\(host)X A: b\r\n\r\n", "REQUEST_MALFORMED"),
        ("folded header", "GET /a HTTP/1.1\r\n\(host)X-A: b\r\n c\r\n\r\n", "REQUEST_MALFORMED"),
        (
            "folded twice", "GET /a HTTP/1.1\r\n\(host)X-A: b\r\n\tc\r\n d\r\nX-B: e\r\n\r\n",
            "REQUEST_MALFORMED"
        ),
        ("empty name", "GET /a HTTP/1.1\r\n\(host): x\r\n\r\n", "REQUEST_MALFORMED"),
        (
            "control byte in a value", "GET /a HTTP/1.1\r\n\(host)X: a\u{1}b\r\n\r\n",
            "REQUEST_MALFORMED"
        ),
        ("no colon", "GET /a HTTP/1.1\r\n\(host)no colon\r\n\r\n", "REQUEST_MALFORMED"),
        ("NUL in a name", "GET /a HTTP/1.1\r\nX\0A: b\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("return in a value", "GET /a HTTP/1.1\r\n\(host)X: a\rb\r\n\r\n", "REQUEST_MALFORMED"),
        ("noise", "\u{1}\u{2}\r\n\r\n", "REQUEST_MALFORMED"),
        ("method alone", "GET\r\n\r\n", "REQUEST_MALFORMED"),
        ("no version", "GET /a\r\n\r\n", "REQUEST_MALFORMED"),
        ("lower-case http", "GET /a http/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
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
        ("Host with a path", "GET /a HTTP/1.1\r\nHost: localhost/b\r\n\r\n", "REQUEST_MALFORMED"),
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
        ("encoded small slash", "GET /a%2fb HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("half an escape", "GET /a%4 HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("escape of no digits", "GET /a%zz HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("escaped byte of no text", "GET /a%FF HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("asterisk", "GET * HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        ("no slash before the path", "GET a HTTP/1.1\r\n\(host)\r\n", "REQUEST_MALFORMED"),
        (
            "target of another scheme", "GET ftp://localhost/a HTTP/1.1\r\n\(host)\r\n",
            "REQUEST_MALFORMED"
        ),
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

    /// Rows of what only a Host over TCP can break: on a unix socket none is needed, and any may stand.
    private static let ofTCPAlone: Set = [
        "no Host in HTTP/1.0", "Host with a path", "foreign host",
    ]

    private static let statuses = [
        "REQUEST_MALFORMED": 400, "HOST_UNKNOWN": 421, "ORIGIN_FORBIDDEN": 403,
        "EXPECTATION_UNKNOWN": 417,
    ]

    /// Behind each malformed one stands another, which nobody may take for a request of its own.
    @Test(arguments: LoopServer.Transport.allCases)
    func requestThatBreaksARuleIsRefusedBeforeAnyHandler(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer()
        for (name, request, code) in Self.malformed
        where transport == .tcp || !Self.ofTCPAlone.contains(name) {
            let client = try server.connect(transport)
            let isMalformed = code == "REQUEST_MALFORMED"
            try client.send(request + (isMalformed ? Self.smuggled : ""))
            let answer = try client.readAnswer()
            #expect(answer.status == Self.statuses[code], "\(name): \(answer.statusLine)")
            #expect(answer.text.contains("\"\(code)\""), "\(name): \(answer.text)")
            #expect(answer.header("Content-Type") == "application/problem+json", "\(name)")
            if isMalformed {
                #expect(answer.header("Connection") == "close", "\(name)")
                #expect(try client.readToEnd() == [], "\(name)")
            }
            #expect(server.backstage.state.value.handled == [], "\(name)")
        }
        #expect(try server.connect().exchange("GET", "/after").text == "after")
        server.expectEmpty()
    }

    private static let smuggled = "GET /smuggled HTTP/1.1\r\n\(host)\r\n"

    /// What is no request of this version, or no chunked body, and the status.
    static let broken: [(String, String, Int)] = [
        ("HTTP/2.0", "GET /a HTTP/2.0\r\n\(host)\r\n", 505),
        ("HTTP/0.9", "GET /a HTTP/0.9\r\n\(host)\r\n", 505),
        ("HTTP/3", "GET /a HTTP/3\r\n\(host)\r\n", 400),
        ("HTTP/1.2.3", "GET /a HTTP/1.2.3\r\n\(host)\r\n", 400),
        ("chunk size", chunked + "xyz\r\n", 400),
        ("negative chunk size", chunked + "-1\r\nx\r\n0\r\n\r\n", 400),
        ("chunk end", chunked + "2\r\nabcd\r\n", 400),
        ("huge chunk", chunked + "fffffffffffffffff\r\n", 413),
    ]

    private static let chunked = "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: LoopServer.Transport.allCases)
    func requestThatIsNoHTTPEndsItsConnection(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        for (name, request, status) in Self.broken {
            let client = try server.connect(transport)
            try client.send(request + Self.smuggled)
            let answer = try client.readAnswer()
            #expect(answer.status == status, "\(name): \(answer.statusLine)")
            #expect(answer.header("Connection") == "close", "\(name)")
            #expect(try client.readToEnd() == [], "\(name)")
            #expect(server.backstage.state.value.handled == [], "\(name)")
        }
        #expect(try server.connect().exchange("GET", "/after").text == "after")
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

    private static let long = String(repeating: "a", count: 20_000)

    @Test(arguments: LoopServer.Transport.allCases)
    func headersBeyondTheirMaximumAreRefused(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let headers = (0..<3_000).map { "X\($0): y\r\n" }.joined()
        for (name, request, status) in [
            ("path", "GET /\(Self.long) HTTP/1.1\r\n", 414),
            ("whole path", "GET /\(Self.long) HTTP/1.1\r\n\(Self.host)\r\n", 414),
            ("query", "GET /a?x=\(Self.long) HTTP/1.1\r\n\(Self.host)\r\n", 414),
            ("endless target", "GET /\(Self.long)\(Self.long)", 414),
            ("value", "GET /a HTTP/1.1\r\n\(Self.host)X: \(Self.long)", 431),
            ("whole value", "GET /a HTTP/1.1\r\n\(Self.host)X: \(Self.long)\r\n\r\n", 431),
            ("many headers", "GET /a HTTP/1.1\r\n\(Self.host)\(headers)\r\n", 431),
        ] {
            let client = try server.connect(transport)
            try? client.send(request)
            #expect(try client.readAnswer().status == status, "\(name)")
            #expect(try client.readToEnd() == [], "\(name)")
        }
        #expect(server.backstage.state.value.handled.isEmpty)
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aLineWithoutEndThatIsNoRequestIsCutOffBeforeItsTime(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        try? client.send(Self.long + Self.long)
        #expect(try client.readAnswer().status == 400)
        #expect(try client.readToEnd() == [])
        #expect(try server.connect().exchange("GET", "/after").text == "after")
        server.expectEmpty()
    }

    /// Pieces of requests in any order: each connection ends, and the loop serves on.
    @Test func hundredsOfRandomRequestsLeaveTheServerServing() throws {
        var random = SeededRandom(for: "hostile requests")
        let server = try LoopServer()
        let pieces = [
            "GET ", "POST ", "/a", "/topics/%", "?since=", "&", "=", " HTTP/1.1", "\r\n",
            "\r\n\r\n", Self.host, "Content-Length: ", "Transfer-Encoding: chunked\r\n",
            "Expect: 100-continue\r\n", "0\r\n", "5\r\nhello\r\n", "1", "9", "\0", "\u{FF}", " ",
            ":", "\n", "Connection: close\r\n", "Origin: null\r\n", "Upgrade: websocket\r\n",
            "POST /a HTTP/1.1\r\n\(Self.host)", "GET /a HTTP/1.1\r\n\(Self.host)",
        ]
        for round in 0..<400 {
            let client = try server.connect(round % 2 == 0 ? .tcp : .unix)
            let request = (0..<Int.random(in: 1...24, using: &random))
                .map { _ in pieces.randomElement(using: &random)! }.joined()
            try? client.send(request)
            client.halfClose()
            _ = try client.readToEnd()
        }
        #expect(try server.connect().exchange("GET", "/after").text == "after")
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
