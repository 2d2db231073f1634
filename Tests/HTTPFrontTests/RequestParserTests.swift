import Telemetry
import TestSupport
import Testing

@testable import HTTPFront

/// libmicrohttpd as the parser of requests that are there.
@Suite struct RequestParserTests {
    private let parser: RequestParser
    private let memory = MemoryBudget(bytesMax: 1 << 20)

    init() throws {
        parser = try RequestParser(memoryBytes: HTTPFrontLimits.smallParserBytes)
    }

    /// Has the parser read `text`, which we see as `seen`.
    private func read(_ text: String, as seen: String? = nil, isWhole: Bool = true)
        -> ActiveRequest?
    {
        let (bytes, seen) = (Array(text.utf8), Array((seen ?? text).utf8))
        return bytes.withUnsafeBytes { bytes in
            seen.withUnsafeBytes { seen in
                try? parser.read(
                    bytes,
                    RequestParser.Job(
                        number: 1, head: RequestHeadReader(seen), isWhole: isWhole,
                        rules: RequestRules(hosts: HostPolicy(), origins: OriginPolicy()),
                        peer: Peer(transport: .unix), memory: memory))
            }
        }
    }

    private static let host = "Host: localhost\r\n"

    @Test func aRequestIsReadWithItsLineAndHeaders() throws {
        let request = try #require(
            read("POST /a/b?c=d HTTP/1.1\r\n\(Self.host)X-A: b c\r\nContent-Length: 2\r\n\r\nxy"))
        let head = try #require(request.head)
        #expect(head.method == "POST")
        #expect(head.target.raw == "/a/b?c=d")
        #expect(head.target.path == ["a", "b"])
        #expect(head.headers.count == 2)
        #expect(head.headers.first("x-a") == "b c")
        #expect(request.bodyLength == .counted(2))
        #expect(head.keepsAlive)
    }

    /// Its answers are thrown away again and again; a connection that ends is followed by another.
    @Test func manyAreReadOneAfterTheOther() {
        var texts: [String] = []
        for number in 0..<(3 * HTTPFrontLimits.parserAnswersMax) {
            let body = String(repeating: "x", count: number % 7)
            texts.append(
                "POST /a/\(number) HTTP/1.1\r\n\(Self.host)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            if number % 5 == 0 { texts.append("GET /b HTTP/1.0\r\n\(Self.host)\r\n") }
            if number % 9 == 0 {
                texts.append("GET /c HTTP/1.1\r\n\(Self.host)Connection: close\r\n\r\n")
            }
        }
        for text in texts {
            let target = text.split(separator: " ")[1]
            #expect(read(text)?.head?.target.raw == String(target))
        }
    }

    @Test(arguments: [
        "Content-Length: 9\r\n", "Transfer-Encoding: chunked\r\n",
        "Expect: 100-continue\r\nContent-Length: 5\r\n",
    ])
    func aHeadIsReadWithoutItsBody(framing: String) {
        for _ in 0..<3 {
            let request = read("POST /a HTTP/1.1\r\n\(Self.host)\(framing)\r\n", isWhole: false)
            #expect(request?.head?.target.raw == "/a")
            #expect(read("GET /b HTTP/1.1\r\n\(Self.host)\r\n")?.head?.target.raw == "/b")
        }
    }

    @Test func aRequestThatBreaksARuleIsReadAndRefused() throws {
        let request = try #require(
            read("GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"))
        #expect(request.head == nil)
        #expect(request.refusal?.status == 400)
    }

    /// Nothing of it is left for the next.
    @Test func whatLibmicrohttpdSeesInAnotherWayIsNotRead() {
        let next = "GET /next HTTP/1.1\r\n\(Self.host)\r\n"
        let get = "GET /a HTTP/1.1\r\n\(Self.host)X: a\r\n\r\n"
        let post = "POST /a HTTP/1.1\r\n\(Self.host)Content-Length: "
        for (text, seen) in [
            (get, get.replacing("GET", with: "PUT")), (get, get.replacing("/a", with: "/b")),
            (get, get.replacing("1.1", with: "1.0")), (get, get.replacing("X", with: "Y")),
            (get, get.replacing("X: a", with: "X: b")), (get, get.replacing("X: a", with: "X: aa")),
            (get, get.replacing("X: a\r\n", with: "")), (get, "GET /a HTTP/1.1\r\n\r\n"),
            (get.replacing("X: a", with: "X: a\u{0}b"), nil),
            (get.replacing("X: a", with: "X: a\r\n b"), nil),
            ("GET /a HTTP/1.1\r\n", nil), ("GET /a HTTP/1.1\r\n", next),
            (post + "1\r\n\r\nxGET /smuggled HTTP/1.1\r\n\(Self.host)\r\n", nil),
            (post + "100\r\n\r\nx", nil), (post + "1\r\n\r\n", nil), (next + next, nil),
            ("\u{1}\r\n\r\n", nil),
        ] as [(String, String?)] {
            #expect(read(text, as: seen) == nil, "\(text)")
            #expect(read(next)?.head?.target.raw == "/next")
        }
    }
}
