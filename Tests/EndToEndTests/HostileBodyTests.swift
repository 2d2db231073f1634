import Glibc
import TestSupport
import Testing

/// Bodies that are larger, slower or other than announced.
@Suite(.blocking) struct HostileBodyTests {
    private let daemon: RunningDaemon
    private let bound = 64 << 10

    init() throws {
        daemon = try RunningDaemon(configuration: "[bus]\nevent_bytes = 64K\n")
    }

    private func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
    }

    private func expectNothingPublished() throws {
        #expect(try daemon.connect().get("/topics").text.hasPrefix("{\"topics\":[],"))
    }

    @Test(arguments: [1, 4 << 10, 1 << 20, 16 << 20])
    func aDeclaredBodyOverTheLimitIsRefusedAndReadable(excess: Int) throws {
        let client = try daemon.connect()
        let body = [UInt8](repeating: 0x78, count: bound + excess)
        let answer = try client.exchange("POST", "/topics/t", body: body, within: 60)
        #expect(answer.status == 413)
        ProblemTests.check(answer, "EVENT_TOO_LARGE", "\(excess) too many")
        try expectNothingPublished()
    }

    @Test func aChunkedBodyOverTheLimitIsRefusedAndReadable() throws {
        let client = try daemon.connect()
        try client.send("POST", "/topics/t", headers: [("Transfer-Encoding", "chunked")])
        for _ in 0..<20 { try client.send(chunk([UInt8](repeating: 0x78, count: 4 << 10))) }
        try client.send("0\r\n\r\n")
        let answer = try client.readAnswer()
        #expect(answer.status == 413)
        ProblemTests.check(answer, "EVENT_TOO_LARGE", "chunks")
        try expectNothingPublished()
    }

    @Test func exactlyTheLimitIsFine() throws {
        let client = try daemon.connect()
        let body = [UInt8](repeating: 0x78, count: bound)
        #expect(try client.exchange("POST", "/topics/t", body: body).status == 201)
        try client.send("POST", "/topics/t", headers: [("Transfer-Encoding", "chunked")])
        try client.send(chunk(body) + Array("0\r\n\r\n".utf8))
        #expect(try client.readAnswer().status == 201)
        #expect(try client.get("/topics/t?since=latest").body == body)
    }

    @Test func whoeverAsksFirstIsSparedTheBody() throws {
        let client = try daemon.connect()
        try client.send(
            "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bound + 1)\r\n"
                + "Expect: 100-continue\r\n\r\n")
        let answer = try client.readInterim()
        #expect(answer.status == 413, "no 100 before it")
        try expectNothingPublished()
    }

    @Test func whoeverAsksFirstMaySendWhatFits() throws {
        let client = try daemon.connect()
        for coding in ["Content-Length: 5", "Transfer-Encoding: chunked"] {
            try client.send(
                "POST /topics/t HTTP/1.1\r\nHost: localhost\r\n\(coding)\r\n"
                    + "Expect: 100-Continue\r\n\r\n")
            #expect(try client.readInterim().status == 100)
            #expect(client.isSilent(for: 0.02))
            try client.send(coding.hasPrefix("C") ? "hello" : "5\r\nhello\r\n0\r\n\r\n")
            #expect(try client.readAnswer().status == 201)
        }
        #expect(try client.get("/topics/t?since=latest").text == "hello")
    }

    @Test func whoeverAsksFirstAndThenSendsTooMuchIsRefused() throws {
        let client = try daemon.connect()
        try client.send(
            "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
                + "Expect: 100-continue\r\n\r\n")
        #expect(try client.readInterim().status == 100)
        try client.send(chunk([UInt8](repeating: 0x78, count: bound)))
        try client.send(chunk([0x78]) + Array("0\r\n\r\n".utf8))
        let answer = try client.readAnswer()
        #expect(answer.status == 413)
        ProblemTests.check(answer, "EVENT_TOO_LARGE", "one byte too many")
        try expectNothingPublished()
    }

    @Test func aRefusalThatNeedsNoBodyComesBeforeIt() throws {
        for request in [
            "POST /topics/t HTTP/1.1\r\nHost: example.com\r\n",
            "PUT /topics/t HTTP/1.1\r\nHost: localhost\r\n",
            "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n",
        ] {
            let client = try daemon.connect()
            try client.send(
                request + "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
            let answer = try client.readInterim()
            #expect([421, 400, 403].contains(answer.status), "\(request)")
        }
        try expectNothingPublished()
    }

    @Test func aFloodIsCutOff() throws {
        let client = try daemon.connect()
        try client.send("POST", "/topics/t", headers: [("Content-Length", "1000000000000")])
        let piece = [UInt8](repeating: 0x78, count: 1 << 20)
        var sent = 0
        while sent < 256 << 20, try client.sendUnlessClosed(piece) { sent += piece.count }
        // As much is thrown away while reading as while the answer is out, 32 MiB each; the rest is
        // what the kernel holds of it.
        #expect(sent < 96 << 20, "the daemon read \(sent) bytes of a refused body")
        try expectNothingPublished()
        #expect(try daemon.terminate() == .exited(0))
    }

    @Test func halfABodyPublishesNothing() throws {
        for body in [
            "Content-Length: 5\r\n\r\nhel", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        ] {
            let client = try daemon.connect()
            try client.send("POST /topics/t HTTP/1.1\r\nHost: localhost\r\n\(body)")
            client.halfClose()
            let received = String(decoding: try client.readToEnd(), as: UTF8.self)
            #expect(received.isEmpty || received.hasPrefix("HTTP/1.1 4"), "\(received)")
        }
        try expectNothingPublished()
    }
}
