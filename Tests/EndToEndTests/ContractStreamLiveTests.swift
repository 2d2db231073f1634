import Glibc
import TestSupport
import Testing

/// Streams while they run: what comes, what shows that they live, and what they end by.
@Suite(.blocking) struct ContractStreamLiveTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon()
        client = try daemon.connect()
    }

    @Test(arguments: StreamAsked.allCases)
    func eventsComeAsTheyArePublished(asked: StreamAsked) throws {
        let stream = try daemon.stream("/topics/t?as=\(asked)", asked.form)
        guard case .cursor = try stream.next(1)[0] else { return #expect(Bool(false)) }
        for number in 1...5 {
            let id = try client.publish("\(number)", to: "t")
            let told = try stream.next(1)
            #expect(told.payloads == ["\(number)"] && told.cursors == [id])
        }
    }

    @Test func aTopicMadeLaterIsThereFromItsFirstEvent() throws {
        let streams = try ["*", "a.>", "a.b,*", ">"].map {
            try daemon.stream("/topics/\($0)?as=ndjson", .lines)
        }
        for stream in streams { _ = try stream.next(1) }
        try client.publish("1", to: "new")
        try client.publish("2", to: "a.b")
        try client.publish("3", to: "a.c.d")
        let expected = [["1"], ["2", "3"], ["1", "2"], ["1", "2", "3"]]
        for (stream, payloads) in zip(streams, expected) {
            #expect(try stream.next(payloads.count).payloads == payloads)
        }
    }

    @Test(arguments: StreamAsked.allCases)
    func aStreamEndsAfterAsManyAsItWasAskedFor(asked: StreamAsked) throws {
        for number in 1...3 { try client.publish("\(number)", to: "t") }
        let past = try daemon.stream("/topics/t?as=\(asked)&since=earliest&max=2", asked.form)
        #expect(try past.rest().payloads == ["1", "2"])
        #expect(past.ending == .clean(isKept: true))

        let live = try daemon.stream("/topics/t?as=\(asked)&since=-1&max=3", asked.form)
        #expect(try live.next(2).payloads == ["3"])
        for number in 4...8 { try client.publish("\(number)", to: "t") }
        #expect(try live.rest().payloads == ["4", "5"])
        #expect(try live.client.get("/topics/t?since=-1").text == "8")
    }

    @Test func aPreferenceBeatsTheWaitOfAStream() throws {
        let stream = try daemon.stream(
            "/topics/t?as=ndjson&wait=1h", .lines, headers: [("Prefer", "wait=0")])
        #expect(stream.answer.header("preference-applied") == "wait=0")
        #expect(try stream.rest().count == 1)
    }

    @Test(arguments: StreamAsked.allCases)
    func everythingIsPrintedOnceAndTheStreamEnds(asked: StreamAsked) throws {
        let numbers = (1...3_000).map { "\($0)" }
        let lines = numbers.joined(separator: "\n")
        for topic in ["a.x", "a.y"] {
            let batch = try client.exchange(
                "POST", "/topics/\(topic)?split=lines", body: Array(lines.utf8))
            #expect(batch.status == 201)
        }
        let last = try client.publish("behind", to: "b")
        let stream = try daemon.stream(
            "/topics/a.*?as=\(asked)&since=earliest&wait=0", asked.wideForm)
        let told = try stream.rest()
        #expect(told.payloads.count == 6_000 && told.gaps.isEmpty)
        let expected = numbers + numbers
        #expect(told.payloads == expected)
        #expect(zip(told.cursors, told.cursors.dropFirst()).allSatisfy { $0 < $1 })
        #expect(told.last == .cursor(last))
    }

    @Test func aRequestPipelinedBehindAStreamIsServedBehindIt() throws {
        let asked = try daemon.connect()
        let request = "GET /topics/t?as=ndjson&wait=0 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try asked.send(request + request)
        let stream = try HTTPStream(asked, .lines)
        #expect(stream.answer.header("connection") == nil)
        #expect(try stream.rest().count == 1)
        #expect(stream.ending == .clean(isKept: true))
        #expect(try HTTPStream(asked, .lines).rest().count == 1)
    }

    @Test(arguments: StreamAsked.allCases, [true, false])
    func aReaderThatSendsNoMoreStillReads(asked: StreamAsked, isTCP: Bool) throws {
        let reader = try RawClient(isTCP ? daemon.tcp : daemon.unix)
        try reader.send("GET", "/topics/t?as=\(asked)")
        let stream = try HTTPStream(reader, asked.form)
        _ = try stream.next(1)
        reader.halfClose()
        for number in 1...3 {
            try client.publish("\(number)", to: "t")
            #expect(try stream.next(1).payloads == ["\(number)"])
        }
    }

    @Test func aReaderThatIsGoneIsForgotten() throws {
        try client.register("t")
        let streams = try (0..<3).map { _ in try daemon.stream("/topics/t?as=ndjson", .lines) }
        try client.await(subscribers: 3, of: "t")
        streams[0].client.close()
        streams[1].client.reset()
        try client.await(subscribers: 1, of: "t")
        #expect(streams[2].ending == nil)
    }
}
