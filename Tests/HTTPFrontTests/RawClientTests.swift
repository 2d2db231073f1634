import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct RawClientTests {
    private func answers(
        to script: String, count: Int = 1, toHead: Bool = false, closes: Bool = true
    ) throws -> [RawClient.Answer] {
        let listener = try LoopbackListener(.ipv4)
        let client = try RawClient(listener.address)
        var server: ServerEnd? = try listener.accept()
        server?.write(script.replacing("\n", with: "\r\n"))
        if closes { server = nil }
        defer { server = nil }
        return try (0..<count).map { _ in try client.readAnswer(toHead: toHead, within: 0.2) }
    }

    @Test func answersAreReadOneAfterTheOther() throws {
        let answers = try answers(
            to: "HTTP/1.1 200 OK\nX:  a\nContent-Length: 3\n\nabcHTTP/1.1 204 No Content\n\n",
            count: 2)
        #expect(answers.map(\.status) == [200, 204])
        #expect(answers[0].text == "abc")
        #expect(answers[0].header("x") == "a")
        #expect(answers[1].body == [])
    }

    @Test func chunksAreJoined() throws {
        let answer = try answers(
            to: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3;x\nabc\nA\n0123456789\n0\n\n")[0]
        #expect(answer.text == "abc0123456789")
    }

    @Test func withoutALengthTheEndOfTheConnectionEndsTheBody() throws {
        #expect(try answers(to: "HTTP/1.0 200 OK\n\nrest")[0].text == "rest")
    }

    @Test func interimAnswersAreSkippedAndHeadHasNoBody() throws {
        let answer = try answers(
            to: "HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\nContent-Length: 3\n\n", toHead: true)[0]
        #expect(answer.status == 200)
        #expect(answer.body == [])
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\nContent-Length: 3\nContent-Length: 3\n\nabc",
        "HTTP/1.1 200 OK\nContent-Length: 3\nTransfer-Encoding: chunked\n\nabc",
        "HTTP/1.1 200 OK\nContent-Length: x\n\n", "HTTP/1.1 abc OK\n\n", "nonsense\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nxyz\n",
    ])
    func brokenFramingIsNotForgiven(script: String) {
        let error = #expect(throws: RawClient.Failure.self) { try answers(to: script) }
        guard case .malformed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func anAnswerThatStopsShortIsTold() {
        #expect(throws: RawClient.Failure.closed(received: "ab")) {
            try answers(to: "HTTP/1.1 200 OK\nContent-Length: 3\n\nab")
        }
        #expect(throws: RawClient.Failure.timedOut(received: "ab")) {
            try answers(to: "HTTP/1.1 200 OK\nContent-Length: 3\n\nab", closes: false)
        }
    }

    @Test func requestsAreSentAsWritten() throws {
        for kind in LoopbackListener.usable {
            let (client, server) = try LoopbackListener(kind).connect()
            defer { client.close() }
            try client.send("POST", "/x", headers: [("X", "y")], body: [0x61])
            let expected =
                "POST /x HTTP/1.1\r\nHost: localhost\r\nX: y\r\nContent-Length: 1\r\n\r\na"
            #expect(server.awaitBytes(expected.utf8.count))
            #expect(server.read(1000) == expected)
        }
    }
}
