import StoreSupport
import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import HTTPFront

/// Conditions of publishes, over HTTP.
@Suite(.blocking) struct ConditionRoutesTests {
    private let server: StreamServer
    private let client: RawClient

    init() throws {
        server = try StreamServer()
        client = try server.connect()
    }

    private func post(
        _ headers: (String, String)..., query: String = "", body: String = "x"
    ) throws -> RawClient.Answer {
        try client.exchange(
            "POST", "/topics/a\(query)", headers: headers, body: Array(body.utf8))
    }

    private func tag() throws -> String {
        let answer = try client.exchange("HEAD", "/topics/a")
        return try #require(answer.header("etag"))
    }

    @Test func theTagOfATopicFitsUntilSomebodyPublishes() throws {
        let first = try tag()
        #expect(first == "\"none\"")
        let made = try post(("If-Match", first))
        #expect(made.status == 201)
        let id = try #require(made.header("event-id"))
        #expect(try tag() == "\"\(id)\"")
        let late = try post(("If-Match", first))
        #expect(late.status == 412 && late.header("etag") == "\"\(id)\"")
        #expect(late.text.contains("\"code\":\"PRECONDITION_FAILED\""), "\(late.text)")
        #expect(late.text.contains("newest event that the topic has had is \(id)"), "\(late.text)")
        // A shell may have taken the quotes.
        #expect(try post(("If-Match", id)).status == 201)
        #expect(try post(("If-Match", "\"\(id)\"")).status == 412)
        #expect(server.bus.statistics.published == 2)
        #expect(
            try client.exchange("GET", "/metrics").text.contains(
                "\nbelfry_failed_conditions_total 2\n"))
    }

    @Test func aTopicThatIsThereOrNotIsACondition() throws {
        let absent = try post(("If-Match", "*"))
        #expect(absent.status == 412 && absent.header("etag") == "\"none\"")
        #expect(absent.text.contains("there is no such topic"), "\(absent.text)")
        #expect(try client.exchange("PUT", "/topics/a").status == 201)
        #expect(try tag() == "\"0\"")
        let there = try post(("If-None-Match", "*"))
        #expect(there.status == 412 && there.header("etag") == "\"0\"")
        #expect(try post(("If-Match", "\"0\"")).status == 201)
        #expect(try post(("If-Match", "\"0\"")).status == 412)
        #expect(try post(("If-Match", "*")).status == 201)
        #expect(try client.exchange("DELETE", "/topics/a").status == 204)
        #expect(try tag() == "\"none\"")
        #expect(try post(("If-None-Match", "*")).status == 201)
    }

    @Test func aBatchHasOneCondition() throws {
        let batch = try post(("If-None-Match", "*"), query: "?split=lines", body: "1\n2\n3")
        #expect(batch.status == 201 && server.bus.statistics.published == 3)
        let refused = try post(("If-None-Match", "*"), query: "?split=lines", body: "4\n5")
        #expect(refused.status == 412 && server.bus.statistics.published == 3)
    }

    @Test func aRepeatIsAnsweredThoughItsConditionIsOver() throws {
        let key = ("Idempotency-Key", "k")
        let first = try post(key, ("If-Match", "\"none\""))
        let again = try post(key, ("If-Match", "\"none\""))
        #expect(first.status == 201 && again.status == 201)
        #expect(again.header("idempotency-replayed") == "true")
        #expect(first.header("event-id") == again.header("event-id"))
        // One that was refused is remembered by nobody.
        let other = ("Idempotency-Key", "l")
        #expect(try post(other, ("If-Match", "\"none\"")).status == 412)
        #expect(try post(other).status == 201)
    }

    @Test(arguments: [
        "", "abc", "W/\"1\"", "\"1\", \"2\"", "\"1", "1\"", "\"\"", "\"*\"", "-1",
        "\"9007199254740992\"",
    ])
    func whatIsNoTagIsRefused(tag: String) throws {
        let answer = try post(("If-Match", tag))
        #expect(answer.status == 400 && answer.text.contains("CONDITION_INVALID"), "\(answer.text)")
        #expect(answer.text.contains("one ETag of HEAD /topics/{topic}"), "\(answer.text)")
        #expect(server.bus.statistics.published == 0)
    }

    @Test func whatCannotBeAConditionIsRefused() throws {
        let all: [([(String, String)], String)] = [
            ([("If-None-Match", "\"1\"")], ""), ([("If-Match", "*"), ("If-None-Match", "*")], ""),
            ([("If-Unmodified-Since", "Mon, 30 Nov 2026 08:00:00 GMT")], ""),
            ([("If-Match", "*")], "?key=k"), ([("If-Match", "*"), ("Event-Key", "k")], ""),
            ([("If-Match", "*")], "?delay=1h"), ([("If-None-Match", "*")], "?every=1h"),
            ([("If-Match", "*")], "?reply=1s"),
        ]
        for (headers, query) in all {
            let answer = try client.exchange(
                "POST", "/topics/a\(query)", headers: headers, body: [0x78])
            #expect(answer.status == 400, "\(headers) \(query): \(answer.text)")
            #expect(answer.text.contains("CONDITION_INVALID"), "\(answer.text)")
        }
        let twice = try post(("If-Match", "*"), ("If-Match", "*"))
        #expect(twice.status == 400 && twice.text.contains("PARAMETER_REPEATED"))
        #expect(server.bus.statistics.published == 0 && server.bus.statistics.topics == 0)
    }

    /// It would be done, whatever the condition says.
    @Test(arguments: [
        ("PUT", "/topics/a"), ("DELETE", "/topics/a"), ("DELETE", "/topics?match=a"),
        ("PUT", "/groups/g?of=a"), ("DELETE", "/groups/g"), ("POST", "/groups/g/next?wait=0"),
        ("PUT", "/topics/a/later/n?every=1h"), ("DELETE", "/topics/a/later/1"),
    ])
    func aConditionThatNobodyLooksAtIsRefused(method: String, target: String) throws {
        let answer = try client.exchange(method, target, headers: [("If-None-Match", "*")])
        #expect(answer.status == 400 && answer.text.contains("CONDITION_INVALID"), "\(answer.text)")
        #expect(answer.text.contains("for publishing alone"), "\(answer.text)")
        #expect(server.bus.statistics.topics == 0)
    }

    @Test func aPatternHasNoVersion() throws {
        #expect(try client.exchange("HEAD", "/topics/a,b").header("etag") == nil)
        #expect(try client.exchange("HEAD", "/topics/*").header("etag") == nil)
    }
}
