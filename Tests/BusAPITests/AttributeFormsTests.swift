import SQLiteStore
import TestSupport
import Testing
import Topics
import Wire

@testable import BusAPI
@testable import HTTPFront

/// Attributes through every form that carries them, and what is refused of them.
@Suite(.blocking) struct AttributeFormsTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let body = Array("payload".utf8)
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func stored() throws -> StreamServer {
        try StreamServer(
            store: SQLiteStore(
                SQLiteStoreConfiguration(path: "\(folder.path)/store"), log: StreamServer.log))
    }

    /// The raw answer with the first event of a topic.
    private static func first(
        _ topic: String, _ query: String = "", at client: RawClient
    ) throws -> RawClient.Answer {
        try client.exchange("GET", "/topics/\(topic)?since=earliest&wait=0\(query)")
    }

    /// Checks that the one event of a topic has the attributes `a` and `b` in every form, and that filters
    /// find it by them alone.
    private static func expect(_ topic: String, at server: StreamServer) throws {
        let client = try server.connect()
        let poll = try first(topic, at: client)
        let id = try #require(poll.header("event-id"))
        let single = try client.exchange("GET", "/topics/\(topic)/events/\(id)")
        for answer in [poll, single] {
            #expect(answer.header("event-attribute-a") == "1")
            #expect(answer.header("event-attribute-b") == "two \"words\"")
        }
        let socket = try WebSocketClient(
            accepting: { () throws -> RawClient in
                let client = try server.connect()
                try client.send(
                    "GET", "/topics/\(topic)?since=earliest&attribute.a=1",
                    headers: WebSocketClient.handshake)
                return client
            }())
        _ = try socket.next()
        guard case .text(let message) = try socket.next() else {
            throw RawClient.Failure.malformed("no text")
        }
        var envelopes = [message]
        for form in ["json", "ndjson", "sse&envelope=yes"] {
            envelopes.append(
                try first(topic, "&as=\(form)&attribute.b=two+%22words%22", at: client).text)
        }
        for envelope in envelopes {
            #expect(
                envelope.contains(#""attributes":{"a":"1","b":"two \"words\""},"data":"payload""#),
                "\(envelope)")
        }
        for form in ["raw", "json", "ndjson", "sse"] {
            for (filter, isFound) in [
                ("attribute.a=1", true), ("attribute.a=1&attribute.b=two+%22words%22", true),
                ("attribute.a=2", false), ("attribute.a=1&attribute.b=1", false),
                ("attribute.c=1", false), ("attribute.a=1&type=t", false),
            ] {
                let found = try first(topic, "&as=\(form)&\(filter)", at: client).text
                #expect(found.contains("payload") == isFound, "\(form) \(filter) \(found)")
            }
        }
    }

    @Test func everyFormShowsAttributesAndFiltersByThemInTheNextLifeToo() throws {
        var server = try stored()
        let client = try server.connect()
        let b = "two \"words\""
        let encoded = "attribute.b=two%20%22words%22"
        func post(_ target: String, _ headers: [(String, String)]) throws {
            let answer = try client.exchange("POST", target, headers: headers, body: body)
            #expect(answer.status == 201, "\(answer.text)")
        }
        try post("/topics/header", [("Event-Attribute-A", "1"), ("EVENT-ATTRIBUTE-B", b)])
        try post("/topics/query?attribute.a=1&\(encoded)", [])
        try post("/topics/both?attribute.a=1&\(encoded)", [("event-attribute-a", "1")])
        try post("/topics/lines?split=lines&attribute.a=1&\(encoded)", [])
        let socket = try { () throws -> WebSocketClient in
            let client = try server.connect()
            try client.send("GET", "/topics/x", headers: WebSocketClient.handshake)
            return try WebSocketClient(accepting: client)
        }()
        _ = try socket.next()
        try socket.send(
            .text(
                #"{"topic":"member","data":"payload","attributes":{"\u0061":"1","b":"two \"words\""}}"#
            ))
        guard case .text(let answer) = try socket.next() else { return }
        #expect(answer.hasPrefix("{\"id\":"), "\(answer)")
        let topics = ["header", "query", "both", "lines", "member"]
        for topic in topics { try Self.expect(topic, at: server) }
        server.drain()
        server.bus.close()
        server = try stored()
        for topic in topics { try Self.expect(topic, at: server) }
    }

    @Test func aValueIsTheSameBehindAHeaderAndAnotherOne() throws {
        let server = try StreamServer()
        let client = try server.connect()
        for (index, value) in ["100%", " a ", "größer 🙂", "%41", "a%", "%%25", "a=b&c"].enumerated()
        {
            let attributes = try EventAttributes(["v": value])
            server.bus.publish(
                PublishBatch(
                    topic: try TopicName("one.\(index)"),
                    metadata: try EventMetadata(attributes: attributes), payloads: [.empty])
            ) { _ in }
            let text = try #require(
                try Self.first("one.\(index)", at: client).header("event-attribute-v"))
            #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            let answer = try client.exchange(
                "POST", "/topics/two.\(index)", headers: [("Event-Attribute-V", text)], body: body)
            #expect(answer.status == 201)
            let read = server.bus.read(
                from: .earliest, matching: try Selector("two.\(index)"), filter: .all,
                limit: ReadLimit(events: 1, bytes: 1_000))
            let event = try #require(read.events.first)
            #expect(event.metadata.attributes == attributes)
        }
        // Bytes of UTF-8 as they are, which curl sends.
        let raw = try client.exchange(
            "POST", "/topics/raw", headers: [("Event-Attribute-V", "größer")], body: body)
        #expect(raw.status == 201)
        #expect(try Self.first("raw", at: client).header("event-attribute-v") == "gr%C3%B6%C3%9Fer")
    }

    @Test func attributesThatAHeadHasNoRoomForAreSaidToBeOmitted() throws {
        let server = try StreamServer()
        let client = try server.connect()
        let long = String(repeating: "v", count: 250)
        let query = (10..<26).map { "attribute.n\($0)=\(long)" }.joined(separator: "&")
        #expect(try client.exchange("POST", "/topics/t?\(query)", body: body).status == 201)
        let raw = try Self.first("t", at: client)
        #expect(raw.status == 200 && raw.header("event-attributes") == "omitted")
        #expect(raw.header("event-attribute-n10") == nil)
        #expect(try Self.first("t", "&as=json", at: client).text.contains("\"n25\":\"\(long)\""))
    }

    @Test(arguments: [
        ("attribute.A=1", "A", "EVENT_ATTRIBUTE_INVALID"),
        ("attribute.=1", "''", "EVENT_ATTRIBUTE_INVALID"),
        ("attribute.a=", "0 bytes", "EVENT_ATTRIBUTE_INVALID"),
        ("attribute.a-b=1", "a-b", "EVENT_ATTRIBUTE_INVALID"),
        ("attribute.a=x%0Ay", "control", "EVENT_ATTRIBUTE_INVALID"),
        ("attribute.deadid=1", "dead", "EVENT_ATTRIBUTE_INVALID"),
        ("attribute.originid=1", "origin", "EVENT_ATTRIBUTE_INVALID"),
        ("attribute.traceparent=1", "W3C", "EVENT_ATTRIBUTE_INVALID"),
        ("attribute.a=1&attribute.a=1", "attribute.a", "PARAMETER_REPEATED"),
        ("attribute.h=2", "'h'", "PARAMETER_REPEATED"),
        ("attribute=1", "attribute.NAME", "PARAMETER_UNKNOWN"),
        (
            (0..<17).map { "attribute.n\($0)=1" }.joined(separator: "&"), "17",
            "EVENT_ATTRIBUTE_INVALID"
        ),
    ])
    func aParameterThatIsNoAttributeIsRefused(query: String, word: String, code: String) throws {
        let server = try StreamServer()
        let answer = try server.connect().exchange(
            "POST", "/topics/t?\(query)",
            headers: query.contains(".h") ? [("Event-Attribute-H", "1")] : [],
            body: body)
        #expect(answer.status == 400 && answer.text.contains(code), "\(answer.text)")
        #expect(answer.text.contains(word), "\(answer.text)")
        #expect(server.bus.description(of: try TopicName("t")) == nil)
    }

    @Test(arguments: [
        ([("Event-Attribute-", "1")], "EVENT_ATTRIBUTE_INVALID"),
        ([("Event-Attribute-a_b", "1")], "EVENT_ATTRIBUTE_INVALID"),
        ([("Event-Attribute-a", "100%")], "written %25"),
        ([("Event-Attribute-a", "%4")], "written %25"),
        ([("Event-Attribute-a", "%zz")], "written %25"),
        ([("Event-Attribute-a", "%FF")], "UTF-8"),
        ([("Event-Attribute-a", "%00")], "control characters"),
        ([("Event-Attribute-a", "1"), ("event-attribute-A", "1")], "PARAMETER_REPEATED"),
        ([("Event-Attributes", "1")], "header of answers"),
        ([("Event-Attribute", "1")], "PARAMETER_UNKNOWN"),
    ])
    func aHeaderThatIsNoAttributeIsRefused(headers: [(String, String)], word: String) throws {
        let server = try StreamServer()
        let answer = try server.connect().exchange(
            "POST", "/topics/t", headers: headers, body: body)
        #expect(answer.status == 400 && answer.text.contains(word), "\(answer.text)")
    }

    @Test func aMessageWhoseAttributesAreNoneIsRefused() throws {
        for (json, word) in [
            ("1", "object of strings"), (#"{"a":1}"#, "object of strings"),
            (#"{"a":"1","a":"2"}"#, "each name once"), (#"{"A":"1"}"#, "a-z"),
            (#"{"deadid":"1"}"#, "dead"), (#"{"traceparent":"1"}"#, "W3C"),
        ] {
            var ref: MessageRef?
            let text = #"{"topic":"t","data":"x","attributes":\#(json)}"#
            let refusal = #expect(throws: Refusal.self) {
                try Array(text.utf8).withUnsafeBytes { try ClientMessage($0, ref: &ref) }
            }
            #expect(refusal?.problem.code == "EVENT_ATTRIBUTE_INVALID")
            #expect(refusal?.problem.detail.contains(word) == true, "\(json)")
        }
    }

    @Test func aFilterThatNoEventCanMeetIsRefused() throws {
        let server = try StreamServer()
        let client = try server.connect()
        for query in ["attribute.A=1", "attribute.a=", "attribute.a=%01"] {
            let answer = try client.exchange("GET", "/topics/t?wait=0&\(query)")
            #expect(answer.status == 400 && answer.text.contains("EVENT_ATTRIBUTE_INVALID"))
        }
        // Those of the bus are there to be looked for.
        let letters = try client.exchange("GET", "/topics/t?wait=0&attribute.deadgroup=mail")
        #expect(letters.status == 204)
    }

    @Test func aTraceGoesOnAtTheReaderAndAMalformedOneIsDropped() throws {
        let server = try StreamServer()
        let client = try server.connect()
        let other = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203332-00"
        let rows: [(headers: [(String, String)], parent: String?, state: String?)] = [
            ([("traceparent", Self.parent)], Self.parent, nil),
            ([("Traceparent", Self.parent), ("Tracestate", "a=1")], Self.parent, "a=1"),
            (
                [("traceparent", Self.parent), ("tracestate", "a=1"), ("tracestate", "b=2")],
                Self.parent, "a=1,b=2"
            ),
            ([("traceparent", "00-x")], nil, nil), ([("tracestate", "a=1")], nil, nil),
            ([("traceparent", "x"), ("tracestate", "a=1")], nil, nil),
            ([("traceparent", Self.parent), ("traceparent", other)], nil, nil),
            (
                [("traceparent", Self.parent), ("tracestate", String(repeating: "v", count: 513))],
                Self.parent, nil
            ),
            (
                [
                    ("traceparent", Self.parent), ("tracestate", "a=1"),
                    ("Event-Attribute-traceparent", other),
                ], other, nil
            ),
        ]
        for (index, row) in rows.enumerated() {
            let answer = try client.exchange(
                "POST", "/topics/t.\(index)", headers: row.headers, body: body)
            #expect(answer.status == 201, "\(answer.text)")
            let event = try Self.first("t.\(index)", at: client)
            #expect(event.header("event-attribute-traceparent") == row.parent, "\(index)")
            #expect(event.header("event-attribute-tracestate") == row.state, "\(index)")
        }
    }

    @Test func aTraceStandsBesideTheSixteen() throws {
        let server = try StreamServer()
        let client = try server.connect()
        let query = (0..<16).map { "attribute.n\($0)=1" }.joined(separator: "&")
        let answer = try client.exchange(
            "POST", "/topics/t?\(query)", headers: [("traceparent", Self.parent)], body: body)
        #expect(answer.status == 201)
        let event = try Self.first("t", at: client)
        #expect(event.header("event-attribute-n15") == "1")
        #expect(event.header("event-attribute-traceparent") == Self.parent)
    }

    @Test func workersGetAttributesAndGiveThemToTheirOutput() throws {
        let place = try WorkPlace()
        let client = try place.server.connect()
        let target = "/topics/jobs.a?attribute.a=1"
        for _ in 0..<2 { #expect(try client.exchange("POST", target, body: body).status == 201) }
        let job = try client.exchange("POST", "/groups/g/next")
        #expect(job.header("event-attribute-a") == "1")
        let lease = try #require(job.header("work-lease"))
        let reply = try client.exchange(
            "POST", "/groups/g/done?lease=\(lease)&attribute.b=2", body: body)
        #expect(reply.status == 400 && reply.text.contains("A reply has no attributes"))
        // Tracers send their header with every request.
        let next = try client.exchange(
            "POST", "/groups/g/next?as=json&done=\(lease)&to=out&attribute.b=2",
            headers: [("traceparent", Self.parent)], body: body)
        #expect(next.text.contains(#""attributes":{"a":"1"}"#), "\(next.text)")
        let output = try Self.first("out", at: client)
        #expect(output.header("event-attribute-b") == "2")
        #expect(output.header("event-attribute-traceparent") == Self.parent)
    }

    @Test func pagesOfOtherOriginsMaySendAndReadAttributes() {
        let asked =
            "content-type, event-attribute-host,Event-Attribute-b , x-other, event-attribute-ü"
        let accepted = WireHeaders.accepted(for: asked).split(separator: ", ").map(String.init)
        #expect(accepted.contains("event-attribute-host") && accepted.contains("Event-Attribute-b"))
        #expect(!accepted.contains("x-other") && !accepted.contains("event-attribute-ü"))
        #expect(WireHeaders.exposed.prefix == "Event-Attribute-")
        #expect(WireHeaders.exposedNames.contains("Event-Attributes"))
    }

    @Test func aSubscriberSaysItsAttributes() throws {
        let server = try StreamServer()
        let reader = try server.connect()
        try reader.send("GET", "/topics/t?as=ndjson&attribute.a=1")
        let client = try server.connect()
        try server.wait {
            try! client.exchange("GET", "/subscribers").text.contains(
                #""key":null,"attributes":{"a":"1"},"form":"ndjson""#)
        }
    }
}
