import Glibc
import TestSupport
import Testing

/// `POST /topics/{topic}` as the contract words it, byte by byte.
@Suite(.blocking, .serialized) struct ContractPublishTests {
    private static let shared = SharedDaemon()
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try Self.shared.running()
        client = try daemon.connect()
    }

    private func post(
        _ target: String, _ body: String, headers: [(String, String)] = []
    ) throws -> RawClient.Answer {
        try client.exchange("POST", target, headers: headers, body: Array(body.utf8))
    }

    @Test func theAnswerSaysWhereTheEventIs() throws {
        let answer = try post("/topics/deploys", "v1.2 is live")
        #expect(answer.status == 201)
        let id = try #require(answer.number("event-id"))
        #expect(answer.header("location") == "/topics/deploys/events/\(id)")
        #expect(answer.header("content-type") == "application/json")
        let time = try #require(answer.member("time"))
        #expect(
            answer.text
                == "{\"id\":\"\(id)\",\"topic\":\"deploys\",\"time\":\"\(time)\",\"subscribers\":0}\n"
        )
        #expect(
            time.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/#) != nil, "\(time)")
        let event = try client.get(try #require(answer.header("location")))
        #expect(event.text == "v1.2 is live")
        #expect(event.header("event-time") == time)
    }

    @Test(arguments: [
        "ce-specversion", "CE-ID", "ce-source", "Ce-Type", "ce-time", "ce-anything",
    ])
    func aCloudEventInBinaryModeIsRefusedInsteadOfLosingItsAttributes(header: String) throws {
        let answer = try post(
            "/topics/cloud.binary", "{}",
            headers: [("Content-Type", "application/json"), (header, "1.0")])
        #expect(answer.status == 400 && answer.member("code") == "NOT_SUPPORTED")
        let detail = try #require(answer.member("detail"))
        #expect(detail.contains("'\(header)'"))
        #expect(detail.contains("Content-Type: application/cloudevents+json"))
        #expect(try client.exchange("HEAD", "/topics/cloud.binary").status == 404)
    }

    @Test func aCloudEventInStructuredModeIsPublishedAsItIs() throws {
        let event = #"{"specversion":"1.0","id":"1","source":"/a","type":"b","data":1}"#
        let type = "application/cloudevents+json; charset=utf-8"
        let id = try client.publish(event, to: "cloud", headers: [("Content-Type", type)])
        let kept = try client.get("/topics/cloud/events/\(id)")
        #expect(kept.text == event && kept.header("content-type") == type)
        #expect(
            try client.get("/topics/cloud?since=earliest&as=json").text.contains(
                "\"data\":\(event)"))
    }

    @Test(arguments: ["", "?split=lines"])
    func aBatchOfCloudEventsIsRefusedInsteadOfBecomingOneEvent(query: String) throws {
        let answer = try post(
            "/topics/cloud.batch\(query)", "[]",
            headers: [("Content-Type", "Application/CloudEvents-Batch+JSON; charset=utf-8")])
        #expect(answer.status == 400 && answer.member("code") == "NOT_SUPPORTED")
        let detail = try #require(answer.member("detail"))
        #expect(detail.contains("application/cloudevents+json"), "\(detail)")
        #expect(try client.exchange("HEAD", "/topics/cloud.batch").status == 404)
    }

    /// A header that looks like one of a publish and is none, as unknown parameters are.
    @Test(arguments: [
        "Event-Typ", "event-topic", "Event-ID", "Event-Time", "Event-Cursor", "Event-Gap",
        "Event-Count", "Event-Oldest", "Event-", "EVENT-KEYS",
    ])
    func aHeaderThatWouldBeSwallowedIsRefusedByItsName(header: String) throws {
        let answer = try post("/topics/swallowed", "x", headers: [(header, "1")])
        #expect(answer.status == 400 && answer.member("code") == "PARAMETER_UNKNOWN", "\(header)")
        let detail = try #require(answer.member("detail"))
        #expect(
            detail.contains("'\(header)'")
                && detail.contains("Event-Type, Event-Key and Event-Attribute-NAME"))
        #expect(try client.exchange("HEAD", "/topics/swallowed").status == 404)
        #expect(try client.get("/topics/swallowed?wait=0", headers: [(header, "1")]).status == 204)
    }

    /// Webhooks have headers of their own: `X-Event-Key` those of Bitbucket, `X-Event-Type` others.
    @Test(arguments: [
        "Eventual", "X-Request-ID", "X-GitHub-Event", "Ce", "CF-Ray", "X-Event", "X-Event-Key",
        "X-Event-Name", "X-Event-Keys", "X-Event-Type", "X-Event-ID", "X-Event-Time",
        "x-event-topic",
    ])
    func otherHeadersAreNobodysBusiness(header: String) throws {
        #expect(try post("/topics/headers", "x", headers: [(header, "1")]).status == 201)
    }

    @Test func idsRiseOverTheWholeBus() throws {
        let ids = try ["a", "b", "a", "c.d", "b"].map { try client.publish("x", to: $0) }
        #expect(ids == ids.sorted() && Set(ids).count == ids.count)
    }

    @Test(
        arguments: [
            [], [0], [0x0A], [0xFF, 0xFE, 0x00, 0x80], Array(0...255), Array("{\"a\": 1}".utf8),
            Array(repeating: 0x0D, count: 100_000),
        ] as [[UInt8]])
    func bodiesAreKeptByteForByte(body: [UInt8]) throws {
        let target = "/topics/bytes"
        let sized = try client.exchange("POST", target, body: body)
        try client.send("POST", target, headers: [("Transfer-Encoding", "chunked")])
        for byte in body.prefix(3) { try client.send(Array("1\r\n".utf8) + [byte, 13, 10]) }
        if body.count > 3 {
            let rest = body.dropFirst(3)
            try client.send(Array("\(String(rest.count, radix: 16))\r\n".utf8) + rest + [13, 10])
        }
        try client.send("0\r\n\r\n")
        let chunked = try client.readAnswer()
        for published in [sized, chunked] {
            #expect(published.status == 201)
            let event = try client.get(try #require(published.header("location")))
            #expect(event.status == 200)
            #expect(event.body == body)
        }
    }

    @Test(
        arguments: [
            (nil, "application/octet-stream"),
            ("application/x-www-form-urlencoded", "application/octet-stream"),
            ("text/html; charset=latin1", "text/html; charset=latin1"),
            ("application/x-ndjson", "application/x-ndjson"),
            ("nonsense", "nonsense"),
        ] as [(String?, String)])
    func theContentTypeStaysWithTheEvent(sent: String?, kept: String) throws {
        let id = try client.publish(
            "x=1", to: "types", headers: sent.map { [("Content-Type", $0)] } ?? [])
        #expect(try client.get("/topics/types/events/\(id)").header("content-type") == kept)
    }

    @Test func curlsFormTypeIsStoredAsNone() throws {
        try client.publish(
            "x", to: "form", headers: [("Content-Type", "application/x-www-form-urlencoded")])
        let answer = try client.get("/topics/form?as=json&since=earliest&wait=0")
        #expect(!answer.text.contains("content_type"))
    }

    @Test(
        arguments: [
            ("/topics/t", [("Event-Type", "user.made"), ("Event-Key", "42 b")]),
            ("/topics/t?type=user.made&key=42+b", []),
            ("/topics/t?key=42%20b&type=user%2Emade", []),
            ("/topics/t?type=user.made", [("Event-Key", "42 b")]),
        ] as [(String, [(String, String)])])
    func typeAndKeyComeByHeaderOrQuery(target: String, headers: [(String, String)]) throws {
        let answer = try post(target, "x", headers: headers)
        let event = try client.get(try #require(answer.header("location")))
        #expect(event.header("event-type") == "user.made")
        #expect(event.header("event-key") == "42 b")
    }

    @Test func subscribersAreCountedFiltersAside() throws {
        try client.register("news.local")
        let targets = ["news.local?type=none", "news.*", "%3E", "other,news.local", "other"]
        let pollers = try targets.map { target in
            let poller = try daemon.connect()
            try poller.send("GET", "/topics/\(target)")
            return poller
        }
        try client.await(subscribers: 4, of: "news.local")
        let answer = try post("/topics/news.local", "x")
        #expect(answer.text.hasSuffix("\"subscribers\":4}\n"))
        for poller in pollers[1...3] { #expect(try poller.readAnswer().text == "x") }
        #expect(pollers[0].isSilent(for: 0.05) && pollers[4].isSilent(for: 0.05))
    }

    @Test func withoutAutocreateATopicIsRegisteredFirst() throws {
        let daemon = try RunningDaemon(configuration: "[bus]\nautocreate = no\n")
        let client = try daemon.connect()
        for method in ["POST", "GET"] {
            let answer = try client.exchange(
                method, "/topics/t", body: method == "POST" ? [0x78] : nil)
            #expect(answer.status == 404)
            #expect(answer.member("code") == "TOPIC_UNKNOWN")
        }
        try client.register("t")
        try client.publish("x", to: "t")
        #expect(try client.get("/topics/t?since=earliest").text == "x")
    }
}
