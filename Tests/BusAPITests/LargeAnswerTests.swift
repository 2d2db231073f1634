import Glibc
import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import HTTPFront

/// Answers that are too large for a loop to write: made on another thread, one after the other, where
/// there is room for them.
@Suite(.blocking) struct LargeAnswerTests {
    private static let large = String(repeating: "\u{1}x", count: 150_000)

    /// A bus with two large events, and its memory.
    private func makeServer(memoryBytes: Int = 64 << 20) throws -> (StreamServer, [EventID]) {
        let server = try StreamServer(memoryBytes: memoryBytes)
        return (server, try (0..<2).map { try server.publish("\($0) " + Self.large, to: "t") })
    }

    /// Has the time of everybody pass who waits.
    private func passTime(of server: StreamServer) {
        server.handles.value[0].onBus { loop in
            for subscription in loop.waits.subscriptions.all {
                (subscription as! StreamingResponse).timedOut()
            }
        }
    }

    @Test func aStreamWhoseBeginningIsNotReadInTimeIsRefused() throws {
        let (server, _) = try makeServer()
        let gate = try server.service.backgroundReads.hold()
        defer { gate.open() }
        let client = try server.connect()
        try client.send("GET", "/topics/t?since=earliest&as=ndjson")
        try server.wait { server.service.waitingCount == 1 }
        passTime(of: server)
        let answer = try client.readAnswer()
        #expect(answer.status == 503 && answer.text.contains("LIMIT_BUS"))
        try server.wait { server.service.waitingCount == 0 }
    }

    private func expect(_ answer: RawClient.Answer, tells ids: [EventID]) {
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/json")
        #expect(answer.header("Event-Cursor") == ids.last?.description)
        #expect(answer.text.hasPrefix("{\"events\":[{\"id\":\"\(ids[0])\","))
        #expect(answer.text.hasSuffix("],\"cursor\":\"\(ids.last!)\",\"gap\":null}\n"))
        #expect(
            answer.text.quoted(behind: #""id":""#) == ids.map(\.description))
        #expect(answer.text.count(of: #"\u0001x"#) == 150_000 * ids.count)
    }

    @Test(arguments: ["wait=0", "wait=60s"])
    func theLoopServesOthersWhileTheyAreMade(_ wait: String) throws {
        let (server, ids) = try makeServer()
        let gate = try server.service.backgroundReads.hold()
        let clients = try (0..<3).map { _ in try server.connect() }
        for client in clients { try client.send("GET", "/topics/t?as=json&since=earliest&\(wait)") }
        try server.wait(forParked: clients.count)
        #expect(try server.connect().exchange("GET", "/healthz").status == 200)
        #expect(server.memory.used(.unsent) == 0)
        gate.open()
        // All are read before any is looked into: one without progress would be refused.
        for answer in try clients.map({ try $0.readAnswer() }) { expect(answer, tells: ids) }
        try server.wait { server.memory.used(.unsent) == 0 }
        // The connection serves the next request.
        #expect(try clients[0].exchange("GET", "/topics/t?as=json&wait=0").text.contains("[]"))
    }

    @Test func manySmallEventsMakeALargeAnswer() throws {
        let server = try StreamServer()
        let ids = try (0..<400).map { try server.publish("\($0)", to: "s") }
        let gate = try server.service.backgroundReads.hold()
        let client = try server.connect()
        try client.send("GET", "/topics/s?as=json&since=earliest&wait=0")
        try server.wait(forParked: 1)
        gate.open()
        let told = try client.readAnswer().text.quoted(behind: #""id":""#)
        #expect(told == ids.map(\.description))
        // As many as were asked for are all there is to write.
        let few = try client.exchange("GET", "/topics/s?as=json&since=earliest&max=3").text
        #expect(few.count(of: #""id":"#) == 3)
    }

    @Test func aRequestBehindItOnTheSameConnectionIsAnsweredToo() throws {
        let (server, ids) = try makeServer()
        let client = try server.connect()
        let head = "GET /topics/t?as=json&since=earliest HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try client.send(head + head)
        for _ in 0..<2 { expect(try client.readAnswer(), tells: ids) }
    }

    @Test func aDrainWaitsForIt() throws {
        let (server, ids) = try makeServer()
        let gate = try server.service.backgroundReads.hold()
        let client = try server.connect()
        try client.send("GET", "/topics/t?as=json&since=earliest")
        try server.wait(forParked: 1)
        let drained = server.beginDrain(within: .seconds(60))
        gate.open()
        expect(try client.readAnswer(), tells: ids)
        try drained.wait()
    }

    @Test func eventsThatGoMeanwhileAreAGap() throws {
        let (server, ids) = try makeServer()
        let gate = try server.service.backgroundReads.hold()
        let client = try server.connect()
        try client.send("GET", "/topics/t?as=json&since=earliest&wait=0")
        try server.wait(forParked: 1)
        try server.remove("t")
        gate.open()
        let answer = try client.readAnswer()
        #expect(answer.text.hasPrefix("{\"events\":[]"))
        #expect(answer.header("Event-Gap")?.hasPrefix("after=\(ids[0].predecessor), ") == true)
    }

    @Test(arguments: ["ndjson", "sse"])
    func aStreamTellsLargeEventsOfThePastAndThenTheNews(_ form: String) throws {
        let (server, ids) = try makeServer()
        let gate = try server.service.backgroundReads.hold()
        let client = try server.connect()
        try client.send("GET", "/topics/t,u?as=\(form)&since=earliest&max=4")
        try server.wait(forParked: 1)
        gate.open()
        #expect(try client.readHead().status == 200)
        let news = try [server.publish("n", to: "u"), server.publish(Self.large, to: "t")]
        var chunks = ChunkedBody()
        var text = ""
        while !chunks.isComplete, let bytes = try client.readSome(within: 60), !bytes.isEmpty {
            text += String(decoding: try chunks.feed(bytes), as: UTF8.self)
        }
        #expect(chunks.isComplete)
        #expect(
            text.quoted(behind: #""id":""#) == (ids + news).map(\.description))
        #expect(text.count(of: #"\u0001x"#) == 150_000 * 3)
        try server.wait { server.memory.used(.unsent) == 0 }
    }

    @Test func newsThatManyWaitForTakesItsMemoryOnce() throws {
        let server = try StreamServer(memoryBytes: 256 << 20)
        let clients = try (0..<30).map { _ in try server.connect(receiveBufferBytes: 4096) }
        for client in clients { try client.send("GET", "/topics/t?as=json") }
        try server.wait { server.service.waitingCount == clients.count }
        let id = try server.publish(Self.large, to: "t")
        try server.wait { server.service.waitingCount == 0 }
        // Each has a head of its own.
        #expect(server.memory.used(.unsent) < 8 * 150_000 + clients.count * 1_000)
        for client in clients { expect(try client.readAnswer(), tells: [id]) }
        try server.wait { server.memory.used(.unsent) == 0 }
    }

    @Test func thoseWhoDoNotReadMakeRoomForThoseWhoDo() throws {
        let (server, ids) = try makeServer(memoryBytes: 16 << 20)
        let target = "/topics/t?as=json&since=earliest"
        let idle = try (0..<6).map { _ in try server.connect(receiveBufferBytes: 4096) }
        for client in idle { try client.send("GET", target) }
        let reader = try server.connect()
        for _ in 0..<3 { expect(try reader.exchange("GET", target), tells: ids) }
        // Two such answers have room, and one may be in the making that is larger than was thought.
        #expect(server.memory.used(.unsent) < 3 * (2 * 7 * 150_000 + 1_000))
        #expect(server.loops[0].shed.value > 0)
        for client in idle { client.close() }
        try server.wait { server.memory.used(.unsent) == 0 }
    }
}
