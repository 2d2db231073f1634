import Access
import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import HTTPFront

/// `Idempotency-Key` over HTTP.
@Suite(.blocking) struct KeyHeaderTests {
    private let server: StreamServer
    private let client: RawClient

    init() throws {
        server = try StreamServer()
        client = try server.connect()
    }

    private func post(
        _ target: String, _ key: String, _ text: String = "x",
        headers: [(String, String)] = []
    ) throws -> RawClient.Answer {
        try client.exchange(
            "POST", target, headers: [("Idempotency-Key", key)] + headers, body: Array(text.utf8))
    }

    @Test func aRepeatHasTheAnswerOfTheFirstWithoutItsSubscribers() throws {
        let first = try post("/topics/t?type=a&key=k&ttl=1h", "one")
        let again = try post("/topics/t?type=a&key=k&ttl=1h", "one")
        #expect(first.status == 201 && again.status == 201)
        #expect(again.header("idempotency-replayed") == "true")
        #expect(again.header("location") == first.header("location"))
        #expect(first.text.replacing(",\"subscribers\":0", with: "") == again.text)
        #expect(server.bus.statistics.published == 1)
    }

    @Test(
        arguments: [
            ("/topics/t?type=b", "x", []), ("/topics/t?type=a", "y", []),
            ("/topics/t?type=a&key=k", "x", []), ("/topics/t?type=a&ttl=1h", "x", []),
            ("/topics/t?type=a&split=lines", "x", []), ("/topics/t?type=a&attribute.a=1", "x", []),
            ("/topics/t?type=a", "x", [("Content-Type", "application/json")]),
        ] as [(String, String, [(String, String)])])
    func otherEventsWithItAreRefused(
        target: String, text: String, headers: [(String, String)]
    ) throws {
        #expect(try post("/topics/t?type=a", "one").status == 201)
        let other = try post(target, "one", text, headers: headers)
        #expect(other.status == 422 && other.text.contains("IDEMPOTENCY_MISMATCH"), "\(other.text)")
        #expect(server.bus.statistics.published == 1)
    }

    /// A key that the bus does not see would make a second event of a repeat, without a word.
    @Test(arguments: ["X-Idempotency-Key", "Idempotency_Key", "Nats-Msg-Id", "x-idempotency-key"])
    func aKeyInAHeaderOfOthersIsToldOf(name: String) throws {
        let answer = try client.exchange(
            "POST", "/topics/t", headers: [(name, "one")], body: Array("x".utf8))
        #expect(answer.status == 201, "\(answer.text)")
        #expect(answer.text.contains("hint") && answer.text.contains("header Idempotency-Key"))
        #expect(try !post("/topics/t", "k", headers: [(name, "one")]).text.contains("hint"))
    }

    @Test(arguments: ["idempotency_key", "Idempotency-Key", "idempotencyKey"])
    func aKeyInAParameterIsRefusedWithTheNameOfItsHeader(name: String) throws {
        let answer = try client.exchange("POST", "/topics/t?\(name)=one", body: Array("x".utf8))
        #expect(answer.status == 400 && answer.text.contains("PARAMETER_UNKNOWN"), "\(answer.text)")
        #expect(answer.text.contains("Idempotency-Key is a header"), "\(answer.text)")
        #expect(server.bus.statistics.published == 0)
    }

    @Test func aTraceMayDiffer() throws {
        for parent in ["b7ad6b7169203331", "b7ad6b7169203332"] {
            let trace = "00-0af7651916cd43dd8448eb211c80319c-\(parent)-01"
            #expect(try post("/topics/t", "one", headers: [("traceparent", trace)]).status == 201)
        }
        #expect(server.bus.statistics.published == 1)
    }

    @Test func otherTopicsAndOtherKeysAreOthers() throws {
        for (topic, key) in [
            ("t", "one"), ("u", "one"), ("t", "two"), ("t", "one;"), ("t", "one;a"),
        ] {
            let answer = try post("/topics/\(topic)", key)
            #expect(answer.status == 201 && answer.header("idempotency-replayed") == nil)
        }
        #expect(server.bus.statistics.published == 5)
    }

    @Test func aSeriesGoesOnAndTellsWhatItHasPassed() throws {
        #expect(try post("/topics/t", "s;1", "a").status == 201)
        let last = try post("/topics/t", "s;7", "b")
        let again = try post("/topics/t", "s;7", "b")
        #expect(again.status == 201 && again.header("event-id") == last.header("event-id"))
        let passed = try post("/topics/t", "s;1", "a")
        #expect(passed.status == 200 && passed.header("idempotency-replayed") == "true")
        let id = try #require(last.header("event-id"))
        #expect(passed.text == "{\"count\":0,\"topic\":\"t\",\"last\":\"\(id)\"}\n")
        #expect(try post("/topics/t", "s;7", "c").status == 422)
        #expect(try post("/topics/t", "s", "b").status == 422)
        #expect(server.bus.statistics.published == 2)
    }

    @Test(arguments: ["", "ä", String(repeating: "k", count: 256)])
    func aKeyThatIsNoneIsRefused(key: String) throws {
        let answer = try post("/topics/t", key)
        #expect(answer.status == 400 && answer.text.contains("CONDITION_INVALID"), "\(answer.text)")
        let twice = try post("/topics/t", "a", headers: [("idempotency-key", "a")])
        #expect(twice.status == 400 && twice.text.contains("PARAMETER_REPEATED"))
        let reply = try post("/topics/t?reply=1s", "a")
        #expect(reply.status == 400 && reply.text.contains("CONDITION_INVALID"))
        #expect(server.bus.statistics.published == 0)
    }

    @Test func removingTheTopicForgetsItsKeys() throws {
        #expect(try post("/topics/t", "one").status == 201)
        #expect(try client.exchange("DELETE", "/topics/t").status == 204)
        let again = try post("/topics/t", "one")
        #expect(again.status == 201 && again.header("idempotency-replayed") == nil)
    }

    @Test func anotherUserMayHaveTheSameKey() throws {
        func key(_ caller: Caller) throws -> IdempotencyKey.Identity {
            var headers = HeaderFields()
            headers.append("idempotency-key", "one")
            let header = try #require(try KeyHeader(headers))
            let request = PublishRequest(
                topic: try TopicName("t"), metadata: .none, sender: .unknown, ttl: nil,
                isSplit: false, content: .absent(nil), hold: nil, key: header, condition: nil,
                showsSubscribers: true)
            return header.key(
                of: request, by: caller, UnsafeRawBufferPointer(start: nil, count: 0),
                windowMicroseconds: 1_000_000
            ).identity
        }
        #expect(try key(Caller(uid: 1)) == key(Caller(uid: 1)))
        #expect(try key(Caller(uid: 1)) != key(Caller(uid: 2)))
        #expect(try key(Caller(uid: 1)) != key(Caller()))
    }
}
