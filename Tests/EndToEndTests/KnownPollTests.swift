import Glibc
import TestSupport
import Testing

/// Polls whose head is known, which are not parsed, and mean the same.
@Suite(.blocking, .serialized) struct KnownPollTests {
    /// A way of a client to ask from a cursor on.
    private struct Words: CustomTestStringConvertible {
        let testDescription: String
        let request: @Sendable (String) -> String

        init(_ description: String, _ request: @escaping @Sendable (String) -> String) {
            testDescription = description
            self.request = request
        }
    }

    private static func get(_ target: String, _ headers: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n"
    }

    private static let words = [
        Words("raw") { get("/topics/t?since=\($0)&wait=20ms") },
        Words("JSON") { get("/topics/t?as=json&since=\($0)&wait=20ms&max=2") },
        Words("JSON by Accept") {
            get("/topics/t?wait=20ms&since=\($0)", "Accept: application/json\r\n")
        },
        Words("a pattern") { get("/topics/t,u.%3E?as=json&wait=20ms&%73ince=\($0)") },
        Words("a filter") { get("/topics/t?type=a&since=\($0)&wait=20ms") },
        Words("kept alive") {
            get("/topics/t?since=\($0)&wait=20ms", "Connection: keep-alive\r\n")
        },
        Words("strict") { get("/topics/t?strict=1&since=\($0)&wait=20ms") },
        Words("Last-Event-ID") { get("/topics/t?wait=20ms", "Last-Event-ID: \($0)\r\n") },
        Words("Last-Event-ID before since") {
            get("/topics/t?since=latest&wait=20ms", "last-event-id:\($0)\r\nPrefer: a\r\n")
        },
    ]

    /// Has the connection leave the parser with a poll of these words, and be known by the next.
    private func follow(_ words: Words, from cursor: UInt64, on client: RawClient) throws {
        try client.send(words.request("\(cursor)"))
        #expect(try client.readAnswer().status < 300)
    }

    @Test(arguments: words, [false, true])
    private func itIsAnsweredAsOnAFreshConnection(words: Words, overUnix: Bool) throws {
        let daemon = try RunningDaemon(
            configuration: "[retention]\nkeep = 4\ngrace = 0s\n[http]\nloops = 1\n",
            arguments: ["--store", "memory"])
        let address = overUnix ? daemon.unix : daemon.tcp
        let publisher = try daemon.connect()
        let ids = try (0..<8).map {
            try publisher.publish("event \($0)", to: "t", headers: [("Event-Type", "a")])
        }
        let client = try RawClient(address)
        try follow(words, from: ids[7], on: client)
        let before = try publisher.repeats()
        let values =
            ["0", "1", "0000000000000001", "9007199254740991", "9007199254740992"]
            + ["9999999999999999", "00"] + ids.map(String.init)
        for value in values {
            try client.send(words.request(value))
            let again = try client.readAnswer()
            for isParsed in [true, false] {
                let fresh = try RawClient(address)
                let parsed = words.request(value).replacing(
                    "\r\n", with: "\r\nX-Once: \(value)x\r\n", maxReplacements: 1)
                try fresh.send(isParsed ? parsed : words.request(value))
                #expect(again.butWhen() == (try fresh.readAnswer().butWhen()), "\(value)")
            }
        }
        #expect(try publisher.repeats() == before + 2 * values.count)
    }

    @Test(arguments: [false, true]) func everyEventComesOnceByTheNextTarget(overUnix: Bool) throws {
        let daemon = try RunningDaemon()
        let publisher = try daemon.connect()
        try publisher.register("t")
        let client = try RawClient(overUnix ? daemon.unix : daemon.tcp)
        var target = "/topics/t?wait=1h&since=0"
        for number in 0..<50 {
            try client.send("GET", target)
            // Some are answered while they wait, others find their event.
            if number % 3 != 0 { try publisher.await(subscribers: 1, of: "t") }
            try publisher.publish("\(number)", to: "t")
            let answer = try client.readAnswer()
            #expect(answer.status == 200 && answer.text == "\(number)")
            let link = try #require(answer.header("link"))
            target = String(link.dropFirst().prefix { $0 != ">" })
        }
        #expect(try publisher.repeats() > 40)
    }

    @Test(
        arguments: ["", "?wait=1h", "?wait=1h&as=json&type=a", "?wait=1h&"], [false, true])
    func itIsKnownByTheFirstThatHasNoCursor(query: String, overUnix: Bool) throws {
        let daemon = try RunningDaemon()
        let publisher = try daemon.connect()
        try publisher.register("t")
        let client = try RawClient(overUnix ? daemon.unix : daemon.tcp)
        var target = "/topics/t" + query
        for number in 0..<4 {
            try client.send("GET", target)
            try publisher.await(subscribers: 1, of: "t")
            try publisher.publish("\(number)", to: "t", headers: [("Event-Type", "a")])
            let answer = try client.readAnswer()
            #expect(answer.status == 200 && answer.text.contains("\(number)"))
            let cursor = try #require(answer.header("event-cursor"))
            target = "/topics/t" + query + (query.isEmpty ? "?" : "&") + "since=\(cursor)"
        }
        #expect(try publisher.repeats() == 3)
    }

    @Test(arguments: ["?sinc=", "?Since=", "?since=-", "?since=@", "?wait=0&since=", "#since="])
    func anotherParameterThanTheCursorIsParsed(addition: String) throws {
        let daemon = try RunningDaemon(arguments: ["--store", "memory"])
        let publisher = try daemon.connect()
        let id = try publisher.publish("x", to: "t")
        let client = try daemon.connect()
        try client.send("GET", "/topics/t")
        try publisher.await(subscribers: 1, of: "t")
        try publisher.publish("y", to: "t")
        #expect(try client.readAnswer().text == "y")
        let request = Self.get("/topics/t\(addition)\(id)")
        try client.send(request)
        let answer = try client.readAnswer()
        #expect(try publisher.repeats() == 0)
        let fresh = try daemon.connect()
        try fresh.send(request)
        let told = try fresh.readAnswer()
        #expect(answer.status == told.status && answer.text == told.text)
    }

    @Test func itMayBeForAnotherTopicEachTime() throws {
        let daemon = try RunningDaemon(configuration: "[http]\nloops = 1\n")
        let publisher = try daemon.connect()
        let names = ["t", "u", "a.long.name.of-some_segments", "T"]
        for name in names { try publisher.publish("of \(name)", to: name) }
        let before = try publisher.repeats()
        let kept = try daemon.connect()
        for round in 0..<2 {
            for name in names {
                for client in [kept, try daemon.connect()] {
                    try client.send(Self.get("/topics/\(name)?wait=0&max=1&since=0"))
                    let answer = try client.readAnswer()
                    #expect(answer.status == 200 && answer.text == "of \(name)", "\(round)")
                    let cursor = try #require(answer.header("event-cursor"))
                    #expect(
                        answer.header("link")
                            == "</topics/\(name)?wait=0&max=1&since=\(cursor)>; rel=\"next\"")
                }
            }
        }
        try kept.send(Self.get("/topics/a..b?wait=0&max=1&since=0"))
        let refused = try kept.readAnswer()
        #expect(refused.status == 400 && refused.member("code") == "SELECTOR_INVALID")
        // But for the first two of the connection that is kept, and the first of them all.
        #expect(try publisher.repeats() >= before + 14)
    }

    /// What each `curl` sends that waits for the next event.
    @Test(
        arguments: ["/topics/t", "/topics/t?as=json&wait=1h", "/topics/t,u?as=json"], [false, true])
    func theFirstPollOfAConnectionIsKnownWithoutACursor(target: String, overUnix: Bool) throws {
        let daemon = try RunningDaemon(configuration: "[http]\nloops = 1\n")
        let publisher = try daemon.connect()
        try publisher.publish("first", to: "t", headers: [("X-Once", "first")])
        var told: [Answered] = []
        for round in 0..<4 {
            let client = try RawClient(overUnix ? daemon.unix : daemon.tcp)
            try client.send(Self.get(target))
            try publisher.await(subscribers: 1, of: "t")
            // Parsed, so that polls alone are counted.
            let id = try publisher.publish("x", to: "t", headers: [("X-Once", "\(round)")])
            let answer = try client.readAnswer()
            #expect(answer.number("event-cursor") == id)
            told.append(Answered(answer))
            // The same connection with a cursor and without one.
            try client.send(
                Self.get(target + (target.contains("?") ? "&" : "?") + "since=\(id - 1)"))
            #expect(try client.readAnswer().number("event-cursor") == id)
            try client.send(Self.get(target))
            try publisher.await(subscribers: 1, of: "t")
            let next = try publisher.publish("x", to: "t", headers: [("X-Once", "next \(round)")])
            #expect(try client.readAnswer().number("event-cursor") == next)
        }
        #expect(Set(told.map(\.description)).count == 1)
        // All but the first, and the second of that connection, which is not looked at.
        #expect(try publisher.repeats() >= 10)
    }

    @Test func itWaitsAndCountsLikeAnyOther() throws {
        let daemon = try RunningDaemon()
        let publisher = try daemon.connect()
        let id = try publisher.publish("x", to: "t")
        let client = try daemon.connect()
        let words = Words("") { Self.get("/topics/t?since=\($0)&wait=20ms") }
        try follow(words, from: id, on: client)
        let before = try MetricsTests.samples(publisher)
        try client.send(words.request("\(id - 1)"))
        #expect(try client.readAnswer().text == "x")
        try client.send(words.request("9999999999999999"))
        #expect(try client.readAnswer().status == 400)
        let after = try MetricsTests.samples(publisher)
        func grown(_ name: String) -> Double { (after[name] ?? 0) - (before[name] ?? 0) }
        #expect(grown("belfry_http_repeated_requests_total") == 2)
        // The page itself is one more.
        #expect(grown("belfry_http_requests_total") == 3)
        #expect(grown("belfry_http_answers_total") == 3)
        #expect(grown("belfry_delivered_events_total{form=\"raw\"}") == 1)
        #expect(grown("belfry_http_problems_total{code=\"CURSOR_INVALID\"}") == 1)
        #expect(after["belfry_subscribers{form=\"raw\"}"] == 0)
        #expect(grown("belfry_http_accepted_connections_total") == 0)
    }

    @Test func itsLineInTheAccessLogIsLikeAnyOther() throws {
        let log = AccessLogFile()
        let daemon = try RunningDaemon(configuration: log.configuration)
        let publisher = try daemon.connect()
        let id = try publisher.publish("x", to: "t")
        let client = try RawClient(daemon.unix)
        let words = Words("") { Self.get("/topics/t?as=json&since=\($0)&wait=20ms") }
        try follow(words, from: id, on: client)
        for since in ["\(id)", "\(id)", "9999999999999999"] {
            try client.send(words.request(since))
            _ = try client.readAnswer()
        }
        #expect(try publisher.repeats() == 3)
        let lines = try log.lines(4, with: "\"method\":\"GET\",\"path\":\"/topics/t\"")
        #expect(Set(lines[..<3]).count == 1, "\(lines)")
        #expect(lines[3].contains("\"status\":400,\"code\":\"CURSOR_INVALID\""))
        #expect(lines[3].contains("\"pid\":\(getpid())"))
    }

    @Test func rulesThatChangedAreFollowed() throws {
        let access = try AccessDaemon(rules: [])
        let publisher = try access.daemon.connect()
        let id = try publisher.publish("x", to: "t")
        let client = try access.daemon.connect()
        let words = Words("") { Self.get("/topics/t?since=\($0)&wait=20ms") }
        try follow(words, from: id, on: client)
        try client.send(words.request("\(id)"))
        #expect(try client.readAnswer().status == 204)
        #expect(try publisher.repeats() == 1)
        try access.reload(rules: ["t subscribe uid:4000000"])
        try client.send(words.request("\(id)"))
        let refused = try client.readAnswer()
        #expect(refused.status == 403 && refused.member("code") == "ACCESS_DENIED")
        try access.reload(rules: [])
        try client.send(words.request("\(id - 1)"))
        #expect(try client.readAnswer().text == "x")
        #expect(try publisher.repeats() == 1)
    }

    @Test func aTopicThatWasDeletedOrIsNotThereIsToldSo() throws {
        let daemon = try RunningDaemon(configuration: "[bus]\nautocreate = no\n")
        let publisher = try daemon.connect()
        try publisher.register("t")
        let id = try publisher.publish("x", to: "t")
        let client = try daemon.connect()
        let words = Words("") { Self.get("/topics/t?since=\($0)&wait=1h") }
        let quick = Words("") { Self.get("/topics/t?since=\($0)&wait=20ms") }
        try follow(quick, from: id, on: client)
        #expect(try publisher.exchange("DELETE", "/topics/t").status == 204)
        try client.send(quick.request("\(id)"))
        let answer = try client.readAnswer()
        #expect(answer.status == 404 && answer.member("code") == "TOPIC_UNKNOWN")
        #expect(try publisher.repeats() == 1)

        try publisher.register("t")
        for round in 0..<3 {
            // These publishes are parsed, so that polls alone are counted.
            let id = try publisher.publish("y", to: "t", headers: [("X-Once", "y\(round)")])
            try client.send(words.request("\(id)"))
            try publisher.await(subscribers: 1, of: "t")
            guard round < 2 else { break }
            try publisher.publish("z", to: "t", headers: [("X-Once", "z\(round)")])
            #expect(try client.readAnswer().text == "z")
        }
        // Of other words, the first of them was seen, and parsed.
        #expect(try publisher.repeats() == 3)
        #expect(try publisher.exchange("DELETE", "/topics/t").status == 204)
        #expect(try client.readAnswer().member("code") == "TOPIC_DELETED")
    }

    @Test(arguments: [
        ("subscribers = 2\nsubscribers_per_uid = 100", 503, "LIMIT_BUS"),
        ("subscribers = 100\nsubscribers_per_uid = 2", 429, "LIMIT_CALLER"),
        ("subscribers_per_topic = 2", 503, "LIMIT_BUS"),
    ])
    func limitsHoldForItToo(settings: String, status: Int, code: String) throws {
        let daemon = try RunningDaemon(configuration: "[poll]\n\(settings)\n")
        let publisher = try daemon.connect()
        let id = try publisher.publish("x", to: "t")
        let client = try daemon.connect()
        let words = Words("") { Self.get("/topics/t?since=\($0)&wait=20ms") }
        try follow(words, from: id, on: client)
        let others = try (0..<2).map { _ in try daemon.connect() }
        for (index, other) in others.enumerated() {
            try other.send("GET", "/topics/t?wait=1h")
            try publisher.await(subscribers: index + 1, of: "t")
        }
        try client.send(words.request("\(id)"))
        let refused = try client.readAnswer()
        #expect(refused.status == status && refused.member("code") == code)
        // It, and the poll of the second of the others.
        #expect(try publisher.repeats() == 2)
        others[0].close()
        try publisher.await(subscribers: 1, of: "t")
        try client.send(words.request("\(id)"))
        #expect(try client.readAnswer().status == 204)
        #expect(try publisher.repeats() == 3)
        withExtendedLifetime(others) {}
    }

    @Test func aStopAnswersThoseThatWaitAndClosesThoseThatAreIdle() throws {
        let daemon = try RunningDaemon()
        let publisher = try daemon.connect()
        let id = try publisher.publish("x", to: "t")
        let quick = Words("") { Self.get("/topics/t?since=\($0)&wait=20ms") }
        let idle = try daemon.connect()
        try follow(quick, from: id, on: idle)
        let client = try daemon.connect()
        var last = id
        for _ in 0..<3 {
            try client.send(Self.get("/topics/t?since=\(last)&wait=1h"))
            try publisher.await(subscribers: 1, of: "t")
            last = try publisher.publish("y", to: "t")
            #expect(try client.readAnswer().text == "y")
        }
        try client.send(Self.get("/topics/t?since=\(last)&wait=1h"))
        try publisher.await(subscribers: 1, of: "t")
        #expect(try publisher.repeats() == 3)
        daemon.send(SIGTERM)
        let answer = try client.readAnswer()
        #expect(answer.status == 204 && answer.number("event-cursor") == last)
        #expect(answer.header("connection") == "close")
        #expect(try idle.readToEnd().isEmpty)
        #expect(try daemon.wait() == .exited(0))
    }
}
