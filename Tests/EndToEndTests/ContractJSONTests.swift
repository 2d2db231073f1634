import Glibc
import TestSupport
import Testing

/// JSON long polls: everything that is there, in envelopes.
@Suite(.blocking, .serialized) struct ContractJSONTests {
    private static let shared = SharedDaemon()
    private let daemon: RunningDaemon
    private let client: RawClient
    /// The topic of one test.
    private let topic = Self.shared.topic()

    init() throws {
        daemon = try Self.shared.running()
        client = try daemon.connect()
    }

    private func ids(_ answer: RawClient.Answer) -> [UInt64] {
        answer.text.matches(of: #/{"id":"(\d+)"/#).compactMap { UInt64($0.1) }
    }

    @Test func allThatIsThereComesAtOnce() throws {
        let published = try (0..<10).map { try client.publish("\($0)", to: topic) }
        let newest = try client.publish("elsewhere", to: "u")
        let answer = try client.get(
            "/topics/\(topic)?since=earliest", headers: [("Accept", "application/json")])
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "application/json")
        #expect(ids(answer) == published)
        #expect(answer.text.hasPrefix("{\"events\":[{"))
        #expect(answer.text.hasSuffix("}],\"cursor\":\"\(newest)\",\"gap\":null}\n"))
        #expect(answer.number("event-cursor") == newest)
        #expect(answer.header("link") == "</topics/\(topic)?since=\(newest)>; rel=\"next\"")
    }

    @Test func withoutEventsItIsStillAnAnswer() throws {
        let id = try client.publish("x", to: topic)
        let answer = try client.get("/topics/\(topic)?as=json&wait=10ms")
        #expect(answer.status == 200)
        #expect(answer.text == "{\"events\":[],\"cursor\":\"\(id)\",\"gap\":null}\n")
    }

    @Test func maxCutsShortAndTheCursorGoesOn() throws {
        let published = try (0..<7).map { try client.publish("\($0)", to: topic) }
        var seen: [UInt64] = []
        var cursor = "0"
        for count in [3, 3, 1, 0] {
            let answer = try client.get("/topics/\(topic)?as=json&wait=0&max=3&since=\(cursor)")
            #expect(ids(answer).count == count)
            seen += ids(answer)
            cursor = try #require(answer.header("event-cursor"))
            #expect(answer.member("cursor") == cursor)
            if count > 0 { #expect(UInt64(cursor) == seen.last) }
        }
        #expect(seen == published)
    }

    @Test func aThousandEventsUnlessAskedForMore() throws {
        let lines = (1...1_500).map { "\($0)\n" }.joined()
        let batch = try client.exchange(
            "POST", "/topics/\(topic)?split=lines", body: Array(lines.utf8))
        #expect(batch.status == 201)
        let first = try client.get("/topics/\(topic)?as=json&since=earliest")
        #expect(ids(first).count == 1_000)
        #expect(first.number("event-cursor") == ids(first).last)
        #expect(
            ids(try client.get("/topics/\(topic)?as=json&since=earliest&max=10000")).count == 1_500)
    }

    @Test func aMebibyteOfPayloadCutsShortButOneEventAlwaysComes() throws {
        let large = String(repeating: "x", count: 700_000)
        let published = try (0..<3).map { _ in try client.publish(large, to: topic) }
        var cursor = "0"
        for id in published {
            let answer = try client.get("/topics/\(topic)?as=json&since=\(cursor)")
            #expect(ids(answer) == [id])
            cursor = try #require(answer.header("event-cursor"))
            #expect(cursor == "\(id)")
        }
    }

    @Test(
        arguments: [
            ("as=json", nil, true), ("as=raw", "application/json", false),
            ("as=json", "text/event-stream", true), ("", "application/json", true),
            ("", "text/html, application/json;q=0.5", true), ("", "*/*", false), ("", nil, false),
            ("", "text/html", false), ("", "image/png, */*;q=0.1", false),
            ("", "application/json;q=0", false),
        ] as [(String, String?, Bool)])
    func theFormIsAsBeforeAccept(query: String, accept: String?, isJSON: Bool) throws {
        try client.publish("x", to: topic)
        let answer = try client.get(
            "/topics/\(topic)?since=earliest&\(query)".trimmedOfAmpersand,
            headers: accept.map { [("Accept", $0)] } ?? [])
        #expect(answer.status == 200)
        #expect(answer.text.hasPrefix("{\"events\"") == isJSON)
    }

    @Test func acceptMayComeInSeveralLines() throws {
        try client.publish("x", to: topic)
        let answer = try client.get(
            "/topics/\(topic)?since=earliest",
            headers: [("Accept", "text/html"), ("Accept", "application/json")])
        #expect(answer.text.hasPrefix("{\"events\""))
    }

    @Test func aWaitEndsWithWhatWasPublished() throws {
        try client.register(topic)
        let poller = try daemon.connect()
        try poller.send("GET", "/topics/\(topic)?as=json")
        try client.await(subscribers: 1, of: topic)
        let id = try client.publish("live", to: topic)
        let answer = try poller.readAnswer()
        #expect(ids(answer) == [id])
        #expect(answer.text.contains("\"data\":\"live\""))
    }
}

extension String {
    fileprivate var trimmedOfAmpersand: String { hasSuffix("&") ? String(dropLast()) : self }
}
