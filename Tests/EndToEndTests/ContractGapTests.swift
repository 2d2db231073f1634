import Glibc
import TestSupport
import Testing

/// What a reader is told when events are gone.
@Suite(.blocking) struct ContractGapTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon()
        client = try daemon.connect()
    }

    private func publish(_ count: Int, to topic: String = "t") throws -> [UInt64] {
        try (1...count).map { try client.publish("\($0)", to: topic) }
    }

    @Test func trimmingPastTheCursorIsTold() throws {
        try client.register("t", "?keep=2")
        let ids = try publish(5)
        let raw = try client.get("/topics/t?since=\(ids[0])")
        #expect(raw.status == 200 && raw.text == "4")
        #expect(raw.header("event-gap") == "after=\(ids[0]), through=\(ids[2])")
        #expect(raw.number("event-cursor") == ids[3])
        let next = try client.get("/topics/t?since=\(ids[3])")
        #expect(next.text == "5" && next.header("event-gap") == nil)

        let json = try client.get("/topics/t?as=json&since=\(ids[0])")
        #expect(json.header("event-gap") == "after=\(ids[0]), through=\(ids[2])")
        #expect(
            json.text.hasSuffix(
                "\"cursor\":\"\(ids[4])\",\"gap\":{\"after\":\"\(ids[0])\","
                    + "\"through\":\"\(ids[2])\"}}\n"))
        #expect(json.text.contains("\"data\":\"4\"") && json.text.contains("\"data\":\"5\""))
    }

    @Test func aCursorAtTheLossHasNone() throws {
        try client.register("t", "?keep=2")
        let ids = try publish(5)
        let answer = try client.get("/topics/t?since=\(ids[2])")
        #expect(answer.text == "4" && answer.header("event-gap") == nil)
    }

    @Test(arguments: ["earliest", "0", "now", "latest", "-1", "-5"])
    func positionsThatNeverGap(since: String) throws {
        try client.register("t", "?keep=2")
        _ = try publish(5)
        let answer = try client.get("/topics/t?as=json&wait=0&since=\(since)")
        #expect(answer.status == 200)
        #expect(answer.header("event-gap") == nil)
        #expect(answer.text.hasSuffix("\"gap\":null}\n"))
    }

    @Test func aTimeThatReachesIntoRemovedEventsGaps() throws {
        try client.register("t", "?keep=2")
        let ids = try publish(5)
        for since in ["1h", "@1", "2001-01-01T00:00:00Z"] {
            let answer = try client.get("/topics/t?as=json&since=\(since)")
            #expect(answer.header("event-gap")?.hasSuffix(", through=\(ids[2])") == true)
            #expect(
                answer.text.contains("\"data\":\"4\"") && answer.text.contains("\"data\":\"5\""))
        }
    }

    @Test func strictIsAnErrorInstead() throws {
        try client.register("t", "?keep=2")
        let ids = try publish(5)
        for form in ["raw", "json"] {
            let answer = try client.get("/topics/t?as=\(form)&strict=1&since=\(ids[0])")
            #expect(answer.status == 410)
            #expect(answer.member("code") == "EVENTS_GONE")
            #expect(answer.header("event-gap") == "after=\(ids[0]), through=\(ids[2])")
            let cursor = try #require(answer.header("event-cursor"))
            let next = try client.get("/topics/t?as=\(form)&strict=1&since=\(cursor)")
            #expect(next.status == 200 && next.text.contains("4"))
        }
        #expect(try client.get("/topics/t?strict=1&since=\(ids[2])").text == "4")
        #expect(try client.get("/topics/t?strict=1&since=earliest").text == "4")
    }

    @Test func withNothingRetainedTheGapAloneIsTheAnswer() throws {
        try client.register("t", "?keep=0")
        let ids = try publish(3)
        let raw = try client.get("/topics/t?since=\(ids[0])&wait=1h")
        #expect(raw.status == 204)
        #expect(raw.header("event-gap") == "after=\(ids[0]), through=\(ids[2])")
        #expect(raw.number("event-cursor") == ids[2])
        let json = try client.get("/topics/t?since=\(ids[0])&as=json&wait=1h")
        #expect(json.text.hasPrefix("{\"events\":[],"))
        #expect(json.member("through") == "\(ids[2])")
    }

    @Test func keepNothingStillReachesWhoWaits() throws {
        try client.register("t", "?keep=0")
        let poller = try daemon.connect()
        try poller.send("GET", "/topics/t")
        try client.await(subscribers: 1, of: "t")
        try client.publish("live", to: "t")
        let answer = try poller.readAnswer()
        #expect(answer.text == "live" && answer.header("event-gap") == nil)
    }

    @Test func aBigBatchReachesWhoWaitsWhole() throws {
        try client.register("t", "?keep=1")
        let poller = try daemon.connect()
        try poller.send("GET", "/topics/t?as=json")
        try client.await(subscribers: 1, of: "t")
        let lines = (1...500).map { "\($0)\n" }.joined()
        let batch = try client.exchange("POST", "/topics/t?split=lines", body: Array(lines.utf8))
        #expect(batch.status == 201)
        let answer = try poller.readAnswer()
        #expect(answer.header("event-gap") == nil)
        #expect(answer.text.matches(of: #/"data":"\d+"/#).count == 500)
        #expect(try client.get("/topics/t?since=earliest").text == "500")
    }

    @Test func deletionLeavesALossBehind() throws {
        let ids = try publish(3)
        #expect(try client.exchange("DELETE", "/topics/t").status == 204)
        for selector in ["t", "*", "a,t"] {
            let answer = try client.get("/topics/\(selector)?since=\(ids[0])&wait=1h")
            #expect(answer.status == 204)
            let gap = try #require(answer.header("event-gap"))
            #expect(gap.hasPrefix("after=\(ids[0]), through="))
            let through = try #require(gap.split(separator: "=").last.flatMap { UInt64($0) })
            #expect(through >= ids[2])
        }
        let after = try client.publish("new life", to: "t")
        let told = try client.get("/topics/t?since=\(ids[0])")
        #expect(told.text == "new life" && told.header("event-gap") != nil)
        #expect(told.number("event-id") == after)
        #expect(try client.get("/topics/u?since=\(ids[0])&wait=0").header("event-gap") == nil)
    }

    @Test func aCursorOfAnotherLifeStartsAtTheEarliest() throws {
        let ids = try publish(2)
        let foreign = ids[1] + 1_000_000_000
        let raw = try client.get("/topics/t?since=\(foreign)")
        #expect(raw.status == 200 && raw.text == "1")
        #expect(raw.header("event-gap")?.hasPrefix("after=\(foreign), through=") == true)
        #expect(raw.number("event-cursor") == ids[0])
        let json = try client.get("/topics/t?as=json", headers: [("Last-Event-ID", "\(foreign)")])
        #expect(json.member("after") == "\(foreign)")
        #expect(json.text.contains("\"data\":\"1\"") && json.text.contains("\"data\":\"2\""))
        let strict = try client.get("/topics/t?strict=1&since=\(foreign)")
        #expect(strict.status == 410 && strict.member("code") == "EVENTS_GONE")
        let cursor = try #require(strict.header("event-cursor"))
        #expect(try client.get("/topics/t?strict=1&since=\(cursor)").text == "1")
    }

    @Test func aRestartWithoutADiskGapsEveryOlderCursor() throws {
        let daemon = try RunningDaemon(arguments: ["--store", "memory"])
        let publisher = try daemon.connect()
        let ids = try (0..<2).map { try publisher.publish("\($0)", to: "t") }
        let next = try daemon.restarted()
        let client = try next.connect()
        let answer = try client.get("/topics/t?since=\(ids[1])&wait=1h")
        #expect(answer.status == 204)
        #expect(answer.header("event-gap")?.hasPrefix("after=\(ids[1]), through=") == true)
        let cursor = try #require(answer.header("event-cursor"))
        #expect(try client.get("/topics/t?since=\(cursor)&wait=0").header("event-gap") == nil)
        #expect(try client.publish("x", to: "t") > ids[1])
    }
}
