import Glibc
import TestSupport
import Testing

/// What a stream says before its first event, and who is refused one.
@Suite(.blocking) struct ContractStreamOpeningTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon(configuration: "[poll]\nsubscribers = 2\n")
        client = try daemon.connect()
    }

    @Test func anEventStreamBeginsAtOnceWithItsCursor() throws {
        let id = try client.publish("x", to: "t")
        let stream = try daemon.stream("/topics/t?as=sse", .events(areEnvelopes: false))
        #expect(stream.answer.statusLine == "HTTP/1.1 200 OK")
        #expect(stream.answer.header("content-type") == "text/event-stream")
        #expect(stream.answer.header("event-cursor") == "\(id)")
        #expect(stream.answer.header("x-accel-buffering") == "no")
        #expect(stream.answer.header("vary") == "Accept, Prefer, Last-Event-ID, Origin")
        #expect(stream.answer.header("event-gap") == nil)
        #expect(try stream.next(1) == [.cursor(id)])
    }

    @Test func itsFirstBytesAreASignOfLifeTheRetryAndTheCursor() throws {
        let id = try client.publish("x", to: "t")
        let answer = try client.get("/topics/t?as=sse&wait=0")
        #expect(answer.text.wholeMatch(of: #/:\nretry: \d{4}\nid: (\d+)\n\n/#)?.1 == "\(id)")
    }

    /// Libraries that hand on every block would take one without data for an empty message.
    @Test func eventsAtHandSayTheCursorOfAnEventStreamThemselves() throws {
        let big = String(repeating: "x", count: 900 << 10)
        for (topic, payload) in [("t", "x"), ("big", big)] {
            let ids = try (0..<2).map { _ in try client.publish(payload, to: topic) }
            let blocks = ids.map { "id: \($0)\ndata: \(payload)\n\n" }
            for (since, shown) in [
                ("earliest", blocks), ("-1", [blocks[1]]), ("\(ids[0])", [blocks[1]]),
            ] {
                let answer = try client.get("/topics/\(topic)?as=sse&wait=0&since=\(since)")
                let text = answer.text
                let opening = try #require(text.prefixMatch(of: #/:\nretry: \d{4}\n/#))
                // Compared first: a big one is too much to be shown.
                let isSame = text[opening.range.upperBound...].hasPrefix(shown.joined())
                #expect(isSame, "\(topic) \(since)")
            }
        }
    }

    @Test func aGapThatComesFirstSaysTheCursorOfAnEventStreamItself() throws {
        try client.register("t", "?keep=1")
        let ids = try (1...3).map { try client.publish("\($0)", to: "t") }
        let gap = """
            id: \(ids[0])
            event: $gap
            data: {"after":"\(ids[0])","through":"\(ids[1])"}


            """
        let retry = #/retry: \d+\n/#
        for (query, rest) in [
            ("", "id: \(ids[2])\ndata: 3\n\n"), ("&type=none", "id: \(ids[2])\n\n"),
            ("&type=none&cursors=no", ""),
        ] {
            let answer = try client.get("/topics/t?as=sse&wait=0&since=\(ids[0])\(query)")
            #expect(answer.text.replacing(retry, with: "") == ":\n\(gap)\(rest)", "\(query)")
        }
    }

    @Test func anEventStreamWithoutCursorsHasNoBlockWithoutData() throws {
        let id = try client.publish("x", to: "t")
        let elsewhere = try client.publish("y", to: "u")
        let retry = #/retry: \d+\n/#
        for (query, rest) in [
            ("wait=0", ""), ("since=earliest&wait=0", "id: \(id)\ndata: x\n\n"),
            ("since=earliest&max=1", "id: \(id)\ndata: x\n\n"),
        ] {
            let answer = try client.get("/topics/t?as=sse&cursors=no&\(query)")
            #expect(answer.text.replacing(retry, with: "") == ":\n\(rest)", "\(query)")
            let cursor = query.hasPrefix("wait") ? elsewhere : id - 1
            #expect(answer.number("event-cursor") == cursor)
        }
        let all = try client.get("/topics/t?as=sse&cursors=yes&since=earliest&wait=0").text
        #expect(all.hasSuffix("id: \(id)\ndata: x\n\nid: \(elsewhere)\n\n"))
    }

    @Test func aDeletedTopicEndsAnEventStreamWithoutCursorsInSilence() throws {
        let id = try client.publish("x", to: "t")
        let asked = try daemon.connect()
        try asked.send("GET", "/topics/t?as=sse&cursors=no&since=earliest")
        _ = try asked.readHead()
        try client.await(subscribers: 1, of: "t")
        #expect(try client.exchange("DELETE", "/topics/t").status == 204)
        var chunks = ChunkedBody()
        var text = ""
        while !chunks.isComplete, let bytes = try asked.readSome(within: 60) {
            text += String(decoding: try chunks.feed(bytes), as: UTF8.self)
        }
        #expect(text.wholeMatch(of: #/:\nretry: \d+\nid: (\d+)\ndata: x\n\n/#)?.1 == "\(id)")
    }

    @Test func linesBeginAtOnceWithTheirCursor() throws {
        let id = try client.publish("x", to: "t")
        let answer = try client.get("/topics/t?as=ndjson&wait=0")
        #expect(answer.header("content-type") == "application/x-ndjson")
        #expect(answer.header("event-cursor") == "\(id)")
        #expect(answer.text == "{\"cursor\":\"\(id)\"}\n")
    }

    @Test func eachReaderIsToldItsOwnTimeToComeBackAfter() throws {
        var times: Set<Int> = []
        for _ in 0..<20 {
            let text = try client.get("/topics/t?as=sse&wait=0").text
            let time = try #require(text.firstMatch(of: #/retry: (\d+)\n/#)?.1)
            times.insert(try #require(Int(time)))
        }
        #expect(times.allSatisfy { (1_000...5_000).contains($0) })
        #expect(times.count > 10)
    }

    @Test(
        arguments: [
            ("?wait=0", "text/event-stream", "text/event-stream"),
            ("?wait=0", "application/x-ndjson", "application/x-ndjson"),
            ("?wait=0", "text/html, TEXT/Event-Stream;q=0.9, */*;q=0.8", "text/event-stream"),
            ("?wait=0&as=ndjson", "text/event-stream", "application/x-ndjson"),
            ("?wait=0&as=sse", "application/json", "text/event-stream"),
            ("?wait=0&as=json", "text/event-stream", "application/json"),
            ("?wait=0", "application/x-ndjson;q=0.5, application/json", "application/json"),
        ])
    func theFormIsAskedForByParameterOrElseByAccept(
        query: String, accept: String, type: String
    ) throws {
        let answer = try client.get("/topics/t\(query)", headers: [("Accept", accept)])
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == type)
    }

    @Test func headSaysWhereItStandsWhateverTheForm() throws {
        let id = try client.publish("x", to: "t")
        for form in ["text/event-stream", "application/x-ndjson"] {
            let answer = try client.exchange("HEAD", "/topics/t", headers: [("Accept", form)])
            #expect(answer.status == 200 && answer.header("event-cursor") == "\(id)")
            #expect(answer.header("transfer-encoding") == nil)
        }
    }

    @Test(arguments: StreamAsked.allCases)
    func everyWayToBeginMeansItsPlace(asked: StreamAsked) throws {
        let ids = try (1...4).map { try client.publish("\($0)", to: "t") }
        for (since, cursor, payloads) in [
            ("earliest", ids[0] - 1, ["1", "2", "3", "4"]), ("latest", ids[3] - 1, ["4"]),
            ("-2", ids[2] - 1, ["3", "4"]), ("\(ids[1])", ids[1], ["3", "4"]),
            ("now", ids[3], []), ("\(ids[3])", ids[3], []),
        ] as [(String, UInt64, [String])] {
            let stream = try daemon.stream(
                "/topics/t?as=\(asked)&wait=0&since=\(since)", asked.form)
            let told = try stream.rest()
            #expect(told.first == .cursor(cursor), "\(since)")
            #expect(told.payloads == payloads, "\(since)")
            #expect(told.gaps.isEmpty)
        }
        let resumed = try daemon.stream(
            "/topics/t?as=\(asked)&wait=0&since=earliest", asked.form,
            headers: [("Last-Event-ID", "\(ids[2])")])
        #expect(try resumed.rest().payloads == ["4"])
    }

    @Test(arguments: StreamAsked.allCases)
    func aGapIsToldBeforeTheFirstEvent(asked: StreamAsked) throws {
        try client.register("t", "?keep=2")
        let ids = try (1...5).map { try client.publish("\($0)", to: "t") }
        let stream = try daemon.stream(
            "/topics/t?as=\(asked)&wait=0&since=\(ids[0])", asked.form)
        #expect(stream.answer.header("event-gap") == "after=\(ids[0]), through=\(ids[2])")
        let told = try stream.rest()
        #expect(
            Array(told.prefix(2))
                == [.cursor(ids[0]), .gap(ToldGap(after: ids[0], through: ids[2]))])
        #expect(told.payloads == ["4", "5"])
    }

    @Test(arguments: StreamAsked.allCases)
    func aCursorOfAnotherLifeBeginsAtTheEarliest(asked: StreamAsked) throws {
        let id = try client.publish("only", to: "t")
        let foreign = id + 1_000_000_000
        let stream = try daemon.stream(
            "/topics/t?as=\(asked)&wait=0&since=\(foreign)", asked.form)
        let told = try stream.rest()
        #expect(told.first == .cursor(foreign))
        #expect(told.gaps.map(\.after) == [foreign])
        #expect(told.payloads == ["only"])
    }

    @Test(arguments: StreamAsked.allCases)
    func aStrictReaderGetsAnErrorInstead(asked: StreamAsked) throws {
        try client.register("t", "?keep=1")
        let ids = try (1...3).map { try client.publish("\($0)", to: "t") }
        let answer = try client.get("/topics/t?as=\(asked)&strict=1&since=\(ids[0])")
        #expect(answer.status == 410 && answer.member("code") == "EVENTS_GONE")
        #expect(answer.header("event-gap") == "after=\(ids[0]), through=\(ids[1])")
        #expect(answer.number("event-cursor") == ids[1])
        let fine = try client.get("/topics/t?as=\(asked)&strict=1&since=\(ids[1])&wait=0")
        #expect(fine.status == 200 && fine.text.contains("3"))
    }

    @Test(
        arguments: [
            ("?as=ndjson&envelope=yes", "'envelope'"), ("?envelope=no", "'envelope'"),
            ("?as=sse&envelope=maybe", "yes or no"), ("?as=sse&max=0", "'max'"),
            ("?as=ndjson&cursors=no", "'cursors'"), ("?cursors=yes", "'cursors'"),
            ("?as=sse&cursors=0", "yes or no"), ("?as=sse&named=1", "yes or no"),
            ("?as=ndjson&named=yes", "'named'"), ("?named=no", "'named'"),
            ("?as=sse&envelope=yes&named=yes", "envelope=no"),
            (",u?as=sse&named=no", "envelope=no"),
            ("?as=sse&max=2147483648", "'max'"), ("?as=sse&wait=2h", "'wait'"),
            ("?as=xml", "raw or json or ndjson or sse"),
        ])
    func whatCannotBeIsNamed(query: String, words: String) throws {
        let answer = try client.get("/topics/t\(query)")
        #expect(answer.status == 400 && answer.member("code") == "PARAMETER_INVALID")
        #expect(answer.text.contains(words), "\(answer.text)")
    }

    @Test func streamsAndPollsCountAlike() throws {
        let stream = try daemon.stream("/topics/t?as=sse", .events(areEnvelopes: false))
        let poller = try daemon.connect()
        try poller.send("GET", "/topics/t")
        try client.register("t")
        try client.await(subscribers: 2, of: "t")
        let ended = try client.get("/topics/t?as=sse")
        #expect(ended.status == 200 && ended.text.hasPrefix(": LIMIT_BUS "))
        for form in ["ndjson", "raw"] {
            let answer = try client.get("/topics/t?as=\(form)")
            #expect(answer.status == 503 && answer.member("code") == "LIMIT_BUS")
            #expect(answer.header("retry-after") == "1")
        }
        let receipt = try client.exchange("POST", "/topics/t", body: Array("x".utf8))
        #expect(receipt.text.contains("\"subscribers\":2"))
        stream.client.close()
        try client.await(subscribers: 0, of: "t")
        #expect(try daemon.stream("/topics/t?as=ndjson", .lines).answer.status == 200)
    }

    @Test func whereTopicsAreNotMadeByAskingThereIsNoStreamOfNothing() throws {
        let daemon = try RunningDaemon(configuration: "[bus]\nautocreate = no\n")
        let answer = try daemon.connect().get("/topics/t?as=sse")
        #expect(answer.status == 404 && answer.member("code") == "TOPIC_UNKNOWN")
    }
}
