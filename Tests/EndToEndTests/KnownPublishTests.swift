import Glibc
import TestSupport
import Testing

/// Publishes whose head is known, which are not parsed, and mean the same.
@Suite(.blocking, .serialized) struct KnownPublishTests {
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

    @Test(arguments: [false, true])
    func oneThatClosesItsConnectionIsKnownOnTheNext(overUnix: Bool) throws {
        let daemon = try RunningDaemon(configuration: "[http]\nloops = 1\n")
        let observer = try daemon.connect()
        let address = overUnix ? daemon.unix : daemon.tcp
        for head in [
            RandomRequests.Head(headers: "Connection: close\r\n"),
            RandomRequests.Head(headers: "Connection: CLOSE\r\nUser-Agent: x\r\n"),
            RandomRequests.Head(version: "1.0"),
        ] {
            let before = try observer.repeats()
            var answers: [Answered] = []
            for body in ["first", "second", "third"] {
                let client = try RawClient(address)
                try client.send(head.post(to: "t", body))
                answers.append(Answered(try client.readAnswer()))
                #expect(try client.readToEnd() == [])
            }
            #expect(Set(answers.map(\.description)).count == 1 && answers[0].closes)
            #expect(try observer.repeats() == before + 2, "\(head)")
        }
        let events = try Received(observer, "t").events
        #expect(events.count == 9)
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
        for topic in RandomRequests.topics {
            let received = try observers.map { try Received($0, topic) }
            #expect(received[0] == received[1])
            #expect(!received[0].events.isEmpty)
        }
        #expect(try observers[1].repeats() == 0)
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

    @Test(arguments: [false, true])
    func itMayBeToAnotherTopicEachTime(overUnix: Bool) throws {
        let daemon = try RunningDaemon(configuration: "[http]\nloops = 1\n")
        let observer = try daemon.connect()
        let address = overUnix ? daemon.unix : daemon.tcp
        let client = try publisher(address)
        let before = try observer.repeats()
        let names = ["u", "t", "a.long.name.of-some_segments", "T", "0", "t"]
        for name in names {
            try client.send(post("to \(name)", to: "/topics/\(name)"))
            let answer = try client.readAnswer()
            #expect(answer.status == 201 && answer.text.contains("\"topic\":\"\(name)\""))
            #expect(try observer.get("/topics/\(name)?since=-1").text == "to \(name)")
        }
        #expect(try observer.repeats() == before + names.count)
        let fresh = try publisher(address, target: "/topics/x.1")
        for number in 2..<5 {
            try fresh.send(post("x", to: "/topics/x.\(number)"))
            #expect(try fresh.readAnswer().status == 201)
        }
        // Those that made sure of it were known too, on a new connection.
        #expect(try observer.repeats() == before + names.count + 5)
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
        #expect(try observer.repeats() == 4)
        #expect(try observer.get("/topics/closed?since=earliest&wait=0").text == "")
    }

    @Test func itsLineInTheAccessLogNamesItsOwnTopic() throws {
        let log = AccessLogFile()
        let daemon = try RunningDaemon(configuration: log.configuration)
        let client = try publisher(daemon.unix)
        try client.send(post("x", to: "/topics/other.one"))
        #expect(try client.readAnswer().status == 201)
        _ = try log.lines(1, with: "\"method\":\"POST\",\"path\":\"/topics/other.one\"")
    }

    @Test func itCountsLikeAnyOther() throws {
        let daemon = try RunningDaemon()
        let observer = try daemon.connect()
        let client = try publisher(daemon.tcp)
        let before = try MetricsTests.samples(observer)
        for _ in 0..<2 {
            try client.send(post("x"))
            #expect(try client.readAnswer().status == 201)
        }
        let after = try MetricsTests.samples(observer)
        func grown(_ name: String) -> Double { (after[name] ?? 0) - (before[name] ?? 0) }
        #expect(grown("belfry_http_repeated_requests_total") == 2)
        // The page itself is one more.
        #expect(grown("belfry_http_requests_total") == 3)
        #expect(grown("belfry_http_answers_total") == 3)
        #expect(grown("belfry_published_events_total") == 2)
        #expect(grown("belfry_http_accepted_connections_total") == 0)
    }

    @Test(arguments: ["memory", "sqlite"])
    func aSubscriberThatWaitsIsTold(store: String) throws {
        let daemon = try RunningDaemon(arguments: ["--store", store])
        let client = try publisher(daemon.tcp)
        let waiting = try daemon.connect()
        for number in 0..<20 {
            try waiting.send("GET", "/topics/t?wait=1h")
            try client.await(subscribers: 1, of: "t")
            try client.send(post("event \(number)"))
            #expect(try client.readAnswer().text.contains("\"subscribers\":1"))
            #expect(try waiting.readAnswer().text == "event \(number)")
        }
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
        #expect(try observer.repeats() == 3)
        let lines = try log.lines(5, with: "\"method\":\"POST\",\"path\":\"/topics/t\"")
        #expect(Set(lines).count == 1, "\(lines)")
        #expect(lines[0].contains("\"pid\":\(getpid())"))
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
        #expect(try observer.repeats() == 1)
        try access.reload(rules: ["t publish uid:4000000"])
        try client.send(post("x"))
        let refused = try client.readAnswer()
        #expect(refused.status == 403 && refused.member("code") == "ACCESS_DENIED")
        #expect(try observer.repeats() == 1)
        try access.reload(rules: [])
        for _ in 0..<8 {
            try client.send(post("x"))
            #expect(try client.readAnswer().status == 201)
        }
        #expect(try observer.repeats() > 1)
    }

    @Test func limitsThatChangedAreFollowed() throws {
        let access = try AccessDaemon(rules: [])
        let observer = try access.daemon.connect()
        let client = try publisher(access.daemon.tcp)
        let body = String(repeating: "x", count: 3_000)
        try client.send(post(body))
        #expect(try client.readAnswer().status == 201)
        #expect(try observer.repeats() == 1)
        try access.reload(rules: [], settings: "[bus]\nevent_bytes = 2999\n")
        try client.send(post(body))
        let refused = try client.readAnswer()
        #expect(refused.status == 413 && refused.member("code") == "EVENT_TOO_LARGE")
        #expect(refused.header("connection") == "close")
        #expect(try observer.repeats() == 1)
    }

    @Test func aTopicThatWasDeletedIsNotMadeAgainWhereThatIsForbidden() throws {
        let daemon = try RunningDaemon(configuration: "[bus]\nautocreate = no\n")
        let observer = try daemon.connect()
        try observer.register("t")
        let client = try publisher(daemon.tcp)
        #expect(try observer.exchange("DELETE", "/topics/t").status == 204)
        try client.send(post("x"))
        let answer = try client.readAnswer()
        #expect(answer.status == 404 && answer.member("code") == "TOPIC_UNKNOWN")
        #expect(try observer.repeats() == 1)
        try observer.register("t")
        try client.send(post("x"))
        #expect(try client.readAnswer().status == 201)
        #expect(try observer.repeats() == 2)
    }

    @Test func aStopClosesIdleOnesAndRefusesOthers() throws {
        let daemon = try RunningDaemon(configuration: "[daemon]\ndrain_seconds = 10\n")
        let idle = try publisher(daemon.tcp)
        let client = try publisher(daemon.tcp)
        try client.send(post("x"))
        #expect(try client.readAnswer().status == 201)
        // A piece of a request keeps its connection, and is refused when it is whole.
        let request = post("late")
        try client.send(String(request.dropLast(2)))
        _ = try daemon.connect().get("/healthz")
        daemon.send(SIGTERM)
        #expect(try idle.readToEnd().isEmpty)
        try client.send(String(request.suffix(2)))
        let answer = try client.readAnswer()
        #expect(answer.status == 503 && answer.member("code") == "DRAINING")
        #expect(answer.header("connection") == "close")
        #expect(try daemon.wait() == .exited(0))
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
