import Glibc
import TestSupport
import Testing

/// HEAD, PUT, DELETE, the list, and single events.
@Suite(.blocking) struct ContractTopicTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon()
        client = try daemon.connect()
    }

    private func names(_ query: String = "") throws -> [String] {
        let answer = try client.get("/topics\(query)")
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "application/json")
        #expect(answer.text.hasPrefix("{\"topics\":["))
        let cursor = try #require(answer.header("event-cursor"))
        let end = try #require(answer.text.firstRange(of: "],\"cursor\":\"\(cursor)\",\"next\":\""))
        #expect(try #/[0-9.]+"}\n/#.wholeMatch(in: answer.text[end.upperBound...]) != nil)
        return answer.text.matches(of: #/"name":"([^"]*)"/#).map { String($0.1) }
    }

    @Test func headSaysWhereASelectorStands() throws {
        let unknown = try client.exchange("HEAD", "/topics/t")
        #expect(unknown.status == 404)
        let before = try #require(unknown.number("event-cursor"))
        let ids = try ["t", "u", "t", "v"].map { try client.publish("x", to: $0) }
        for (selector, oldest, count) in [
            ("t", 0, 2), ("u,v", 1, 2), ("*", 0, 4), ("t,none", 0, 2),
        ] {
            let answer = try client.exchange("HEAD", "/topics/\(selector)")
            #expect(answer.status == 200, "\(selector)")
            #expect(answer.number("event-cursor") == ids[3])
            #expect(answer.number("event-oldest") == ids[oldest])
            #expect(answer.number("event-count") == UInt64(count))
        }
        #expect(before < ids[0])
        #expect(try client.exchange("HEAD", "/topics/none.*").number("event-cursor") == ids[3])
    }

    @Test func putRegistersAndReplaces() throws {
        let made = try client.exchange("PUT", "/topics/t?keep=10&bytes=1M&for=24h")
        #expect(made.status == 201)
        #expect(made.header("content-type") == "application/json")
        #expect(
            made.text.hasPrefix("{\"name\":\"t\",\"registered\":true,\"events\":0,\"published\":0,")
        )
        #expect(made.text.contains("\"subscribers\":0,\"keep\":10,"))
        #expect(made.text.hasSuffix("}\n"))
        let defaults = try client.exchange("PUT", "/topics/other").text
        let replaced = try client.exchange("PUT", "/topics/t")
        #expect(replaced.status == 200)
        #expect(replaced.text == defaults.replacing("\"other\"", with: "\"t\""))
    }

    @Test(arguments: ["keep", "bytes", "for"])
    func noneLiftsABoundAsItDoesInTheFile(parameter: String) throws {
        let member = ["keep": "keep", "bytes": "keep_bytes", "for": "keep_for"][parameter]!
        let bounded = try client.exchange("PUT", "/topics/t?keep=1&bytes=1K&for=1h").text
        let settings = ["keep=1", "bytes=1K", "for=1h"].map { setting in
            setting.hasPrefix(parameter) ? "\(parameter)=none" : setting
        }
        let lifted = try client.exchange(
            "PUT", "/topics/t?" + settings.joined(separator: "&"))
        #expect(lifted.status == 200, "\(lifted.text)")
        #expect(lifted.text.contains("\"\(member)\":null"))
        #expect(!bounded.contains("null,\"keep") && bounded.contains("\"\(member)\":"))
        for wrong in ["NONE", "nil", "null", "", "-1"] {
            let answer = try client.exchange("PUT", "/topics/t?\(parameter)=\(wrong)")
            #expect(answer.status == 400 && answer.member("code") == "PARAMETER_INVALID")
            #expect(answer.member("detail")?.hasSuffix(", or none.") == true)
        }
    }

    @Test func whatHasNoBoundKeepsEverythingOverARestart() throws {
        let folder = TemporaryFolder()
        var daemon = try RunningDaemon(
            configuration: "[retention]\nkeep = 1\n",
            arguments: ["--store", "sqlite:\(folder.path)/belfry.db"])
        for round in 1...2 {
            let client = try daemon.connect()
            if round == 1 { try client.register("t", "?keep=none") }
            try client.publish("x", to: "t")
            try client.publish("x", to: "t")
            #expect(
                try client.exchange("HEAD", "/topics/t").number("event-count") == UInt64(2 * round))
            #expect(try client.get("/topics?match=t").text.contains("\"keep\":null,"))
            daemon = try daemon.restarted()
        }
    }

    @Test func putOnAPublishedTopicKeepsItsEventsUnderTheNewBounds() throws {
        let ids = try (1...5).map { try client.publish("\($0)", to: "t") }
        let answer = try client.exchange("PUT", "/topics/t?keep=2")
        #expect(answer.status == 200 || answer.status == 201)
        #expect(answer.text.contains("\"events\":2"))
        #expect(try client.exchange("HEAD", "/topics/t").number("event-oldest") == ids[3])
    }

    @Test func bytesAndAgeBoundATopicToo() throws {
        try client.register("small", "?bytes=10")
        let large = try client.exchange(
            "POST", "/topics/small", body: Array(repeating: 0, count: 11))
        #expect(large.status == 413 && large.member("code") == "EVENT_TOO_LARGE")
        for text in ["1234", "5678", "9"] { try client.publish(text, to: "small") }
        #expect(try client.exchange("HEAD", "/topics/small").header("event-count") == "3")
        try client.publish("12", to: "small")
        #expect(try client.get("/topics/small?since=earliest").text == "5678")
        try client.register("brief", "?for=1ms")
        let id = try client.publish("x", to: "brief")
        try eventually("it came of age") {
            try client.get("/topics/brief/events/\(id)").status == 410
        }
    }

    @Test func deletionAnswersWhoWaitsForExactlyThatName() throws {
        let ids = try (1...2).map { try client.publish("\($0)", to: "t") }
        let named = try ["raw", "json"].map { form in
            let poller = try daemon.connect()
            try poller.send("GET", "/topics/t?as=\(form)")
            return poller
        }
        let wide = try ["*", "t,u"].map { selector in
            let poller = try daemon.connect()
            try poller.send("GET", "/topics/\(selector)")
            return poller
        }
        try client.await(subscribers: 4, of: "t")
        #expect(try client.exchange("DELETE", "/topics/t").status == 204)
        for poller in named {
            let answer = try poller.readAnswer()
            #expect(answer.status == 410)
            #expect(answer.member("code") == "TOPIC_DELETED")
            #expect(try #require(answer.number("event-cursor")) >= ids[1])
            #expect(answer.header("link") != nil)
        }
        for poller in wide { #expect(poller.isSilent(for: 0.05)) }
        let id = try client.publish("again", to: "t")
        for poller in wide {
            let answer = try poller.readAnswer()
            #expect(answer.number("event-id") == id && answer.header("event-gap") == nil)
        }
        let cursor = try #require(try client.exchange("HEAD", "/topics/t").number("event-cursor"))
        #expect(cursor == id)
    }

    @Test func aDeletionBeforeARequestIsNoneOfItsBusiness() throws {
        for _ in 0..<50 {
            try client.publish("x", to: "t")
            try client.send(
                "DELETE /topics/t HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    + "GET /topics/t?wait=5ms HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.readAnswer().status == 204)
            #expect(try client.readAnswer().status == 204)
        }
    }

    @Test func deletedMeansGone() throws {
        let id = try client.publish("x", to: "t")
        #expect(try client.exchange("DELETE", "/topics/t").status == 204)
        #expect(try client.exchange("HEAD", "/topics/t").status == 404)
        #expect(try client.get("/topics/t/events/\(id)").status == 410)
        #expect(try names() == [])
        #expect(try client.get("/topics/t?since=earliest&wait=0").status == 204)
        let again = try client.exchange("DELETE", "/topics/t")
        #expect(again.status == 404 && again.member("code") == "TOPIC_UNKNOWN")
    }

    @Test func allTopicsOfAPatternAreDeletedAtOnce() throws {
        for topic in ["jobs.1", "jobs.2", "jobs.2.log", "other"] {
            try client.publish("x", to: topic)
        }
        try client.register("jobs.3")
        let poll = try daemon.connect()
        try poll.send("GET", "/topics/jobs.2?wait=30s")
        let list = try daemon.connect()
        try list.send("GET", "/topics/jobs.*?wait=30s&as=json")
        try eventually("both wait") {
            try client.get("/topics?match=jobs.2").text.contains("\"subscribers\":2")
        }
        let answer = try client.exchange("DELETE", "/topics?match=jobs.*")
        #expect(answer.status == 200 && answer.header("content-type") == "application/json")
        #expect(answer.text == "{\"removed\":3,\"denied\":0}\n")
        #expect(try names() == ["jobs.2.log", "other"])
        #expect(try poll.readAnswer().member("code") == "TOPIC_DELETED")
        // Who waits for the pattern had everything, and waits on.
        try client.publish("new", to: "jobs.4")
        let told = try list.readAnswer().text
        #expect(told.contains("\"data\":\"new\"") && told.contains("\"gap\":null"))
        #expect(
            try client.exchange("DELETE", "/topics?match=none.*").text
                == "{\"removed\":0,\"denied\":0}\n")
    }

    @Test func aDeletionHasToSayWhatItDeletes() throws {
        try client.publish("x", to: "t")
        for target in ["/topics", "/topics?match=", "/topics?match=a..b"] {
            let answer = try client.exchange("DELETE", target)
            #expect(answer.status == 400, "\(target)")
            #expect(answer.member("code") == "PARAMETER_INVALID", "\(target)")
        }
        #expect(try names() == ["t"])
        #expect(try client.exchange("DELETE", "/topics?match=%3E").text.contains("\"removed\":1,"))
        #expect(try names() == [])
    }

    @Test func theListIsSortedAndMatched() throws {
        try client.register("b.c")
        for topic in ["b.a", "a", "b.a", "b.a.x"] { try client.publish("12", to: topic) }
        #expect(try names() == ["a", "b.a", "b.a.x", "b.c"])
        #expect(try names("?match=b.*") == ["b.a", "b.c"])
        #expect(try names("?match=b.%3E") == ["b.a", "b.a.x", "b.c"])
        #expect(try names("?match=a") == ["a"])
        #expect(try names("?match=none") == [])
        let entry = try client.get("/topics?match=b.a").text
        #expect(
            entry.contains("{\"name\":\"b.a\",\"registered\":false,\"events\":2,\"published\":2,"))
    }

    @Test func oneEventIsFoundGoneOrUnknown() throws {
        try client.register("t", "?keep=1")
        let gone = try client.publish("1", to: "t")
        let id = try client.publish("2", to: "t", headers: [("Event-Type", "made")])
        let elsewhere = try client.publish("3", to: "u")
        let found = try client.get("/topics/t/events/\(id)")
        #expect(found.status == 200 && found.text == "2")
        #expect(found.header("event-id") == "\(id)" && found.header("event-topic") == "t")
        #expect(found.header("event-type") == "made" && found.header("event-time") != nil)
        #expect(found.header("content-security-policy") == "sandbox")
        let head = try client.exchange("HEAD", "/topics/t/events/\(id)")
        #expect(head.status == 200 && head.header("content-length") == "1")
        let removed = try client.get("/topics/t/events/\(gone)")
        #expect(removed.status == 410 && removed.member("code") == "EVENTS_GONE")
        for other in ["\(elsewhere)", "\(elsewhere + 1_000)", "x", "-1", "9007199254740992"] {
            let unknown = try client.get("/topics/t/events/\(other)")
            #expect(unknown.status == 404 && unknown.member("code") == "EVENT_UNKNOWN", "\(other)")
        }
    }

    @Test func aTopicMadeByPublishingVanishesARegisteredOneStays() throws {
        try client.register("stays", "?for=1ms")
        try client.publish("x", to: "stays")
        try client.publish("x", to: "goes")
        #expect(try client.exchange("PUT", "/topics/goes?for=1ms").status >= 200)
        let fresh = try RunningDaemon(configuration: "[retention]\nfor = 1ms\n")
        let other = try fresh.connect()
        try other.publish("x", to: "goes")
        try eventually("the unregistered topic vanished") {
            try other.exchange("HEAD", "/topics/goes").status == 404
        }
        try eventually("its event came of age") {
            try client.exchange("HEAD", "/topics/stays").header("event-count") == "0"
        }
        #expect(try names("?match=stays") == ["stays"])
    }
}
