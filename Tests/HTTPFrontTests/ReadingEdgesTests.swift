import Glibc
import TestSupport
import Testing

@testable import HTTPFront

/// Requests at the bounds of what is read at once, kept, and waited for.
@Suite(.blocking) struct ReadingEdgesTests {
    private static let host = "Host: localhost\r\n"

    /// The last byte of the first is the last that a look has room for.
    @Test(arguments: LoopServer.Transport.allCases, [-1, 0, 1])
    func aRequestThatFillsALookLeavesTheNextToBeServed(
        _ transport: LoopServer.Transport, more: Int
    ) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        let size = HTTPFrontLimits.receiveBufferBytes + more
        let head = "POST /echo HTTP/1.1\r\n\(Self.host)Content-Length: 12345\r\n\r\n"
        let body = String(repeating: "x", count: size - head.utf8.count)
        let request = head.replacing("12345", with: "\(body.utf8.count)") + body
        try #require(request.utf8.count == size)
        for _ in 0..<2 {
            try client.send(request + "GET /next HTTP/1.1\r\n\(Self.host)\r\n")
            #expect(try client.readAnswer().text == body)
            #expect(try client.readAnswer().text == "next")
        }
    }

    @Test(arguments: ["HTTP/1.0\r\n", "HTTP/1.1\r\nConnection: close\r\n"])
    func aRefusedRequestKeepsToWhatItSaysOfItsConnection(version: String) throws {
        let server = try LoopServer()
        for path in ["/hello", "/other"] {
            let client = try server.connect()
            try client.send("GET \(path) \(version)Host: elsewhere.test\r\n\r\n")
            let answer = try client.readAnswer()
            #expect(answer.status == 421)
            #expect(answer.header("connection") == "close")
            #expect(try client.readToEnd() == [])
        }
    }

    @Test(arguments: LoopServer.Transport.allCases, ["\r\n", "\r\n\r\n\n"])
    func lineEndsBehindARequestKeepNoConnection(
        _ transport: LoopServer.Transport, ends: String
    ) throws {
        let server = try LoopServer { $0.idleSeconds = 1 }
        let client = try server.connect(transport)
        try client.send("GET /hello HTTP/1.1\r\n\(Self.host)\r\n\(ends)")
        #expect(try client.readAnswer().text == "hello")
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test func urgentDataKeepsNoLoopBusy() throws {
        let server = try LoopServer()
        let (client, other) = (try server.connect(.unix), try server.connect(.unix))
        #expect(try client.exchange("GET", "/hello").text == "hello")
        #expect(try other.exchange("GET", "/hello").text == "hello")
        // Not every kernel has it on unix sockets.
        guard send(client.descriptor, "x", 1, Int32(MSG_OOB)) == 1 else { return }
        let arrivals = {
            server.server.loops[0].tasks.first { $0.kind == LoopTask.arrivals.name }?.turns.value
                ?? 0
        }
        let before = arrivals()
        for _ in 0..<20 { #expect(try other.exchange("GET", "/hello").text == "hello") }
        #expect(arrivals() - before <= 25)
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test(arguments: [1, 64, 200])
    func manyShortHeadersAreRead(count: Int) throws {
        let server = try LoopServer()
        let client = try server.connect()
        let headers = (0..<count).map { "x\($0): y\r\n" }.joined()
        for cookies in ["", "Cookie: " + String(repeating: "a=b; ", count: count) + "c=d\r\n"] {
            try client.send("GET /hello HTTP/1.1\r\n\(Self.host)\(headers)\(cookies)\r\n")
            #expect(try client.readAnswer().text == "hello")
        }
    }

    @Test func aHeadOfAsMuchAsMayBeConfiguredIsRead() throws {
        let server = try LoopServer {
            $0.headerBytesMax = HTTPFrontLimits.headerBytesRange.upperBound
        }
        let client = try server.connect()
        let header = "X: " + String(repeating: "y", count: 32_000)
        for _ in 0..<2 {
            try client.send("GET /hello HTTP/1.1\r\n\(Self.host)\(header)\r\n\r\n")
            #expect(try client.readAnswer().text == "hello")
        }
        try client.send("GET /hello HTTP/1.1\r\n\(Self.host)\(header)\(header)\r\n\r\n")
        #expect(try client.readAnswer().status == 431)
    }

    /// The line and the body of the answer say so in the words of RFC 9110 and RFC 6585.
    @Test(arguments: [
        ("GET /\(long) HTTP/1.1\r\n\(host)\r\n", "414 URI Too Long"),
        ("GET / HTTP/1.1\r\n\(host)X: \(long)\r\n\r\n", "431 Request Header Fields Too Large"),
        ("GET / HTTP/2.0\r\n\r\n", "505 HTTP Version Not Supported"),
    ])
    func whatIsTooLongOrOfAnotherVersionIsCalledSo(request: String, status: String) throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send(request)
        let answer = try client.readAnswer()
        #expect(answer.statusLine == "HTTP/1.1 \(status)")
        #expect(answer.text.contains("\"title\":\"\(status.dropFirst(4))\""))
    }

    private static let long = String(repeating: "x", count: HTTPFrontLimits.headerBytesMax)

    @Test func aHashOfAHeadEndsWithItsHead() {
        for text in ["GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\r\n\n", "GET\n\n"] {
            let bytes = Array((text + String(repeating: "\n", count: 1_900)).utf8)
            #expect(bytes.withUnsafeBytes { HeadHash(of: $0)?.value } == nil)
        }
    }

    /// Each value is as long as one may be, and together they are longer than a head that is known.
    @Test func aKnownHeadHasABoundHoweverItsValuesGrow() throws {
        let server = try LoopServer { $0.headerBytesMax = 4 * 1024 }
        let client = try server.connect()
        func ask(_ value: String) throws -> Int {
            let headers = (0..<6).map { "x\($0): \(value)\r\n" }.joined()
            try client.send("GET /hello HTTP/1.1\r\n\(Self.host)\(headers)\r\n")
            return try client.readAnswer().status
        }
        for _ in 0..<3 { #expect(try ask("y") == 200) }
        #expect(try ask(String(repeating: "y", count: 1_000)) == 431)
    }
}
