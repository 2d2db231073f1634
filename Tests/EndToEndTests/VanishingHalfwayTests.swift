import Glibc
import TestSupport
import Testing

/// Clients that have said everything and only listen, as `nc -N` does: they get their answers.
@Suite(.blocking) struct VanishingHalfwayTests {
    private let daemon: RunningDaemon
    private let observer: RawClient

    init() throws {
        daemon = try RunningDaemon()
        observer = try daemon.connect()
        try observer.register("t")
    }

    private func client(_ overUnix: Bool) throws -> RawClient {
        try RawClient(overUnix ? daemon.unix : daemon.tcp)
    }

    @Test(arguments: [false, true])
    func aPublisherGetsItsAnswer(overUnix: Bool) throws {
        for round in 0..<50 {
            let client = try client(overUnix)
            try client.send("POST", "/topics/t", body: Array("\(round)".utf8))
            client.halfClose()
            #expect(try client.readAnswer().status == 201)
            #expect(try client.readToEnd().isEmpty)
        }
        #expect(try observer.exchange("HEAD", "/topics/t").header("event-count") == "50")
    }

    @Test(arguments: [false, true])
    func theEndBehindALaterRequestIsSeenToo(overUnix: Bool) throws {
        for round in 0..<20 {
            let client = try client(overUnix)
            #expect(try client.get("/healthz").status == 200)
            try client.send("POST", "/topics/t", body: Array("\(round)".utf8))
            client.halfClose()
            #expect(try client.readAnswer().status == 201)
            #expect(try client.readToEnd(within: 2).isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func aPublisherThatArrivesInPiecesGetsItsAnswer(overUnix: Bool) throws {
        let client = try client(overUnix)
        try client.send(
            "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n")
        #expect(client.isSilent(for: 0.02))
        try client.send("\r\n5\r\nhel")
        #expect(client.isSilent(for: 0.02))
        try client.send("lo\r\n0\r\n\r\n")
        client.halfClose()
        #expect(try client.readAnswer().status == 201)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test(arguments: [false, true])
    func aWaiterGetsTheEvent(overUnix: Bool) throws {
        for form in ["raw", "json"] {
            let client = try client(overUnix)
            try client.send("GET", "/topics/t?as=\(form)&wait=1h")
            try observer.await(subscribers: 1, of: "t")
            client.halfClose()
            #expect(client.isSilent(for: 0.1), "it still waits")
            try observer.publish("news", to: "t")
            let answer = try client.readAnswer()
            #expect(answer.status == 200 && answer.text.contains("news"))
            #expect(try client.readToEnd().isEmpty)
        }
        try observer.await(subscribers: 0, of: "t")
    }

    @Test(arguments: [false, true])
    func aWaiterThatHalfClosesWithItsRequestGetsTheEvent(overUnix: Bool) throws {
        let clients = try (0..<10).map { _ in
            let client = try client(overUnix)
            try client.send("GET", "/topics/t?wait=1h")
            client.halfClose()
            return client
        }
        try observer.await(subscribers: 10, of: "t")
        try observer.publish("news", to: "t")
        for client in clients {
            #expect(try client.readAnswer().text == "news")
            #expect(try client.readToEnd().isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func aTimeOutIsAnsweredToo(overUnix: Bool) throws {
        let client = try client(overUnix)
        try client.send("GET", "/topics/t?wait=100ms")
        client.halfClose()
        let answer = try client.readAnswer()
        #expect(answer.status == 204 && answer.number("event-cursor") != nil)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test(arguments: [false, true])
    func aLargeAnswerArrivesWhole(overUnix: Bool) throws {
        let size = 3 << 20
        for _ in 0..<4 { try observer.publish(String(repeating: "x", count: size / 4), to: "t") }
        for target in ["/topics/t?since=0&as=json&max=1", "/topics/t?since=latest"] {
            let client = try client(overUnix)
            try client.send("GET", target)
            client.halfClose()
            #expect(try client.readAnswer().body.count >= size / 4)
            #expect(try client.readToEnd().isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func pipelinedRequestsAreAllAnswered(overUnix: Bool) throws {
        let client = try client(overUnix)
        for number in 0..<20 { try client.send("POST", "/topics/t", body: [UInt8(number)]) }
        client.halfClose()
        for _ in 0..<20 { #expect(try client.readAnswer().status == 201) }
        #expect(try client.readToEnd().isEmpty)
    }

    @Test(arguments: [false, true])
    func aRequestThatNeverEndsIsNotServed(overUnix: Bool) throws {
        for part in ["", "GET /heal", "POST /topics/t HTTP/1.1\r\nHost: localhost\r\n"] {
            let client = try client(overUnix)
            try client.send(part)
            client.halfClose()
            let received = String(decoding: try client.readToEnd(), as: UTF8.self)
            #expect(received.isEmpty || received.hasPrefix("HTTP/1.1 4"), "\(received)")
        }
        #expect(try observer.exchange("HEAD", "/topics/t").header("event-count") == "0")
    }
}
