import Testing

@testable import HTTPFront

@Suite struct RequestRulesTests {
    static let tcp = Peer(
        transport: .tcp(
            local: SocketAddress(numeric: "127.0.0.1", port: 7464)!,
            remote: SocketAddress(numeric: "127.0.0.1", port: 50_000)!))
    static let unix = Peer(transport: .unix)

    private func head(
        _ method: String = "GET", _ target: String = "/", _ headers: [(String, String)],
        version: HTTPVersion = .http11, peer: Peer = tcp
    ) throws(Problem) -> RequestHead {
        try read(method, target, headers, version: version, peer: peer).head
    }

    private func read(
        _ method: String, _ target: String, _ headers: [(String, String)],
        version: HTTPVersion = .http11, peer: Peer = tcp
    ) throws(Problem) -> (head: RequestHead, bodyLength: RequestHead.BodyLength) {
        let rules = RequestRules(
            hosts: HostPolicy(), origins: try! OriginPolicy(allowing: ["https://dash.example"]))
        var fields = HeaderFields()
        for (name, value) in headers { fields.append(name, value) }
        let (method, target) = (Array(method.utf8), Array(target.utf8))
        return try method.withUnsafeBytes { method in
            target.withUnsafeBytes { target in
                Result { () throws(Problem) in
                    try rules.read(
                        method: method, target: target, version: version, headers: fields,
                        peer: peer)
                }
            }
        }.get()
    }

    private func code(_ body: () throws(Problem) -> RequestHead) -> String {
        do throws(Problem) {
            _ = try body()
            return "ok"
        } catch {
            return "\(error.status) \(error.code)"
        }
    }

    private let local = ("Host", "localhost")
    private let malformed = "400 REQUEST_MALFORMED"

    @Test func aRequestOfCurlPasses() throws {
        let head = try head(
            "GET", "/topics/deploys?since=12&wait=30s",
            [("Host", "localhost:7464"), ("User-Agent", "curl/7.88.1"), ("Accept", "*/*")])
        #expect(head.method == "GET")
        #expect(head.target.path == ["topics", "deploys"])
        #expect(head.target.query.first("wait") == "30s")
        #expect(head.host == Authority(host: "localhost", port: 7464))
        #expect(head.keepsAlive)
        #expect(head.crossOrigin == nil)
        #expect(head.headers.first("user-agent") == "curl/7.88.1")
    }

    @Test(
        arguments: [
            ([], .none), ([("Content-Length", "5")], .counted(5)),
            ([("content-length", "0")], .counted(0)),
            ([("Content-Length", "007")], .counted(7)),
            ([("Content-Length", "9007199254740992")], .counted(1 << 53)),
            ([("Transfer-Encoding", "chunked")], .chunked),
            ([("TRANSFER-ENCODING", " Chunked ")], .chunked),
        ] as [([(String, String)], RequestHead.BodyLength)])
    func bodiesAreAnnouncedOneWay(
        headers: [(String, String)], length: RequestHead.BodyLength
    ) throws {
        let read = try read("POST", "/", headers + [local])
        #expect(read.bodyLength == length)
        #expect(read.head.headers.occurrences(of: "content-length") == 0)
    }

    @Test(
        arguments: [
            [("Content-Length", "5"), ("Content-Length", "5")],
            [("Content-Length", "5"), ("content-length", "6")],
            [("Content-Length", "")], [("Content-Length", "-1")], [("Content-Length", "+1")],
            [("Content-Length", "1,1")], [("Content-Length", "1 1")], [("Content-Length", "0x10")],
            [("Content-Length", "9007199254740993")],
            [("Content-Length", "99999999999999999999999999999999")],
            [("Content-Length", "5"), ("Transfer-Encoding", "chunked")],
            [("Content-Length", "0"), ("Transfer-Encoding", "chunked")],
            [("Transfer-Encoding", "gzip")], [("Transfer-Encoding", "gzip, chunked")],
            [("Transfer-Encoding", "chunked, chunked")], [("Transfer-Encoding", "identity")],
            [("Transfer-Encoding", "")], [("Transfer-Encoding", "\"chunked\"")],
            [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
            [("Transfer-Encoding", "gzip"), ("Transfer-Encoding", "chunked")],
            [("Name ", "v")], [(" Name", "v")], [("Na me", "v")], [("", "v")], [("Name\t", "v")],
            [("Na\u{0}me", "v")], [("N\u{E4}me", "v")], [("Na:me", "v")], [("Na(me", "v")],
            [("X", "a\u{0}b")], [("X", "a\rb")], [("X", "a\nb")], [("X", "a\u{1}b")],
            [("X", "a\u{7F}b")],
            [("Host", "localhost")], [("Host", "other.example")],
        ] as [[(String, String)]])
    func headersThatTwoReadersCouldReadDifferentlyAreMalformed(headers: [(String, String)]) {
        for peer in [Self.tcp, Self.unix] {
            let outcome = code { () throws(Problem) in
                try head("POST", "/", headers + [local], peer: peer)
            }
            #expect(outcome == malformed)
        }
    }

    @Test func whatIsMalformedClosesTheConnection() {
        do throws(Problem) {
            _ = try head("POST", "/", [local, ("Content-Length", "x")])
            Issue.record("accepted")
        } catch {
            #expect(error.closesConnection)
        }
    }

    @Test func chunksNeedHTTP11() {
        let outcome = code { () throws(Problem) in
            try head("POST", "/", [local, ("Transfer-Encoding", "chunked")], version: .http10)
        }
        #expect(outcome == malformed)
    }

    @Test func tabsAndHighBytesInValuesPass() throws {
        #expect(try head("GET", "/", [local, ("X", "a\tb é")]).headers.first("x") == "a\tb é")
    }

    @Test(
        arguments: [
            (.http11, true, nil, "400 REQUEST_MALFORMED"),
            (.http10, true, nil, "400 REQUEST_MALFORMED"),
            (.http11, false, nil, "400 REQUEST_MALFORMED"), (.http10, false, nil, "ok"),
            (.http11, true, "evil.example", "421 HOST_UNKNOWN"),
            (.http11, false, "evil.example", "ok"),
            (.http11, true, "", "421 HOST_UNKNOWN"), (.http11, false, "", "ok"),
            (.http11, true, "a/b", "400 REQUEST_MALFORMED"), (.http11, false, "%2Frun%2Fs", "ok"),
            (.http10, true, "localhost", "ok"), (.http11, true, "[::1]:7464", "ok"),
            (.http11, true, "localhost:7465", "421 HOST_UNKNOWN"),
        ] as [(HTTPVersion, Bool, String?, String)])
    func hostsAreCheckedWhereTheyMatter(
        version: HTTPVersion, isTCP: Bool, host: String?, outcome: String
    ) {
        let judged = code { () throws(Problem) in
            try head(
                "GET", "/", host.map { [("Host", $0)] } ?? [], version: version,
                peer: isTCP ? Self.tcp : Self.unix)
        }
        #expect(judged == outcome)
    }

    /// A proxy in front of a unix socket may pass on the Host that a page chose.
    @Test(
        arguments: [
            ("localhost", "http://localhost", nil, "ok"),
            ("localhost:8080", "http://localhost:8080", "same-origin", "ok"),
            ("[::1]:8080", nil, "none", "ok"), ("evil.example", nil, nil, "ok"),
            ("evil.example", "http://evil.example", nil, "421 HOST_UNKNOWN"),
            ("evil.example", "http://evil.example", "same-origin", "421 HOST_UNKNOWN"),
            ("evil.example", nil, "same-origin", "421 HOST_UNKNOWN"),
            ("%2Frun%2Fs", nil, "none", "421 HOST_UNKNOWN"),
            ("evil.example", "https://dash.example", "cross-site", "ok"),
            ("evil.example", "http://localhost", nil, "403 ORIGIN_FORBIDDEN"),
        ] as [(String, String?, String?, String)])
    func aPageOverTheUnixSocketIsOurOwnOnlyWithAHostOfOurs(
        host: String, origin: String?, site: String?, outcome: String
    ) {
        let page = [("Origin", origin), ("Sec-Fetch-Site", site)].compactMap { name, value in
            value.map { (name, $0) }
        }
        let judged = code { () throws(Problem) in
            try head("GET", "/", [("Host", host)] + page, peer: Self.unix)
        }
        #expect(judged == outcome)
    }

    @Test(arguments: [
        ("http://localhost:7464/x", "evil.example", "ok"),
        ("http://localhost:7464/x", "a/b", "ok"),
        ("http://evil.example/x", "localhost", "421 HOST_UNKNOWN"),
        ("http://user@localhost/x", "localhost", "400 REQUEST_MALFORMED"),
    ])
    func theAuthorityOfAnAbsoluteTargetReplacesHost(target: String, host: String, outcome: String) {
        #expect(code { () throws(Problem) in try head("GET", target, [("Host", host)]) } == outcome)
    }

    @Test func anAbsoluteTargetStillNeedsOneHost() {
        let target = "http://localhost/x"
        #expect(code { () throws(Problem) in try head("GET", target, []) } == malformed)
        #expect(
            code { () throws(Problem) in try head("GET", target, [local, local]) } == malformed)
    }

    @Test(arguments: [
        ("OPTIONS", "*", "ok"), ("GET", "*", "400 REQUEST_MALFORMED"),
        ("CONNECT", "localhost:7464", "405 METHOD_NOT_ALLOWED"), ("TRACE", "/", "ok"),
        ("BREW", "/", "ok"), ("get", "/", "ok"), ("", "/", "400 REQUEST_MALFORMED"),
        ("G(T", "/", "400 REQUEST_MALFORMED"), ("GET", "/a%2Fb", "400 REQUEST_MALFORMED"),
        ("GET", "/%00", "400 REQUEST_MALFORMED"), ("GET", "/a#b", "400 REQUEST_MALFORMED"),
    ])
    func methodsAndTargetsFit(method: String, target: String, outcome: String) {
        #expect(code { () throws(Problem) in try head(method, target, [local]) } == outcome)
    }

    @Test(arguments: [
        (["100-continue"], "ok"), (["100-Continue"], "ok"), (["200-ok"], "417 EXPECTATION_UNKNOWN"),
        ([""], "417 EXPECTATION_UNKNOWN"), (["100-continue", "x"], "417 EXPECTATION_UNKNOWN"),
        (["100-continue, x"], "417 EXPECTATION_UNKNOWN"),
    ])
    func onlyTheKnownExpectationIsMet(values: [String], outcome: String) {
        let headers = [local] + values.map { ("Expect", $0) }
        #expect(code { () throws(Problem) in try head("POST", "/", headers) } == outcome)
    }

    @Test(
        arguments: [
            (.http11, nil, true), (.http11, "close", false), (.http11, "Close, x", false),
            (.http11, "keep-alive", true), (.http11, "keep-alive, close", false),
            (.http11, "closed", true), (.http10, nil, false), (.http10, "Keep-Alive", true),
            (.http10, "keep-alive, close", false), (.http10, "close", false),
        ] as [(HTTPVersion, String?, Bool)])
    func connectionsAreKeptAsTheVersionSays(
        version: HTTPVersion, connection: String?, keeps: Bool
    ) throws {
        let headers = [local] + (connection.map { [("Connection", $0)] } ?? [])
        #expect(try head("GET", "/", headers, version: version).keepsAlive == keeps)
    }

    @Test func foreignPagesAreForbiddenOnTheUnixSocketToo() {
        let page = [local, ("Origin", "http://evil.example")]
        for peer in [Self.tcp, Self.unix] {
            let outcome = code { () throws(Problem) in try head("GET", "/", page, peer: peer) }
            #expect(outcome == "403 ORIGIN_FORBIDDEN")
        }
    }

    @Test func aForeignHostIsToldBeforeItsOrigin() {
        let rebound = [("Host", "evil.example"), ("Origin", "http://evil.example")]
        #expect(code { () throws(Problem) in try head("GET", "/", rebound) } == "421 HOST_UNKNOWN")
    }

    @Test func aPreflightOfAConfiguredOriginIsRecognised() throws {
        let page = [local, ("Origin", "https://dash.example")]
        let asking = [
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "event-type"),
        ]
        let head = try head("OPTIONS", "/topics/a", page + asking)
        let preflight = Preflight(method: "POST", headers: "event-type")
        #expect(head.preflight == preflight && !preflight.asksForPrivateNetwork)
        #expect(try self.head("OPTIONS", "/topics/a", page).preflight == nil)
        #expect(try self.head("OPTIONS", "/topics/a", [local] + asking).preflight == nil)
        #expect(try self.head("GET", "/topics/a", page + asking).preflight == nil)
    }

    @Test func versionsAreReadExactly() {
        func version(_ text: String) -> HTTPVersion? {
            Array(text.utf8).withUnsafeBytes { HTTPVersion($0) }
        }
        #expect(version("HTTP/1.0") == .http10)
        #expect(version("HTTP/1.1") == .http11)
        #expect(version("HTTP/1.7") == .http11)
        for other in ["", "HTTP/2.0", "HTTP/1.", "http/1.1", "HTTP/1.10", "HTTP/1.x", "HTTP/0.9"] {
            #expect(version(other) == nil)
        }
    }
}
