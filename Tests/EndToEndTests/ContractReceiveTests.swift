import Glibc
import TestSupport
import Testing

/// Raw long polls: one event an answer, along the cursor.
@Suite(.blocking, .serialized) struct ContractReceiveTests {
    private static let shared = SharedDaemon()
    private let daemon: RunningDaemon
    private let client: RawClient
    /// The topic of one test.
    private let topic = Self.shared.topic()

    init() throws {
        daemon = try Self.shared.running()
        client = try daemon.connect()
    }

    @Test func anEventIsAnsweredWithAllThatStaysWithIt() throws {
        let id = try client.publish(
            "<p>hello", to: "pages.home",
            headers: [
                ("Content-Type", "text/html"), ("Event-Type", "made"), ("Event-Key", "k 1"),
            ])
        let answer = try client.get("/topics/pages.*?since=earliest")
        #expect(answer.status == 200)
        #expect(answer.text == "<p>hello")
        let expected = [
            "Content-Type": "text/html", "Event-ID": "\(id)", "Event-Topic": "pages.home",
            "Event-Type": "made", "Event-Key": "k 1", "Event-Cursor": "\(id)",
            "Link": "</topics/pages.*?since=\(id)>; rel=\"next\"",
            "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
        for (name, value) in expected { #expect(answer.header(name) == value, "\(name)") }
        #expect(answer.header("event-gap") == nil)
    }

    @Test func aWaitEndsWithTheEvent() throws {
        try client.register(topic)
        let poller = try daemon.connect()
        try poller.send("GET", "/topics/\(topic)")
        try client.await(subscribers: 1, of: topic)
        #expect(poller.isSilent(for: 0.05))
        let id = try client.publish("live", to: topic)
        let answer = try poller.readAnswer()
        #expect(answer.status == 200 && answer.text == "live")
        #expect(answer.number("event-cursor") == id)
        try client.await(subscribers: 0, of: topic)
    }

    @Test func followingTheLinkDeliversEverythingOnce() throws {
        let published = try (1...20).map { number in
            try client.publish("\(number)", to: number % 3 == 0 ? "other" : "t.a")
        }
        var target = "/topics/t.*,other?%73ince=earliest&wait=0"
        var seen: [UInt64] = []
        while true {
            let answer = try client.get(target)
            guard answer.status == 200 else {
                #expect(answer.status == 204)
                #expect(answer.number("event-cursor") == published.last)
                break
            }
            seen.append(try #require(answer.number("event-id")))
            let link = try #require(answer.header("link"))
            target = String(link.dropFirst().prefix { $0 != ">" })
            #expect(link == "<\(target)>; rel=\"next\"")
            #expect(target.contains("wait=0"))
        }
        #expect(seen == published)
    }

    @Test func theCursorPassesWhatDoesNotMatch() throws {
        try client.publish("wanted", to: topic, headers: [("Event-Type", "a")])
        let last = try (1...5).map { _ in
            try client.publish("x", to: topic, headers: [("Event-Type", "b")])
        }.last
        let empty = try client.get("/topics/\(topic)?type=c&since=earliest&wait=0")
        #expect(empty.status == 204)
        #expect(empty.number("event-cursor") == last)
        let answer = try client.get("/topics/\(topic)?type=a&since=earliest&wait=0")
        #expect(answer.text == "wanted")
        let cursor = try #require(answer.header("event-cursor"))
        #expect(try client.get("/topics/\(topic)?type=a&since=\(cursor)&wait=0").status == 204)
    }

    @Test(
        arguments: [
            ("?type=a", ["1", "3"]), ("?key=k", ["2", "3"]), ("?type=a&key=k", ["3"]),
            ("?type=A", []), ("?type=a%20b", ["4"]), ("?type=a+b", ["4"]),
        ] as [(String, [String])])
    func filtersLetOnlySuchEventsThrough(query: String, expected: [String]) throws {
        try client.publish("1", to: topic, headers: [("Event-Type", "a")])
        try client.publish("2", to: topic, headers: [("Event-Key", "k")])
        try client.publish("3", to: topic, headers: [("Event-Type", "a"), ("Event-Key", "k")])
        try client.publish("4", to: topic, headers: [("Event-Type", "a b")])
        var seen: [String] = []
        var cursor = "earliest"
        while true {
            let answer = try client.get("/topics/\(topic)\(query)&wait=0&since=\(cursor)")
            guard answer.status == 200 else { break }
            seen.append(answer.text)
            cursor = try #require(answer.header("event-cursor"))
        }
        #expect(seen == expected)
    }

    @Test func aFilteredWaitSleepsThroughTheOthers() throws {
        try client.register(topic)
        let poller = try daemon.connect()
        try poller.send("GET", "/topics/\(topic)?type=b")
        try client.await(subscribers: 1, of: topic)
        try client.publish("not this", to: topic, headers: [("Event-Type", "a")])
        try client.publish("not this", to: topic)
        #expect(poller.isSilent(for: 0.05))
        let id = try client.publish("this", to: topic, headers: [("Event-Type", "b")])
        let answer = try poller.readAnswer()
        #expect(answer.text == "this")
        #expect(answer.number("event-cursor") == id)
    }

    @Test(arguments: ["wait=0", "wait=0ms", "wait=100ms"])
    func aWaitWithoutAnEventEndsInTimeWithTheCursor(wait: String) throws {
        let id = try client.publish("x", to: topic)
        let begin = monotonicSeconds()
        let answer = try client.get("/topics/\(topic)?\(wait)")
        let seconds = monotonicSeconds() - begin
        #expect(answer.status == 204 && answer.body.isEmpty)
        #expect(answer.number("event-cursor") == id)
        #expect(answer.header("link") == "</topics/\(topic)?\(wait)&since=\(id)>; rel=\"next\"")
        #expect(wait.hasPrefix("wait=0") || seconds >= 0.1)
        #expect(seconds < 30)
    }

    @Test func noWaitEndsBeforeItsTime() throws {
        try client.register(topic)
        for _ in 0..<50 {
            let begin = monotonicSeconds()
            let answer = try client.get("/topics/\(topic)?wait=2ms")
            #expect(monotonicSeconds() - begin >= 0.002)
            #expect(answer.status == 204)
        }
    }

    @Test func preferenceBeatsParameterAndIsClamped() throws {
        let at = try client.get("/topics/\(topic)?wait=1h", headers: [("Prefer", "wait=0")])
        #expect(at.status == 204)
        #expect(at.header("preference-applied") == "wait=0")
        let mixed = try client.get(
            "/topics/\(topic)?wait=1h", headers: [("Prefer", "respond-async, WAIT=0; x=1")])
        #expect(mixed.header("preference-applied") == "wait=0")
        try client.publish("x", to: topic)
        let clamped = try client.get(
            "/topics/\(topic)?since=earliest", headers: [("Prefer", "wait=99999")])
        #expect(clamped.status == 200)
        #expect(clamped.header("preference-applied") == "wait=3600")
        let ignored = try client.get("/topics/\(topic)?wait=0", headers: [("Prefer", "wait=soon")])
        #expect(ignored.status == 204)
        #expect(ignored.header("preference-applied") == nil)
    }

    @Test func manyWaitersGetTheSameEvent() throws {
        try client.register(topic)
        let pollers = try (0..<60).map { index in
            let poller = try RawClient(index % 2 == 0 ? daemon.tcp : daemon.unix)
            try poller.send("GET", index % 3 == 0 ? "/topics/\(topic)" : "/topics/*?as=json")
            return poller
        }
        try client.await(subscribers: 60, of: topic)
        let answer = try client.exchange("POST", "/topics/\(topic)", body: Array("all".utf8))
        #expect(answer.text.contains("\"subscribers\":60"))
        for poller in pollers { #expect(try poller.readAnswer().text.contains("all")) }
    }
}
