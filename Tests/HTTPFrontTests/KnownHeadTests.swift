import TestSupport
import Testing

@testable import HTTPFront

/// Which requests are read by a head that libmicrohttpd has read before, without a server.
@Suite struct KnownHeadTests {
    private static let peer = Peer(transport: .unix)
    private static let rules = RequestRules(hosts: HostPolicy(), origins: OriginPolicy())

    /// A head by its lines, what it means, and what it is known by.
    private static func known(_ text: String) -> KnownHead? {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { bytes in
            let lines = RequestHeadReader(bytes)
            let meaning = try? rules.read(
                method: lines.method, target: lines.target, version: lines.version,
                headers: lines.fields, peer: peer
            ).head
            return meaning.flatMap { KnownHead(bytes, of: $0, at: nil) }
        }
    }

    /// What a request means by a known head; nil where it is not like it.
    private static func read(_ text: String, like known: KnownHead) throws -> RequestHead? {
        try Array(text.utf8).withUnsafeBytes { input in
            var match = KnownHead.Match.none
            guard known.match(input, &match) else { return nil }
            #expect(HeadHash(of: input)?.value == known.hash)
            #expect(known.bodyLength(match) == RequestHeadReader(input).bodyLength)
            return try rules.head(
                like: known.meaning,
                target: match.isSameTarget
                    ? nil : UnsafeRawBufferPointer(rebasing: input[match.target]),
                headers: match.headers, peer: peer)
        }
    }

    private static let poll =
        "GET /topics/a?since=1 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/8\r\n"
        + "Accept: */*\r\n\r\n"
    private static let publish =
        "POST /topics/a HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: 1\r\nContent-Length: 5\r\n"
        + "Content-Type: text/plain\r\n\r\n"

    static let alike: [(String, String)] = [
        (poll, poll), (poll, poll.replacing("a?since=1", with: "b%20c?since=2&wait=1s")),
        (poll, poll.replacing("curl/8", with: "curl/7 (x; y)")),
        (poll, poll.replacing("*/*", with: "text/event-stream")),
        (poll, poll.replacing("/topics/a?since=1", with: "/")), (publish, publish),
        (publish, publish.replacing(": 5", with: ": 0")),
        (publish, publish.replacing(": 5", with: ": 123456789012345")),
        (publish, publish.replacing("Id: 1", with: "Id: 7f3a-b").replacing(": 5", with: ": 77")),
        (publish, publish.replacing("text/plain", with: "application/json; charset=utf-8")),
    ]

    @Test(arguments: alike)
    func whatIsLikeItMeansWhatItsLinesSay(text: String, other: String) throws {
        let known = try #require(Self.known(text))
        let read = try #require(try Self.read(other, like: known))
        let meant = try #require(Self.known(other)?.meaning)
        #expect(read.target.raw == meant.target.raw && read.target.path == meant.target.path)
        #expect(read.target.query.map(\.value) == meant.target.query.map(\.value))
        #expect(read.keepsAlive == meant.keepsAlive)
        #expect(read.host == meant.host && read.method == meant.method)
        for name in ["host", "user-agent", "accept", "x-request-id", "content-type"]
            as [StaticString]
        { #expect(read.headers.all(name) == meant.headers.all(name)) }
    }

    @Test(arguments: [
        publish.replacing("localhost", with: "127.0.0.1"), publish.replacing("POST", with: "PUT"),
        publish.replacing("1.1", with: "1.0"), publish.replacing("X-R", with: "x-R"),
        publish.replacing("\r\nContent-Type: text/plain", with: ""),
        publish.replacing("Id: 1", with: "Id: 1\r\nX: y"),
        publish.replacing("Id: 1", with: "Id:  1"),
        publish.replacing("Id: 1", with: "Id: 1 "), publish.replacing("Id: 1", with: "Id: "),
        publish.replacing("Id: 1", with: "Id: \u{E9}"),
        publish.replacing("Id: 1", with: "Id: a\tb"),
        publish.replacing(": 5", with: ": +5"), publish.replacing(": 5", with: ": 5x"),
        publish.replacing(": 5", with: ": 1234567890123456"), publish.replacing(": 5", with: ": "),
        publish.replacing("\r\n", with: "\n"), publish.replacing("/a", with: "/a b"),
        publish.replacing("/a", with: "/a\u{1}"), publish.replacing("/a", with: "/\u{E9}"),
        "\r\n" + publish, String(publish.dropLast()), String(publish.dropLast(2)), "",
    ])
    func whatIsUnlikeItHasToBeParsed(other: String) throws {
        let known = try #require(Self.known(Self.publish))
        #expect(try Self.read(other, like: known) == nil)
    }

    @Test(arguments: [
        "Expect: 100-continue", "Transfer-Encoding: chunked", "Upgrade: h2c",
        "Connection: close, x",
        "Connection: upgrade", "X: \(String(repeating: "y", count: 1_024))",
    ])
    func whatAsksForMoreIsParsedEachTime(header: String) {
        let text = Self.poll.replacing("Accept: */*", with: header)
        #expect(Self.known(text) == nil)
    }

    /// Values that the rules or the connection go by are compared.
    @Test(arguments: [
        "Host: localhost:1", "Connection: close", "Cookie: a=b", "Origin: http://localhost",
        "Sec-Fetch-Site: same-origin", "SEC-FETCH-MODE: cors",
    ])
    func whatARuleGoesByIsCompared(header: String) throws {
        let name = header.prefix { $0 != ":" }
        let text =
            name == "Host"
            ? Self.poll.replacing("Host: localhost", with: header)
            : Self.poll.replacing("Accept: */*", with: header)
        let known = try #require(Self.known(text))
        #expect(try Self.read(text, like: known) != nil)
        let other = text.replacing(header, with: "\(name): none")
        #expect(try Self.read(other, like: known) == nil)
    }

    @Test(arguments: ["/topics/%00", "/a%2Fb", "/%zz", "http://elsewhere.test/a", "a", "*"])
    func aTargetThatBreaksARuleIsRefusedInTheSameWords(target: String) throws {
        let known = try #require(Self.known(Self.poll))
        let text = Self.poll.replacing("/topics/a?since=1", with: target)
        let bytes = Array(text.utf8)
        let words = bytes.withUnsafeBytes { bytes in
            let lines = RequestHeadReader(bytes)
            do throws(Problem) {
                _ = try Self.rules.read(
                    method: lines.method, target: lines.target, version: lines.version,
                    headers: lines.fields, peer: Self.peer)
                return ""
            } catch {
                return error.detail
            }
        }
        do {
            _ = try Self.read(text, like: known)
            #expect(words == "")
        } catch let problem as Problem {
            #expect(problem.detail == words)
        }
    }
}
