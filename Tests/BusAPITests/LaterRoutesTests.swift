import Glibc
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import HTTPFront

/// Events for later over HTTP.
@Suite(.blocking) struct LaterRoutesTests {
    private let server: StreamServer
    private let client: RawClient

    init() throws {
        server = try StreamServer()
        client = try server.connect()
    }

    private static let tomorrow = time(nil) + 86_400

    private func post(
        _ target: String, _ text: String = "x", headers: [(String, String)] = []
    ) throws -> RawClient.Answer {
        try client.exchange("POST", target, headers: headers, body: Array(text.utf8))
    }

    private func hold(
        _ target: String, _ text: String = "x", headers: [(String, String)] = []
    ) throws -> String {
        let answer = try post(target, text, headers: headers)
        try #require(answer.status == 202, "\(answer.text)")
        return try #require(answer.header("location"))
    }

    @Test func anEventIsHeldAndListedAndCancelled() throws {
        let answer = try post(
            "/topics/remind?delay=1h&type=t&key=k&ttl=5m&attribute.host=web1", "stand up")
        let place = try #require(answer.header("location"))
        let ticket = try #require(place.split(separator: "/").last)
        #expect(answer.status == 202 && place == "/topics/remind/later/\(ticket)")
        #expect(answer.text.hasPrefix("{\"later\":\"\(ticket)\",\"topic\":\"remind\",\"due\":\"20"))
        let shown = try client.exchange("GET", place)
        #expect(shown.status == 200, "\(shown.text)")
        for member in [
            "\"later\":\"\(ticket)\"", "\"topic\":\"remind\"", "\"type\":\"t\"", "\"key\":\"k\"",
            "\"attributes\":{\"host\":\"web1\"}", "\"count\":1", "\"bytes\":8", "\"ttl\":\"5m\"",
        ] {
            #expect(shown.text.contains(member), "\(member) \(shown.text)")
        }
        let listed = try client.exchange("GET", "/topics/remind/later")
        let payload = ",\"data\":\"stand up\""
        #expect(shown.text.hasSuffix("\(payload)}\n"), "\(shown.text)")
        let object = shown.text.replacing(payload, with: "").dropLast()
        #expect(listed.text == "{\"later\":[\(object)],\"next\":null}\n")
        #expect(try client.exchange("DELETE", place).status == 204)
        let again = try client.exchange("DELETE", place)
        #expect(again.status == 404 && again.text.contains("LATER_UNKNOWN"))
        #expect(again.text.contains("were cancelled"))
        #expect(
            try client.exchange("GET", "/topics/remind/later").text
                == "{\"later\":[],\"next\":null}\n")
        #expect(server.bus.statistics.published == 0)
    }

    @Test func whatIsPublishedMeanwhileIsToldWithItsPlace() throws {
        let place = try hold("/topics/a?delay=1ms", "now")
        // A millisecond is over soon.
        while server.bus.laterCount > 0 { server.bus.sweep() }
        let late = try client.exchange("DELETE", place)
        #expect(late.status == 410 && late.text.contains("EVENT_PUBLISHED"), "\(late.text)")
        let event = try #require(late.header("location"))
        #expect(try client.exchange("GET", event).text == "now")
    }

    @Test func aTimeThatIsOverPublishesAtOnce() throws {
        for target in ["/topics/a?at=2020-01-01", "/topics/a?delay=0s", "/topics/a?at=@1"] {
            #expect(try post(target).status == 201)
        }
        #expect(server.bus.statistics.published == 3)
    }

    @Test func linesShareATicket() throws {
        let place = try hold("/topics/a?at=@\(Self.tomorrow)&split=lines", "one\ntwo\n")
        let shown = try client.exchange("GET", place).text
        #expect(shown.contains("\"count\":2"))
    }

    @Test(arguments: [
        ("delay=1h&at=2100-01-01", "PARAMETER_INVALID"), ("delay=366d", "PARAMETER_INVALID"),
        ("delay=soon", "PARAMETER_INVALID"), ("at=tomorrow", "PARAMETER_INVALID"),
        ("at=9999-01-01", "PARAMETER_INVALID"), ("at=10m", "PARAMETER_INVALID"),
        ("delay=1h&reply=1s", "PARAMETER_INVALID"), ("delay=1h&delay=2h", "PARAMETER_REPEATED"),
    ])
    func whatIsNoMomentIsRefused(query: String, code: String) throws {
        let answer = try post("/topics/a?\(query)")
        #expect(answer.status == 400 && answer.text.contains(code), "\(answer.text)")
        #expect(server.bus.laterCount == 0 && server.bus.statistics.published == 0)
    }

    @Test func aRepeatWithItsKeyGetsTheSameTicket() throws {
        func send(_ delay: String) throws -> RawClient.Answer {
            try post("/topics/a?delay=\(delay)", headers: [("Idempotency-Key", "k")])
        }
        let (first, again) = (try send("1h"), try send("1h"))
        #expect(first.status == 202 && again.status == 202 && first.text == again.text)
        #expect(again.header("idempotency-replayed") == "true")
        #expect(try send("2h").status == 422)
        #expect(server.bus.laterCount == 1)
    }

    @Test func aListComesInParts() throws {
        var places: [String] = []
        for _ in 0..<5 { places.append(try hold("/topics/a?delay=1h")) }
        var (told, after) = ([Substring](), "0")
        for _ in 0..<3 {
            let answer = try client.exchange("GET", "/topics/a/later?max=2&after=\(after)")
            told += answer.text.matches(of: /"later":"(\d+)"/).map { $0.1 }
            guard let next = answer.text.firstMatch(of: /"next":"(\d+)"/) else { break }
            after = String(next.1)
        }
        #expect(told == places.map { $0.split(separator: "/").last! })
    }

    @Test func whatIsNoTicketIsUnknown() throws {
        for path in ["/topics/a/later/7", "/topics/a/later/x", "/topics/a/later/"] {
            let answer = try client.exchange("DELETE", path)
            #expect(answer.status == 404 && answer.text.contains("LATER_UNKNOWN"), "\(answer.text)")
        }
        let place = try hold("/topics/a?delay=1h")
        let other = place.replacing("/topics/a/", with: "/topics/b/")
        #expect(try client.exchange("GET", other).status == 404)
        #expect(try client.exchange("DELETE", other).status == 404)
        #expect(server.bus.laterCount == 1)
    }

    @Test func aScheduleHasANameAndIsReplacedByAnotherOne() throws {
        func put(_ query: String, _ text: String = "x") throws -> RawClient.Answer {
            try client.exchange("PUT", "/topics/a/later/tick?\(query)", body: Array(text.utf8))
        }
        let first = try put("every=1h")
        #expect(first.status == 202, "\(first.text)")
        #expect(try put("every=1h").text == first.text)
        let shown = try client.exchange("GET", "/topics/a/later/tick").text
        #expect(shown.contains("\"every\":\"1h\",\"name\":\"tick\""), "\(shown)")
        let second = try put("every=1h", "y")
        #expect(second.status == 202 && second.text != first.text)
        #expect(try post("/topics/a?every=1h&name=tick", "y").text == second.text)
        #expect(server.bus.laterCount == 1)
        #expect(try client.exchange("DELETE", "/topics/a/later/tick").status == 204)
        #expect(try client.exchange("DELETE", "/topics/a/later/tick").status == 404)
        #expect(server.bus.laterCount == 0)
    }

    @Test(arguments: [
        "name=n", "every=10ms", "every=1h&name=7", "every=1h&name=a%20b", "every=1h&split=lines",
        "every=1h&reply=1s", "every=366d", "every=1h&name=",
    ])
    func whatIsNoScheduleIsRefused(query: String) throws {
        let answer = try post("/topics/a?\(query)")
        #expect(answer.status == 400 && answer.text.contains("PARAMETER_INVALID"), "\(answer.text)")
        #expect(server.bus.laterCount == 0)
    }

    @Test func aScheduleWithoutANameShowsNone() throws {
        let shown = try client.exchange("GET", try hold("/topics/a?every=1h")).text
        #expect(shown.contains("\"every\":\"1h\"") && !shown.contains("\"name\""), "\(shown)")
    }

    /// Headers by which others say it: the event would be published at once, without a word.
    @Test(arguments: ["Delay", "X-Delay", "at", "X-At", "In", "x-in"])
    func aHeaderThatMeansLaterElsewhereIsRefused(name: String) throws {
        let answer = try post("/topics/a", headers: [(name, "30m")])
        #expect(answer.status == 400 && answer.text.contains("PARAMETER_UNKNOWN"), "\(answer.text)")
        #expect(answer.text.contains("?delay=30m or ?at="), "\(answer.text)")
        #expect(server.bus.statistics.published == 0)
    }

    @Test func aTimeThatIsOverIsTold() throws {
        let answer = try post("/topics/a?at=2020-01-01").text
        #expect(answer.contains("\"hint\":\"The time of 'at' is over"), "\(answer)")
        #expect(try !post("/topics/a?delay=0s").text.contains("hint"))
    }

    @Test func aScheduleOfAPathNeedsItsInterval() throws {
        let answer = try client.exchange("PUT", "/topics/a/later/tick?delay=1h", body: [65])
        #expect(answer.status == 400 && answer.text.contains("'every'"), "\(answer.text)")
    }

    @Test func schedulesOfAUserAreBounded() throws {
        for number in 0..<10 {
            #expect(try post("/topics/a?every=1s&name=n\(number)").status == 202)
        }
        let more = try post("/topics/a?every=1s")
        #expect(more.status == 429 && more.text.contains("ten events a second"), "\(more.text)")
    }

    @Test func aTicketIsShownWithItsPayload() throws {
        let text = try hold("/topics/a?delay=1h", "größer")
        #expect(try client.exchange("GET", text).text.contains("\"data\":\"größer\"}"))
        let head = try client.exchange("HEAD", text)
        #expect(head.status == 200 && head.text.isEmpty)
        let json = try hold(
            "/topics/a?delay=1h", "[1,2]", headers: [("Content-Type", "application/json")])
        #expect(try client.exchange("GET", json).text.contains("\"data\":[1,2]}"))
        let bytes = try client.exchange("POST", "/topics/a?delay=1h", body: [0xFF, 0])
        let place = try #require(bytes.header("location"))
        #expect(try client.exchange("GET", place).text.contains("\"data_base64\":\"/wA=\"}"))
        let lines = try hold("/topics/a?delay=1h&split=lines", "1\n2\n3")
        let events = "\"events\":[{\"data\":\"1\"},{\"data\":\"2\"},{\"data\":\"3\"}]}"
        #expect(try client.exchange("GET", lines).text.contains(events))
        #expect(try !client.exchange("GET", "/topics/a/later").text.contains("data"))
        let many = try hold(
            "/topics/a?delay=1h&split=lines",
            (0..<1_500).map { "\($0)" }.joined(separator: "\n"))
        let answer = try client.exchange("GET", many).text
        #expect(answer.contains("\"count\":1500") && answer.hasSuffix("{\"data\":\"999\"}]}\n"))
    }

    /// A topic that has nothing but events for later would come back with them.
    @Test func topicsOfAPatternGoWithWhatIsHeldForThem() throws {
        for topic in ["a.x", "a.y", "b"] { _ = try hold("/topics/\(topic)?delay=1h") }
        _ = try post("/topics/a.y")
        let removed = try client.exchange("DELETE", "/topics?match=a.%3E")
        #expect(removed.text == "{\"removed\":2,\"denied\":0}\n", "\(removed.text)")
        #expect(server.bus.laterCount == 1)
        let rest = try client.exchange("DELETE", "/topics?match=%3E")
        #expect(rest.text == "{\"removed\":1,\"denied\":0}\n" && server.bus.laterCount == 0)
    }

    @Test func aTopicGoesWithWhatIsHeldForIt() throws {
        let place = try hold("/topics/a?delay=1h")
        #expect(try client.exchange("DELETE", "/topics/a").status == 204)
        #expect(try client.exchange("GET", place).status == 404)
        #expect(server.bus.laterCount == 0)
    }
}
