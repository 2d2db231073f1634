import Glibc
import TestSupport
import Testing

/// What a caller under rules may see, in every form. The caller is whoever runs the tests.
@Suite(.blocking) struct AccessRulesTests {
    /// Rules that hide topics from us, whoever we are, and let us publish there.
    private static let hidden = [
        "secret.> subscribe uid:4000000", "secret.open.* subscribe uid:\(getuid())",
        "sealed publish uid:4000000",
    ]

    private static func daemon(_ store: String = "memory") throws -> (AccessDaemon, RawClient) {
        let access = try AccessDaemon(
            rules: hidden, settings: "[retention]\ngrace = 0s\n", arguments: ["--store", store])
        return (access, try access.daemon.connect())
    }

    private static func check(_ answer: RawClient.Answer, _ status: Int, _ what: String) {
        #expect(answer.status == status, "\(what): \(answer.text)")
        #expect(answer.member("code") == (status == 401 ? "TOKEN_INVALID" : "ACCESS_DENIED"))
    }

    @Test func aNameThatMayNotBeReadIsRefusedInEveryForm() throws {
        let (access, client) = try Self.daemon()
        let id = try client.publish("x", to: "secret.a")
        for form in ["raw", "json", "ndjson", "sse"] {
            for selector in ["secret.a", "open,secret.a", "secret.never"] {
                let target = "/topics/\(selector)?as=\(form)&wait=0&since=earliest"
                Self.check(try client.get(target), 403, target)
            }
        }
        Self.check(
            try WebSocketClient.refusal(access.daemon.tcp, "/topics/secret.a"), 403, "WebSocket")
        for name in ["secret.a", "secret.never"] {
            #expect(try client.exchange("HEAD", "/topics/\(name)").status == 403)
            Self.check(try client.get("/topics/\(name)/events/\(id)"), 403, name)
        }
        Self.check(try client.exchange("POST", "/topics/sealed", body: [120]), 403, "POST")
        #expect(try client.get("/topics/secret.open.a?wait=0").status == 204)
    }

    @Test(arguments: ["memory", "sqlite"])
    func patternsGiveWhatMayBeReadAndSayNothingOfTheRest(store: String) throws {
        let (access, client) = try Self.daemon(store)
        let cursor = try client.publish("0", to: "a")
        try client.register("secret.b", "?keep=1")
        for round in 1...3 { try client.publish("\(round)", to: "secret.b") }
        let open = try client.publish("4", to: "secret.open.c")
        try client.publish("5", to: "secret.new")
        let last = try client.publish("6", to: "d")
        func cursors(_ target: String) throws -> [String] {
            let text = try client.get(target).text
            #expect(!text.contains("secret.b") && !text.contains("secret.new"), "\(target)")
            #expect(text.contains(#""gap":null"#), "\(target): \(text)")
            return text.split(separator: "\"id\":\"").dropFirst().map {
                String($0.prefix { $0 != "\"" })
            }
        }
        for start in ["\(cursor)", "-3"] {
            let ids = try cursors("/topics/>?as=json&since=\(start)")
            #expect(ids.suffix(2) == ["\(open)", "\(last)"], "since \(start)")
        }
        #expect(
            try cursors("/topics/>?as=json&since=earliest") == [cursor, open, last].map { "\($0)" })
        #expect(try cursors("/topics/>?as=json&since=-2") == ["\(open)", "\(last)"])
        #expect(
            try cursors("/topics/secret.>,d?as=json&since=\(cursor)") == ["\(open)", "\(last)"])
        // The cursor moves all the same, so that nobody falls behind by what he cannot see.
        let hiddenOnly = try client.get("/topics/secret.*?as=json&wait=0&since=\(cursor)")
        #expect(hiddenOnly.member("cursor") == "\(last)")

        let list = try client.get("/topics").text
        for name in ["a", "d", "secret.open.c"] { #expect(list.contains("{\"name\":\"\(name)\"")) }
        #expect(!list.contains("secret.b") && !list.contains("secret.new"))
        #expect(try client.exchange("HEAD", "/topics/>").number("event-count") == 3)
        #expect(try client.exchange("HEAD", "/topics/secret.*").status == 404)
        _ = access
    }

    @Test func streamsAndSocketsWakeForWhatTheyMaySeeAlone() throws {
        let (access, client) = try Self.daemon()
        let lines = try access.daemon.stream("/topics/>?as=ndjson", .lines)
        let socket = try WebSocketClient(access.daemon.tcp, "/topics/>")
        _ = try (lines.next(1), socket.text())
        try client.publish("hidden", to: "secret.later")
        try client.publish("seen", to: "later")
        #expect(try lines.next(1).payloads == ["seen"])
        #expect(try socket.text().contains(#""data":"seen""#))
        // Who may publish there and not read is told the id, and nothing of the event.
        #expect(try socket.publish(#"{"topic":"secret.a","data":1,"ref":1}"#).contains("\"id\""))
        let refused = try socket.publish(#"{"topic":"sealed","data":1,"ref":2}"#)
        #expect(
            refused.hasPrefix(#"{"ref":2,"status":403,"title":"Forbidden","code":"ACCESS_DENIED""#))
        // Subscribers of a pattern count where they may read.
        #expect(
            try client.exchange("POST", "/topics/x", body: []).text.contains(#""subscribers":2"#))
    }

    /// A count of readers is about them.
    @Test func whoMayPublishAndNotReceiveIsNotToldHowManyDo() throws {
        let (access, client) = try Self.daemon()
        // Later requests of a connection are known by their heads.
        for _ in 0..<3 {
            for (topic, isCounted) in [("secret.a", false), ("open", true), ("secret.b", false)] {
                let answer = try client.exchange("POST", "/topics/\(topic)", body: [])
                #expect(answer.status == 201)
                #expect(answer.text.hasSuffix(isCounted ? #","subscribers":0}\#n"# : "Z\"}\n"))
            }
            for _ in 0..<3 {
                let answer = try client.exchange("POST", "/topics/secret.b", body: [])
                #expect(answer.text.hasSuffix("Z\"}\n"), "\(answer.text)")
            }
        }
        // Nor that there is a topic whose name differs in a capital alone.
        for topic in ["Secret.a", "Open"] {
            let answer = try client.exchange("POST", "/topics/\(topic)", body: [])
            #expect(answer.status == 201)
            #expect(answer.text.contains("hint") == (topic == "Open"))
        }
        try access.reload(rules: ["secret.a subscribe uid:4000000"])
        #expect(
            try client.exchange("POST", "/topics/secret.b", body: []).text
                .contains(#""subscribers":0"#))
    }

    @Test func aRefusedPatternNamesNoSelectorOfARule() throws {
        let (access, client) = try Self.daemon()
        let answer = try client.exchange("PUT", "/groups/g?of=*.a")
        Self.check(answer, 403, "a pattern")
        #expect(!answer.text.contains("secret") && answer.text.contains("'*.a'"))
        _ = access
    }

    @Test func whoMayChangeATopicAndNotReadItIsNotToldWhatItHolds() throws {
        let (access, client) = try Self.daemon()
        let answer = try client.exchange("PUT", "/topics/secret.a?keep=3")
        #expect(answer.status == 201)
        #expect(answer.text.contains(#""keep":3"#) && !answer.text.contains(#""events""#))
        #expect(try client.exchange("PUT", "/topics/a").text.contains(#""events":0"#))
        _ = access
    }
}
