import Glibc
import TestSupport
import Testing

/// Requests that another program on the way could read as another request: refused or cut off,
/// never half understood.
@Suite(.blocking) struct HostileRequestTests {
    private let daemon: RunningDaemon

    init() throws {
        daemon = try RunningDaemon(configuration: "[bus]\nevent_bytes = 64K\n")
    }

    private static let host = "Host: localhost\r\n"

    /// What is sent (with `\n` for CRLF) after `POST /topics/t HTTP/1.1` and a Host.
    private static let headers: [(String, String)] = [
        ("a repeated Content-Length", "Content-Length: 1\nContent-Length: 1\n\nx"),
        ("two Content-Lengths", "Content-Length: 1\nContent-Length: 30\n\nx"),
        ("a list of lengths", "Content-Length: 1, 1\n\nx"),
        ("a signed length", "Content-Length: +1\n\nx"),
        ("a negative length", "Content-Length: -1\n\nx"),
        ("a hexadecimal length", "Content-Length: 0x1\n\nx"),
        ("an empty length", "Content-Length:\n\nx"),
        ("a length beyond belief", "Content-Length: 99999999999999999999\n\nx"),
        ("length and chunks", "Content-Length: 1\nTransfer-Encoding: chunked\n\n1\nx\n0\n\n"),
        ("chunks and length", "Transfer-Encoding: chunked\nContent-Length: 1\n\n1\nx\n0\n\n"),
        ("a coding before chunks", "Transfer-Encoding: gzip, chunked\n\n1\nx\n0\n\n"),
        ("identity", "Transfer-Encoding: identity\nContent-Length: 1\n\nx"),
        ("chunked twice", "Transfer-Encoding: chunked\nTransfer-Encoding: chunked\n\n1\nx\n0\n\n"),
        ("xchunked", "Transfer-Encoding: xchunked\n\n1\nx\n0\n\n"),
        ("chunked and a tab", "Transfer-Encoding: \u{0B}chunked\n\n1\nx\n0\n\n"),
        ("a blank in a name", "Content-Length : 1\n\nx"),
        ("a blank in another name", "X-A b: 1\nContent-Length: 1\n\nx"),
        ("a tab in a name", "Content-Length\t: 1\n\nx"),
        ("a fold", "X-A: 1\n folded\nContent-Length: 1\n\nx"),
        ("a fold with a tab", "X-A: 1\n\tfolded\nContent-Length: 1\n\nx"),
        ("a fold of the length", "Content-Length:\n 1\n\nx"),
        ("a second Host", "Host: localhost\nContent-Length: 1\n\nx"),
        ("a Host with a path", "X: y\nHost: localhost/evil\nContent-Length: 1\n\nx"),
        ("an empty name", ": x\nContent-Length: 1\n\nx"),
        ("a control byte in a value", "X-A: a\u{01}b\nContent-Length: 1\n\nx"),
    ]

    /// Whole requests (with `\n` for CRLF).
    private static let requests: [(String, String)] = [
        ("no Host", "POST /topics/t HTTP/1.1\nContent-Length: 1\n\nx"),
        (
            "a fold at the front",
            "POST /topics/t HTTP/1.1\n X: y\nHost: localhost\nContent-Length: 1\n\nx"
        ),
        ("NUL in the path", "POST /topics/t%00 HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx"),
        (
            "a slash in the path",
            "POST /topics%2Ft HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx"
        ),
        ("a small slash", "POST /topics%2ft HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx"),
        ("a broken escape", "POST /topics/t%4 HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx"),
        ("no escape at all", "POST /topics/%zz HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx"),
        ("not UTF-8", "POST /topics/%FF HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx"),
        (
            "a blank in the path",
            "POST /topics/t x HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx"
        ),
        ("an asterisk", "POST * HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx"),
        ("no path", "POST topics/t HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx"),
        (
            "another scheme",
            "POST ftp://localhost/topics/t HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx"
        ),
        ("HTTP/2.0", "POST /topics/t HTTP/2.0\nHost: localhost\nContent-Length: 1\n\nx"),
        ("HTTP/1.2.3", "POST /topics/t HTTP/1.2.3\nHost: localhost\nContent-Length: 1\n\nx"),
        ("lower-case http", "POST /topics/t http/1.1\nHost: localhost\nContent-Length: 1\n\nx"),
        ("no version", "POST /topics/t\nHost: localhost\nContent-Length: 1\n\nx"),
        ("TLS", "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}\u{00}\u{01}\u{FC}\u{03}\u{03}\n\n"),
        ("words", "hello\n\n"),
        ("HTTP/2's greeting", "PRI * HTTP/2.0\n\nSM\n\n"),
        (
            "chunks in HTTP/1.0",
            "POST /topics/t HTTP/1.0\nHost: localhost\nTransfer-Encoding: chunked\n\n1\nx\n0\n\n"
        ),
        (
            "a bad chunk size",
            "POST /topics/t HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\nx\nx\n0\n\n"
        ),
        (
            "a negative chunk",
            "POST /topics/t HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n-1\nx\n0\n\n"
        ),
        (
            "a chunk too large",
            "POST /topics/t HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\nfffffffffffffffff\nx\n0\n\n"
        ),
        (
            "a chunk without its end",
            "POST /topics/t HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n1\nxy\n0\n\n"
        ),
    ]

    /// Sends a request with a second one hidden behind it, and says all that came back.
    private func answers(to request: String, on address: RawClient.Address) throws -> [UInt8] {
        let client = try RawClient(address)
        let hidden = "POST /topics/smuggled HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx"
        try client.sendUnlessClosed(
            Array((request + hidden).replacing("\n", with: "\r\n").utf8))
        client.halfClose()
        return try client.readToEnd()
    }

    @Test(arguments: [false, true])
    func malformedRequestsAreRefusedAndNothingBehindThemIsServed(overUnix: Bool) throws {
        let address = overUnix ? daemon.unix : daemon.tcp
        let witness = try daemon.connect()
        var before = try witness.get("/topics").text
        let rows =
            Self.requests
            + Self.headers.map { ($0, "POST /topics/t HTTP/1.1\nHost: localhost\n" + $1) }
        for (name, request) in rows {
            let received = String(decoding: try answers(to: request, on: address), as: UTF8.self)
            let count = received.matches(of: #/HTTP/1\.1 \d{3} /#).count
            #expect(count <= 1 || isMHDsDouble(received), "\(name): \(received)")
            if !received.isEmpty {
                let status = Int(received.dropFirst(9).prefix(3)) ?? 0
                #expect(
                    [400, 404, 405, 413, 421, 431, 501, 505].contains(status),
                    "\(name): \(received)")
                #expect(received.contains("Connection: close"), "\(name): \(received)")
            }
            let list = try witness.get("/topics").text
            #expect(list == before, "\(name)")
            before = list
        }
    }

    /// libmicrohttpd 0.9.75 writes the head of its own refusal twice for some requests.
    private func isMHDsDouble(_ received: String) -> Bool {
        let heads = received.matches(of: #/HTTP/1\.1 (4\d\d) /#).map(\.1)
        return heads.count == 2 && heads[0] == heads[1] && !received.contains("problem+json")
    }

    @Test func whatWeRefuseOurselvesIsAProblem() throws {
        let own = [
            "a repeated Content-Length", "length and chunks", "chunks and length",
            "a coding before chunks", "identity", "chunked twice", "a blank in a name", "a fold",
            "a fold with a tab", "a second Host", "a control byte in a value", "no Host",
            "NUL in the path", "a slash in the path", "not UTF-8", "a broken escape",
        ]
        let rows =
            Self.requests
            + Self.headers.map { ($0, "POST /topics/t HTTP/1.1\nHost: localhost\n" + $1) }
        for name in own {
            let request = try #require(rows.first { $0.0 == name }?.1)
            let client = try daemon.connect()
            try client.send(request.replacing("\n", with: "\r\n"))
            let answer = try client.readAnswer()
            #expect(answer.status == 400, "\(name)")
            ProblemTests.check(answer, "REQUEST_MALFORMED", name)
            #expect(answer.header("connection") == "close", "\(name)")
            #expect(try client.readToEnd().isEmpty, "\(name)")
        }
    }

    @Test func oversizedHeadersAreCutOffWithTheirStatus() throws {
        let fill = String(repeating: "a", count: 20_000)
        let witness = try daemon.connect()
        for (name, request, status) in [
            ("a long target", "GET /topics/\(fill) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
            ("a long query", "GET /topics/t?x=\(fill) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
            ("a long value", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \(fill)\r\n\r\n", 431),
            (
                "many headers",
                "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
                    + (0..<3_000).map { "X\($0): y\r\n" }.joined() + "\r\n", 431
            ),
            (
                "many parameters",
                "GET /topics/t?\((0..<2_000).map { "a\($0)" }.joined(separator: "&")) HTTP/1.1\r\n"
                    + "Host: localhost\r\n\r\n", 400
            ),
        ] {
            let client = try daemon.connect()
            try client.sendUnlessClosed(Array(request.utf8))
            client.halfClose()
            let received = String(decoding: try client.readToEnd(), as: UTF8.self)
            if !received.isEmpty {
                let answered = Int(received.dropFirst(9).prefix(3)) ?? 0
                #expect([status, 400, 413, 414, 431].contains(answered), "\(name): \(received)")
            }
            #expect(try witness.get("/healthz").status == 200, "\(name)")
        }
    }

    @Test func anEndlessLineIsCutOffWithinTheTimeForHeaders() throws {
        let daemon = try RunningDaemon(configuration: "[http]\nheader_seconds = 1s\n")
        let client = try daemon.connect()
        try client.sendUnlessClosed([UInt8](repeating: 0x61, count: 40_000))
        let received = String(decoding: try client.readToEnd(), as: UTF8.self)
        if !received.isEmpty {
            let answered = Int(received.dropFirst(9).prefix(3)) ?? 0
            #expect([400, 408, 414].contains(answered), "\(received)")
        }
        #expect(try daemon.connect().get("/healthz").status == 200)
    }

    @Test func aFewThousandRandomRequestsLeaveTheDaemonServing() throws {
        var random = SeededRandom(for: "hostile requests")
        let witness = try daemon.connect()
        let pieces = [
            "GET ", "POST ", "/topics/t", "/topics/%", "?since=", "&", "=", " HTTP/1.1", "\r\n",
            "\r\n\r\n", "Host: localhost\r\n", "Content-Length: ", "Transfer-Encoding: chunked\r\n",
            "Expect: 100-continue\r\n", "0\r\n", "5\r\nhello\r\n", "1", "9", "\0", "\u{FF}", " ",
            ":", "\n", "Connection: close\r\n", "Origin: null\r\n", "Upgrade: websocket\r\n",
        ]
        for round in 0..<1_500 {
            let client = try RawClient(round % 2 == 0 ? daemon.tcp : daemon.unix)
            let request = (0..<Int.random(in: 1...24, using: &random))
                .map { _ in pieces.randomElement(using: &random)! }.joined()
            try client.sendUnlessClosed(Array(request.utf8))
            client.halfClose()
            _ = try? client.readToEnd(within: 0.02)
            if round % 100 == 0 { #expect(try witness.get("/healthz").status == 200) }
        }
        #expect(try witness.get("/healthz").status == 200)
        #expect(try daemon.terminate() == .exited(0))
    }
}
