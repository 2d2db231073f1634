import Glibc
import TestSupport
import Testing

/// Requests whose head is known, which libmicrohttpd does not read again, and mean the same.
@Suite(.blocking, .serialized) struct KnownHeadsTests {
    private func post(
        _ body: String, to target: String = "/topics/t", headers: [(String, String)] = []
    ) -> String {
        let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        return "POST \(target) HTTP/1.1\r\nHost: localhost\r\n\(lines)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// A connection whose next publish of these words is known.
    private func publisher(
        _ address: RawClient.Address, target: String = "/topics/t",
        headers: [(String, String)] = []
    ) throws -> RawClient {
        let client = try RawClient(address)
        for number in 0..<2 {
            try client.send(post("known \(number)", to: target, headers: headers))
            #expect(try client.readAnswer().status < 300)
        }
        return client
    }

    private static let forms: [(target: String, headers: [(String, String)])] = [
        ("/topics/t", []),
        ("/topics/t?type=a&key=b", [("Content-Type", "text/plain")]),
        ("/topics/t", [("Event-Type", "a"), ("Event-Key", "k"), ("User-Agent", "x")]),
        ("/topics/t?split=lines", [("Content-Type", "application/x-ndjson")]),
        ("/topics/t", [("Connection", "keep-alive"), ("Accept", "*/*")]),
    ]

    @Test(arguments: 0..<forms.count, [false, true])
    func itPublishesWhatAFreshConnectionWould(form: Int, overUnix: Bool) throws {
        let daemon = try RunningDaemon(
            configuration: "[http]\nloops = 1\n",
            arguments: ["--store", overUnix ? "memory" : "sqlite"])
        let observer = try daemon.connect()
        let address = overUnix ? daemon.unix : daemon.tcp
        let (target, headers) = Self.forms[form]
        let client = try publisher(address, target: target, headers: headers)
        let before = try observer.repeats()
        let bodies = ["x", "{\"a\":1}", "one\ntwo\r\n\nthree", "\u{0}\u{1}", "", "\n\n"]
        for body in bodies {
            try client.send(post(body, to: target, headers: headers))
            let again = try client.readAnswer()
            for isParsed in [true, false] {
                let fresh = try RawClient(address)
                let request = post(body, to: target, headers: headers)
                try fresh.send(isParsed ? request.unknown : request)
                let first = try fresh.readAnswer()
                #expect(Answered(again) == Answered(first), "\(body)")
            }
        }
        #expect(try observer.repeats() == before + 2 * bodies.count)
        let events = try Received(observer, "t").events.dropFirst(2)
        #expect(events.count % 3 == 0)
    }

    @Test(arguments: [false, true], ["memory", "sqlite"])
    func anySequenceMeansWhatItMeansWhereEachIsParsed(overUnix: Bool, store: String) throws {
        var random = SeededRandom(for: "publishes \(overUnix) \(store)")
        let settings = "[bus]\nevent_bytes = 4000\n[http]\nloops = 1\n"
        let daemons = try (0..<2).map { _ in
            try RunningDaemon(configuration: settings, arguments: ["--store", store])
        }
        let addresses = daemons.map { overUnix ? $0.unix : $0.tcp }
        var sequence = RandomRequests()
        // Some requests come over one of several connections, others over a new one.
        var kept = try (0..<3).map { _ in try RawClient(addresses[0]) }
        let neighbour = try daemons[0].connect()
        var step = 0
        // Which are known depends on the random numbers: it goes on until enough of them were.
        while try step < (Sanitizer.isOn ? 100 : 150) || neighbour.repeats() <= 40 {
            try #require(step < 1_000, "hardly a request is known")
            step += 1
            let request = sequence.next(using: &random)
            var told: [Answered] = []
            var wanted: [Answered] = []
            do {
                let index = kept.indices.randomElement(using: &random)!
                if Int.random(in: 0..<4, using: &random) == 0 {
                    kept[index] = try RawClient(addresses[0])
                }
                told = try answers(to: request, over: &kept[index], of: addresses[0]) {
                    // What came so far is seen by itself.
                    _ = try neighbour.get("/healthz")
                }
                for bytes in request.requests {
                    let fresh = try RawClient(addresses[1])
                    try fresh.send(bytes.unknown)
                    if request.closes { fresh.halfClose() }
                    wanted.append(Answered(try fresh.readAnswer(toHead: request.isHead)))
                }
            } catch {
                Issue.record("step \(step), \(request), \(told.count) answers: \(error)")
                throw error
            }
            try #require(told == wanted, "step \(step): \(request)")
        }
        let observers = try daemons.map { try $0.connect() }
        #expect(try observers[1].repeats() == 0)
        for topic in RandomRequests.topics {
            let received = try observers.map { try Received($0, topic) }
            #expect(received[0] == received[1])
            #expect(!received[0].events.isEmpty)
        }
        withExtendedLifetime(daemons) {}
    }

    /// What a step is answered over a connection that is kept, and made anew where it was closed;
    /// `between` runs between two pieces.
    private func answers(
        to step: RandomRequests.Step, over client: inout RawClient, of address: RawClient.Address,
        between: () throws -> Void
    ) throws -> [Answered] {
        var answers: [Answered] = []
        for (index, piece) in step.pieces.enumerated() {
            if index > 0 { try between() }
            try client.send(piece)
        }
        if step.closes { client.halfClose() }
        for _ in step.requests {
            answers.append(Answered(try client.readAnswer(toHead: step.isHead)))
        }
        if step.closes || answers.last?.closes == true {
            #expect(try client.readToEnd() == [])
            client = try RawClient(address)
        }
        return answers
    }

    @Test func whoMayPublishToOneTopicMayNotToAnother() throws {
        let access = try AccessDaemon(rules: ["closed publish uid:4000000"])
        let observer = try access.daemon.connect()
        let client = try publisher(access.daemon.tcp)
        for _ in 0..<2 {
            try client.send(post("x", to: "/topics/closed"))
            let refused = try client.readAnswer()
            #expect(refused.status == 403 && refused.member("code") == "ACCESS_DENIED")
            try client.send(post("x"))
            #expect(try client.readAnswer().status == 201)
        }
        #expect(try observer.repeats() == 5)
        #expect(try observer.get("/topics/closed?since=earliest&wait=0").text == "")
    }

    @Test func itsLineInTheAccessLogIsLikeAnyOther() throws {
        let log = AccessLogFile()
        let daemon = try RunningDaemon(configuration: log.configuration)
        let observer = try daemon.connect()
        let client = try publisher(daemon.unix)
        for _ in 0..<3 {
            try client.send(post("known 3"))
            #expect(try client.readAnswer().status == 201)
        }
        #expect(try observer.repeats() == 4)
        let lines = try log.lines(5, with: "\"method\":\"POST\",\"path\":\"/topics/t\"")
        #expect(Set(lines).count == 1, "\(lines)")
        #expect(lines[0].contains("\"pid\":\(getpid())"))
    }

    @Test func itCountsLikeAnyOther() throws {
        let daemon = try RunningDaemon()
        let observer = try daemon.connect()
        let client = try publisher(daemon.tcp)
        let new = [(String.newHeaderName, "x")]
        let before = try MetricsTests.samples(observer, headers: new)
        for _ in 0..<2 {
            try client.send(post("x"))
            #expect(try client.readAnswer().status == 201)
        }
        let after = try MetricsTests.samples(observer, headers: new + [(.newHeaderName, "x")])
        func grown(_ name: String) -> Double { (after[name] ?? 0) - (before[name] ?? 0) }
        #expect(grown("belfry_http_repeated_requests_total") == 2)
        // The page itself is one more.
        #expect(grown("belfry_http_requests_total") == 3)
        #expect(grown("belfry_http_answers_total") == 3)
        #expect(grown("belfry_published_events_total") == 2)
        #expect(grown("belfry_http_accepted_connections_total") == 0)
    }

    @Test func eachEventHasTheSenderOfItsOwnConnection() throws {
        let daemon = try RunningDaemon(configuration: "[http]\nloops = 1\n")
        let observer = try daemon.connect()
        let kept = try [daemon.unix, daemon.tcp].map { try RawClient($0) }
        for _ in 0..<4 {
            for (index, address) in [daemon.unix, daemon.tcp].enumerated() {
                for client in [kept[index], try RawClient(address)] {
                    try client.send(post("x"))
                    #expect(try client.readAnswer().status == 201)
                    let told = try observer.get("/topics/t?as=json&since=-1").text
                    #expect(told.contains("\"sender\":{\"uid\":\(getuid())"))
                    #expect(told.contains("\"pid\":\(getpid())") == (index == 0), "\(told)")
                }
            }
        }
        #expect(try observer.repeats() >= 12)
    }

    @Test func rulesThatChangedAreFollowed() throws {
        let access = try AccessDaemon(rules: [])
        let observer = try access.daemon.connect()
        let client = try publisher(access.daemon.tcp)
        try client.send(post("x"))
        #expect(try client.readAnswer().status == 201)
        #expect(try observer.repeats() == 2)
        try access.reload(rules: ["t publish uid:4000000"])
        try client.send(post("x"))
        let refused = try client.readAnswer()
        #expect(refused.status == 403 && refused.member("code") == "ACCESS_DENIED")
        #expect(try observer.repeats() == 2)
        try access.reload(rules: [])
        for _ in 0..<8 {
            try client.send(post("x"))
            #expect(try client.readAnswer().status == 201)
        }
        #expect(try observer.repeats() >= 9)
    }

    @Test func limitsThatChangedAreFollowed() throws {
        let access = try AccessDaemon(rules: [])
        let observer = try access.daemon.connect()
        let client = try publisher(access.daemon.tcp)
        let body = String(repeating: "x", count: 3_000)
        try client.send(post(body))
        #expect(try client.readAnswer().status == 201)
        #expect(try observer.repeats() == 2)
        try access.reload(rules: [], settings: "[bus]\nevent_bytes = 2999\n")
        try client.send(post(body))
        let refused = try client.readAnswer()
        #expect(refused.status == 413 && refused.member("code") == "EVENT_TOO_LARGE")
        #expect(refused.header("connection") == "close")
        #expect(try observer.repeats() == 2)
    }
}

// Polls.
extension KnownHeadsTests {
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
        try client.send(words.request("\(ids[7])"))
        #expect(try client.readAnswer().status < 300)
        let before = try publisher.repeats()
        let values =
            ["0", "1", "0000000000000001", "9007199254740991", "9007199254740992"]
            + ["9999999999999999", "00"] + ids.map(String.init)
        for value in values {
            try client.send(words.request(value))
            let again = try client.readAnswer()
            for isParsed in [true, false] {
                let fresh = try RawClient(address)
                let request = words.request(value)
                try fresh.send(isParsed ? request.unknown : request)
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
        // But for the first of them all.
        #expect(try publisher.repeats() >= before + 16)
    }
}

/// What a subscriber gets of a topic from its beginning, but for ids and times.
private struct Received: Equatable {
    let events: [String]

    init(_ client: RawClient, _ topic: String) throws {
        let answer = try client.get("/topics/\(topic)?as=json&since=earliest&wait=0&max=10000")
        #expect(answer.status == 200)
        events = answer.text.split(separator: "{\"id\":").dropFirst().map { event in
            event.split(separator: ",").filter {
                !$0.contains("\"time\":") && $0 != event.split(separator: ",").first
            }.joined(separator: ",").split(separator: "\"cursor\"").first.map(String.init) ?? ""
        }
    }
}

/// Requests of a publisher, most of them like the one before, others of every kind.
private struct RandomRequests {
    static let topics = ["t", "u", "v-1.w_2"]
    /// What stands behind the topic, and headers.
    private static let heads = [
        Head(), Head(headers: "Event-Type: a\r\n"), Head(query: "?split=lines"),
        Head(headers: "Content-Type: text/plain\r\nConnection: keep-alive\r\n"),
        Head(headers: "Connection: close\r\n", closes: true),
        Head(version: "1.0", closes: true),
        Head(headers: "Connection: Keep-Alive\r\n", version: "1.0"),
    ]

    struct Head {
        var query = ""
        var headers = ""
        var version = "1.1"
        /// Whether the connection ends with the answer.
        var closes = false

        func post(to name: String, _ body: String) -> String {
            "POST /topics/\(name)\(query) HTTP/\(version)\r\nHost: localhost\r\n\(headers)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
    }

    /// What only looks like a topic's name, and what is a name otherwise than it looks.
    private static let oddNames = [
        "a..b", ".a", "a.", ".", "..", "t/", "t/events/1", "%74", "$t", "t,u", "*", "t?type=b",
        String(repeating: "n", count: 256), "",
    ]
    private static let others = [
        "HEAD /topics/nobody HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /topics/t?since=now&wait=0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
            + "Content-Length: 2\r\n\r\nab",
        "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: a\r\n"
            + "Content-Length: 2\r\n\r\nab",
        "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\n"
            + "Content-Length: 2\r\n\r\nab",
        "POST /topics/a..b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nab",
        "POST /topics/t?what=x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nab",
        "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
            + "Content-Length: 2\r\n\r\nab",
        "PUT /topics/t HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nab",
        "POST /topics/t HTTP/1.0\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nab",
        "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + "Content-Length: 2\r\n\r\nab",
    ]

    /// Requests that are sent together, in pieces.
    struct Step: CustomStringConvertible {
        var requests: [String]
        var pieces: [[UInt8]]
        var closes = false
        var isHead = false

        var description: String {
            "\(requests) in \(pieces.map(\.count))\(closes ? ", then closed" : "")"
        }
    }

    private var head = Self.heads[0]
    private var name = Self.topics[0]

    private func post(using random: inout SeededRandom) -> String {
        let sizes = [0, 1, 9, 10, 100, 999, 3_999]
        let size =
            Int.random(in: 0..<30, using: &random) == 0
            ? 4_001 : sizes.randomElement(using: &random)!
        let letters = Array("ab\n{}\"")
        let body = String((0..<size).map { _ in letters.randomElement(using: &random)! })
        return head.post(to: name, body)
    }

    mutating func next(using random: inout SeededRandom) -> Step {
        let kind = Int.random(in: 0..<100, using: &random)
        if kind < 8 { head = Self.heads.randomElement(using: &random)! }
        if (5..<30).contains(kind) { name = Self.topics.randomElement(using: &random)! }
        let before = name
        defer { name = before }
        if (30..<36).contains(kind) { name = Self.oddNames.randomElement(using: &random)! }
        if kind >= 92 {
            let request = Self.others.randomElement(using: &random)!
            return Step(
                requests: [request], pieces: [Array(request.utf8)],
                isHead: request.hasPrefix("HEAD"))
        }
        var requests = [post(using: &random)]
        // None that closes in front of another, which would not be answered.
        if kind >= 88, !head.closes {
            requests = (0..<2).map { _ in head.post(to: name, "abc") }
        }
        let bytes = Array(requests.joined().utf8)
        var step = Step(requests: requests, pieces: [bytes])
        if (82..<90).contains(kind) {
            let cut = Int.random(in: 1..<bytes.count, using: &random)
            step.pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
        }
        if kind == 81 { step.closes = true }
        return step
    }
}
