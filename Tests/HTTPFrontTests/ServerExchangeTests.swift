import Glibc
import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct ServerExchangeTests {
    @Test(arguments: LoopServer.Transport.allCases)
    func connectionServesOneRequestAfterAnother(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        for round in 0..<5 {
            #expect(try client.exchange("GET", "/hello/\(round)").text == "hello/\(round)")
            let answer = try client.exchange("POST", "/echo", body: Array("body \(round)".utf8))
            #expect(answer.text == "body \(round)")
            #expect(answer.header("Connection") == nil)
        }
        client.close()
        server.expectEmpty()
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() throws {
        let server = try LoopServer()
        let client = try server.connect()
        var requests = ""
        for index in 0..<50 {
            requests += "GET /p/\(index) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        }
        try client.send(requests)
        for index in 0..<50 { #expect(try client.readAnswer().text == "p/\(index)") }
    }

    @Test func answerSentInsideTheHandlerIsDirect() throws {
        let server = try LoopServer()
        let client = try server.connect()
        #expect(try client.exchange("GET", "/direct").text == "direct")
        #expect(try client.exchange("GET", "/posted").text == "posted")
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func answerFromAnotherThreadReachesItsRequest(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        for round in 0..<3 {
            try client.send("POST", "/later", body: Array("x".utf8))
            let reply = try #require(server.replies(1).first)
            #expect(client.isSilent(for: 0.02))
            reply.send(LoopHandler.text("round \(round)"))
            reply.send(LoopHandler.text("again"))
            #expect(try client.readAnswer().text == "round \(round)")
            #expect(try client.exchange("GET", "/hello").text == "hello")
        }
        client.close()
        server.expectEmpty()
    }

    @Test func headHasTheLengthAndNoBody() throws {
        let server = try LoopServer()
        let client = try server.connect()
        let answer = try client.exchange("HEAD", "/size/1000")
        #expect(answer.header("Content-Length") == "1000")
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test(arguments: [0, 1, 4096, 4097, 3_000_000])
    func bodiesOfEverySizeComeBack(_ count: Int) throws {
        let server = try LoopServer()
        let client = try server.connect()
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try client.exchange("POST", "/echo", body: body).body == body)
        #expect(try client.exchange("GET", "/hello").text == "hello")
        client.close()
        server.expectEmpty()
    }

    @Test func chunkedBodyIsPutTogether() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send(
            "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer: t\r\n\r\n")
        #expect(try client.readAnswer().text == "hello, world")
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test func aChunkExtensionIsSkipped() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send(
            "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "7;x=y\r\n, world\r\n0\r\n\r\n")
        #expect(try client.readAnswer().text == ", world")
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test func http10ClosesUnlessAskedToStay() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send("GET /a HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n")
        let kept = try client.readAnswer()
        #expect(kept.text == "a")
        #expect(kept.header("Connection")?.lowercased() == "keep-alive")
        try client.send("GET /b HTTP/1.0\r\nHost: localhost\r\n\r\n")
        let last = try client.readAnswer()
        #expect(last.text == "b")
        #expect(last.header("Connection") == "close")
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test func connectionCloseIsKept() throws {
        let server = try LoopServer()
        let client = try server.connect()
        let answer = try client.exchange("GET", "/a", headers: [("Connection", "close")])
        #expect(answer.header("Connection") == "close")
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test func expectedBodyIsAskedFor() throws {
        let server = try LoopServer()
        let client = try server.connect()
        for (headers, body) in [
            ("Expect: 100-continue\r\nContent-Length: 5\r\n", "hello"),
            ("Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
        ] {
            try client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
            #expect(try client.readInterim().status == 100)
            #expect(client.isSilent(for: 0.02))
            try client.send(body)
            #expect(try client.readAnswer().text == "hello")
        }
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test func longResponseHeadersFindRoom() throws {
        let server = try LoopServer()
        let client = try server.connect()
        for bytes in [100, 6_000, 20_000] {
            let other = try server.connect()
            let answer = try other.exchange("GET", "/header/\(bytes)")
            #expect(answer.header("X-Long")?.utf8.count == bytes)
        }
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }
}
