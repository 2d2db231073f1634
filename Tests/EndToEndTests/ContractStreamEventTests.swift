import TestSupport
import Testing

/// How events look in a stream.
@Suite(.blocking, .serialized) struct ContractStreamEventTests {
    private static let shared = SharedDaemon()
    private let daemon: RunningDaemon
    private let client: RawClient
    /// The topic of one test.
    private let topic = Self.shared.topic()

    init() throws {
        daemon = try Self.shared.running()
        client = try daemon.connect()
    }

    /// The one event of a topic, as an event stream shows it behind its opening, which does without a
    /// cursor where the event says it.
    private func shown(_ query: String, of selector: String? = nil) throws -> String {
        let text = try client.get(
            "/topics/\(selector ?? topic)?as=sse&since=earliest&wait=0\(query)"
        ).text
        let opening = try #require(text.firstMatch(of: #/^:\nretry: \d+\n/#))
        return String(text[opening.range.upperBound...])
    }

    @Test(
        arguments: [
            ("plain", "data: plain\n"), ("", "data: \n"), (" led", "data:  led\n"),
            ("a\nb", "data: a\ndata: b\n"), ("a\rb", "data: a\ndata: b\n"),
            ("a\r\nb", "data: a\ndata: b\n"), ("a\n\rb", "data: a\ndata: \ndata: b\n"),
            ("a\r\r\n", "data: a\ndata: \ndata: \n"), ("\n", "data: \ndata: \n"),
            ("a\n", "data: a\ndata: \n"), ("data: x\nid: 5", "data: data: x\ndata: id: 5\n"),
            (":", "data: :\n"), ("\u{85}\u{2028}é😀", "data: \u{85}\u{2028}é😀\n"),
            ("\u{FEFF}\u{0}", "data: \u{FEFF}\u{0}\n"),
        ])
    func everyLineOfAPayloadIsAField(payload: String, fields: String) throws {
        let id = try client.publish(payload, to: topic)
        #expect(try shown("") == "id: \(id)\n\(fields)\n")
    }

    /// A page that reads by `onmessage` is shown only events without a name.
    @Test func aTypeIsTheEventsNameWhereThatIsAskedFor() throws {
        let id = try client.publish("x", to: topic, headers: [("Event-Type", "a b:c")])
        let named = "id: \(id)\nevent: a b:c\ndata: x\n\n"
        for query in ["", "&envelope=no", "&named=no"] {
            #expect(try shown(query) == "id: \(id)\ndata: x\n\n", "\(query)")
        }
        for query in ["&named=yes", "&named=yes&envelope=no"] {
            #expect(try shown(query) == named, "\(query)")
        }
        for query in ["&envelope=no&named=yes", "&envelope=no&named=yes&type=a%20b:c"] {
            #expect(try shown(query, of: "\(topic),u") == named, "\(query)")
        }
    }

    @Test func eachReaderOfTheSameNewsHasNamesOrNone() throws {
        let streams = try ["no", "yes", "no", "yes"].map { named in
            try daemon.stream(
                "/topics/\(topic)?as=sse&named=\(named)",
                .events(areEnvelopes: false, areNamed: named == "yes"))
        }
        for stream in streams { _ = try stream.next(1) }
        for text in ["1", "2", "3"] {
            let id = try client.publish(text, to: topic, headers: [("Event-Type", "a")])
            for (index, stream) in streams.enumerated() {
                let isNamed = index % 2 > 0
                let delivery = Delivery(
                    id: id, topic: nil, type: isNamed ? "a" : nil, saysType: isNamed, payload: text)
                #expect(try stream.next(1) == [.event(delivery)])
            }
        }
    }

    @Test func whatIsNotUTF8GoesAsAnEnvelope() throws {
        for (index, bytes) in [[0xFF, 0xFE], [0x61, 0xC3], [0xED, 0xA0, 0x80]].enumerated() {
            let topic = "b\(index)"
            let posted = try client.exchange(
                "POST", "/topics/\(topic)?type=x", body: bytes.map { UInt8($0) })
            let id = try #require(posted.number("event-id"))
            let text = try shown("", of: topic)
            #expect(text.hasPrefix("id: \(id)\nevent: $envelope\ndata: {\"id\":\"\(id)\","))
            #expect(text.contains("\"data_base64\":\"") && text.hasSuffix("}\n\n"))
            #expect(try shown("&named=yes", of: topic) == text)
            #expect(try shown("&envelope=yes", of: topic).hasPrefix("id: \(id)\ndata: {\"id\":"))
        }
    }

    @Test func aSelectorOfOneNameShowsPayloadsAndAnyOtherEnvelopes() throws {
        let id = try client.publish("x", to: "only.one", headers: [("Event-Type", "made")])
        let payload = "id: \(id)\ndata: x\n\n"
        let poll = try client.get("/topics/only.one?as=json&since=earliest&wait=0").text
        let envelope = try #require(poll.firstMatch(of: #/\[(.*)\]/#)?.1)
        for (selector, query, shows) in [
            ("only.one", "", payload), ("only.one", "&envelope=no", payload),
            ("only.one", "&envelope=yes", "id: \(id)\ndata: \(envelope)\n\n"),
            ("only.one,u", "", "id: \(id)\ndata: \(envelope)\n\n"),
            ("only.*", "", "id: \(id)\ndata: \(envelope)\n\n"),
            ("only.*", "&envelope=yes", "id: \(id)\ndata: \(envelope)\n\n"),
            ("only.one,u", "&envelope=no", payload), ("only.>", "&envelope=no", payload),
        ] {
            #expect(try shown(query, of: selector) == shows, "\(selector)\(query)")
        }
    }

    @Test func aLineIsTheEnvelopeThatPollsShow() throws {
        try client.publish("one\ntwo\u{2028}", to: topic, headers: [("Event-Key", "k")])
        _ = try client.exchange(
            "POST", "/topics/\(topic)", headers: [("Content-Type", "application/json")],
            body: Array(" { \"a\" : [ 1 ] } ".utf8))
        _ = try client.exchange("POST", "/topics/\(topic)", body: [0xFF])
        let poll = try client.get("/topics/\(topic)?as=json&since=earliest").text
        let lines = try client.get("/topics/\(topic)?as=ndjson&since=earliest&wait=0").text
        let envelopes = lines.split(separator: "\n").dropFirst()
        #expect(envelopes.count == 3 && lines.hasSuffix("}\n"))
        #expect(poll.hasPrefix("{\"events\":[\(envelopes.joined(separator: ","))],"))
    }

    @Test func aStreamOfManyIsTheSameInHTTP10() throws {
        let lines = (1...700).map { "line \($0)\n" }.joined()
        _ = try client.exchange("POST", "/topics/\(topic)?split=lines", body: Array(lines.utf8))
        for form in ["ndjson", "sse&envelope=yes"] {
            let target = "/topics/\(topic)?as=\(form)&since=earliest&wait=0"
            let chunked = try client.get(target)
            #expect(chunked.header("transfer-encoding") == "chunked")
            let old = try daemon.connect()
            try old.send("GET \(target) HTTP/1.0\r\nHost: localhost\r\n\r\n")
            let plain = try old.readAnswer()
            #expect(plain.statusLine == "HTTP/1.1 200 OK")
            #expect(plain.header("transfer-encoding") == nil)
            #expect(plain.header("content-length") == nil)
            #expect(plain.header("connection") == "close")
            let retry = #/retry: \d+/#
            #expect(
                plain.text.replacing(retry, with: "") == chunked.text.replacing(retry, with: ""))
            #expect(plain.text.contains("line 700"))
        }
    }

    @Test func filtersLetOnlySuchEventsThrough() throws {
        for (text, type, key) in [("1", "a", "k"), ("2", "b", "k"), ("3", "a", "l")] {
            try client.publish(
                text, to: topic, headers: [("Event-Type", type), ("Event-Key", key)])
        }
        for (query, expected) in [
            ("type=a", ["1", "3"]), ("key=k", ["1", "2"]), ("type=a&key=l", ["3"]), ("key=x", []),
        ] {
            let stream = try daemon.stream(
                "/topics/\(topic)?as=ndjson&since=earliest&wait=0&\(query)", .lines)
            #expect(try stream.rest().payloads == expected, "\(query)")
        }
    }
}
