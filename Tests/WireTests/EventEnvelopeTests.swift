import JSON
import TestSupport
import Testing
import Topics
import Wire

@Suite struct EventEnvelopeTests {
    private func read(_ envelope: [UInt8]) -> Event? {
        envelope.withUnsafeBytes { bytes in
            var (reader, parts) = (JSONReader(bytes), EnvelopeReader())
            guard reader.object({ parts.read($0, &$1) }), reader.isAtEnd() else { return nil }
            var topic: TopicName?
            return parts.event(like: &topic)
        }
    }

    private func envelope(of event: Event) -> [UInt8] {
        var text: [UInt8] = []
        EventEnvelope.write(event, to: &text)
        return text
    }

    private func bytes(of event: Event) -> [UInt8] { event.payload.withUnsafeBytes { Array($0) } }

    private func text(
        upTo count: Int, _ alphabet: [UInt8], using random: inout SeededRandom
    ) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in
            alphabet.randomElement(using: &random)!
        }
    }

    @Test func whateverIsWrittenIsReadBackTheSame() throws {
        var random = SeededRandom(for: "envelopes")
        let topic = try TopicName("a.b")
        let telling = Array("\"\\/\u{8}\t\n\r\0\u{7F}\u{85}\u{2028}é😀 abc".utf8)
        let printable = Array("abc\"\\ ~/{}".utf8)
        for round in 1...2_000 {
            var texts = MetadataTexts()
            for field in MetadataField.all where Bool.random(using: &random) {
                texts[field] =
                    "x" + String(decoding: text(upTo: 9, printable, using: &random), as: UTF8.self)
                    + "x"
            }
            let attributes = Bool.random(using: &random) ? ["one": "x\"", "two": "é"] : [:]
            let expires = Bool.random(using: &random) ? Timestamp(microseconds: 1 << 50) : nil
            let event = Event(
                id: EventID(rawValue: UInt64(round)), time: Timestamp(microseconds: 1 << 49),
                topic: topic, payload: Payload(text(upTo: 40, telling, using: &random)),
                metadata: try EventMetadata(texts)
                    .with(try EventAttributes(attributes), expires: expires),
                sender: Sender(uid: Bool.random(using: &random) ? 7 : nil, pid: nil),
                isStored: false)
            let written = envelope(of: event)
            let back = try #require(read(written))
            #expect(bytes(of: back) == bytes(of: event))
            #expect(back.metadata == event.metadata)
            #expect(back.id == event.id && back.time == event.time && back.topic == topic)
            #expect(back.sender == event.sender)
            #expect(envelope(of: back) == written)
        }
    }

    @Test(arguments: ["{\"a\":[1,true,null]}", "\"text\"", "-1.5e3", "[]"])
    func aPayloadOfJSONIsAValue(text: String) throws {
        let event = Event(
            id: EventID(rawValue: 1), time: Timestamp(microseconds: 1 << 49),
            topic: try TopicName("a"), payload: Payload(Array(text.utf8)),
            metadata: try EventMetadata(contentType: "application/x+json; v=1"),
            sender: .unknown, isStored: false)
        let written = envelope(of: event)
        #expect(String(decoding: written, as: UTF8.self).contains("\"data\":\(text)"))
        #expect(bytes(of: try #require(read(written))) == Array(text.utf8))
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"id":"1"}"#,
        #"{"id":1,"topic":"a","time":"2026-01-01T00:00:00Z","data":""}"#,
        #"{"id":"1","topic":"a","time":"today","data":""}"#,
        #"{"id":"1","topic":"a","time":"2026-01-01T00:00:00Z","data_base64":"x"}"#,
        #"{"id":"1","topic":"..","time":"2026-01-01T00:00:00Z","data":""}"#,
        #"{"id":"1","topic":"a","time":"2026-01-01T00:00:00Z","data":"\ud800"}"#,
        #"{"id":"1","topic":"a","time":"2026-01-01T00:00:00Z","data":"",}"#,
    ])
    func whatIsNoEnvelopeIsNone(text: String) {
        #expect(read(Array(text.utf8)) == nil)
    }

    @Test func membersOfANewerBusArePassedOver() throws {
        let text =
            #"{"later":{"a":["}",1]},"id":"1","topic":"a","time":"2026-01-01T00:00:00Z","data":"x"}"#
        #expect(bytes(of: try #require(read(Array(text.utf8)))) == Array("x".utf8))
    }
}
