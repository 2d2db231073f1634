import Glibc
import TestSupport
import Testing

/// Real users of this machine against rules, over every way in. They are played by `setpriv`, so
/// that it takes root; without it these tests fail and say so.
@Suite(.blocking) struct AccessUsersTests {
    private static let ann = OtherUser(uid: 41_001, gid: 41_001)
    private static let bob = OtherUser(uid: 41_002, gid: 41_002, groups: [41_500, 41_501])
    /// A user of the system, whose first group is its own of the same name.
    private static let games = OtherUser(uid: 5, gid: 60)

    private static let rules = [
        "alpha.> publish uid:41001", "alpha.> subscribe uid:41001 uid:41002",
        "alpha.open.* publish,subscribe anyone", "beta publish gid:41501",
        "gamma publish group:games", "delta administer uid:41002",
        "rooms.* publish uid:0",
    ]

    /// Who publishes where, and whether that is allowed: over the unix socket, over TCP.
    private static let publishing: [(OtherUser, String, unix: Bool, tcp: Bool)] = [
        (ann, "alpha.x", true, true), (bob, "alpha.x", false, false),
        (ann, "alpha.open.x", true, true), (bob, "alpha.open.x", true, true),
        (ann, "other", true, true), (ann, "rooms.a", false, false), (bob, "rooms.a", false, false),
        // Only the unix socket tells of groups that the directory of users does not have.
        (bob, "beta", true, false), (ann, "beta", false, false),
        (games, "gamma", true, true), (bob, "gamma", false, false),
    ]

    @Test(arguments: AccessDaemon.Door.allCases)
    func rulesHoldForTheUsersTheyName(door: AccessDaemon.Door) throws {
        let access = try AccessDaemon(rules: Self.rules)
        for (user, topic, unix, tcp) in Self.publishing {
            let answer = try user.ask("POST", access.curl("/topics/\(topic)", by: door), body: "x")
            let isAllowed = door == .unix ? unix : tcp
            #expect(
                answer.hasSuffix(isAllowed ? "201" : "403"), "\(user) to \(topic): \(answer)")
            #expect(isAllowed || answer.contains(#""code":"ACCESS_DENIED""#))
        }
        let receive = "/topics/alpha.x?since=earliest&as=json"
        #expect(
            try Self.bob.ask("GET", access.curl(receive, by: door)).contains(
                #""data":"x","sender":{"uid":41001"#))
        #expect(try Self.games.ask("GET", access.curl(receive, by: door)).hasSuffix("403"))
        #expect(
            try Self.games.ask("HEAD", access.curl("/topics/alpha.x", by: door)).hasSuffix("403"))
        // Patterns give what may be read.
        let all = "/topics/>?since=earliest&as=json"
        let known = try Self.games.ask("GET", access.curl(all, by: door))
        #expect(known.contains("alpha.open.x") && known.contains("other"))
        #expect(!known.contains(#""topic":"alpha.x""#) && known.contains(#""gap":null"#))
    }

    @Test(arguments: AccessDaemon.Door.allCases)
    func usersWhoSendTheSameBytesAreToldApart(door: AccessDaemon.Door) throws {
        let access = try AccessDaemon(rules: Self.rules, settings: "[http]\nloops = 1\n")
        let observer = try access.daemon.connect()
        let single = "/topics/alpha.x?since=0&wait=0&as=json&max=1"
        let all = "/topics/>?since=0&wait=0&as=json"
        for round in 0..<3 {
            for (user, isAllowed) in [(Self.ann, true), (Self.bob, false), (Self.games, false)] {
                let publish = try access.curl("/topics/alpha.x", by: door)
                let answer = try user.ask("POST", publish, body: "secret \(round)")
                #expect(answer.hasSuffix(isAllowed ? "201" : "403"), "\(user): \(answer)")
                let open = try user.ask(
                    "POST", access.curl("/topics/alpha.open.\(user.uid)", by: door), body: "x")
                #expect(open.hasSuffix("201"), "\(user): \(open)")
            }
            for (user, isAllowed) in [(Self.bob, true), (Self.games, false), (Self.ann, true)] {
                let answer = try user.ask("GET", access.curl(single, by: door))
                #expect(answer.hasSuffix(isAllowed ? "200" : "403"), "\(user): \(answer)")
                #expect(answer.contains("secret") == isAllowed)
                let known = try user.ask("GET", access.curl(all, by: door))
                #expect(known.hasSuffix("200") && known.contains("alpha.open.41001"))
                #expect(known.contains("secret") == isAllowed, "\(user): \(known)")
            }
        }
        let told = try observer.get("/topics/>?since=0&wait=0&as=json&max=100").text
        for event in told.split(separator: "{\"id\":").dropFirst() {
            for user in [Self.ann, Self.bob, Self.games]
            where event.contains("alpha.open.\(user.uid)\"") {
                #expect(event.contains("\"sender\":{\"uid\":\(user.uid)"), "\(event)")
            }
        }
        let samples = try MetricsTests.samples(observer)
        #expect(try #require(samples["belfry_http_repeated_requests_total"]) >= 24)
    }

    @Test(arguments: AccessDaemon.Door.allCases)
    func topicsAreChangedByWhoMadeThemAndByWhomARuleNames(door: AccessDaemon.Door) throws {
        let access = try AccessDaemon(rules: Self.rules)
        func ask(_ user: OtherUser, _ method: String, _ topic: String) throws -> Substring {
            try user.ask(method, access.curl("/topics/\(topic)", by: door)).suffix(3)
        }
        #expect(try ask(Self.ann, "PUT", "delta") == "201")
        #expect(try ask(Self.games, "PUT", "delta") == "403")
        #expect(try ask(Self.bob, "PUT", "delta") == "200")
        #expect(try ask(Self.games, "DELETE", "delta") == "403")
        #expect(try ask(Self.bob, "DELETE", "delta") == "204")
        #expect(try ask(Self.ann, "PUT", "rooms.a") == "403")
        #expect(try ask(Self.ann, "PUT", "mine") == "201")
        #expect(try ask(Self.bob, "DELETE", "mine") == "403")
        #expect(try ask(Self.ann, "DELETE", "mine") == "204")
    }

    /// The answer to a condition tells whether somebody else has published.
    @Test(arguments: AccessDaemon.Door.allCases)
    func aConditionNeedsTheRightToReceive(door: AccessDaemon.Door) throws {
        let access = try AccessDaemon(rules: ["box publish anyone", "box subscribe uid:41002"])
        let target = try access.curl("/topics/box", by: door)
        for condition in ["If-Match: *", "If-Match: \"none\"", "If-None-Match: *"] {
            let answer = try Self.ann.ask("POST", target + ["-H", condition], body: "x")
            #expect(answer.hasSuffix("403") && answer.contains("ACCESS_DENIED"), "\(answer)")
        }
        #expect(try Self.ann.ask("POST", target, body: "x").hasSuffix("201"))
        let answer = try Self.bob.ask("POST", target + ["-H", "If-None-Match: *"], body: "x")
        #expect(answer.hasSuffix("412"), "\(answer)")
    }

    @Test(arguments: AccessDaemon.Door.allCases)
    func aPatternIsDeletedAsFarAsItsCallerMay(door: AccessDaemon.Door) throws {
        let access = try AccessDaemon(rules: Self.rules)
        func ask(_ user: OtherUser, _ method: String, _ target: String) throws -> String {
            try user.ask(method, access.curl(target, by: door))
        }
        for (user, topic) in [(Self.ann, "jobs.a"), (Self.ann, "jobs.b"), (Self.bob, "jobs.c")] {
            #expect(try ask(user, "PUT", "/topics/\(topic)").hasSuffix("201"))
        }
        // Nobody has made a topic that has nothing but events for later.
        #expect(try ask(Self.ann, "POST", "/topics/jobs.d?delay=1h").hasSuffix("202"))
        let all = "/topics?match=*.*"
        #expect(try ask(Self.bob, "DELETE", all).contains(#"{"removed":1,"denied":3}"#))
        #expect(try ask(Self.ann, "PUT", "/topics/alpha.x").hasSuffix("201"))
        // Who may not read a topic is not told of it.
        #expect(try ask(Self.games, "DELETE", all).contains(#"{"removed":0,"denied":3}"#))
        #expect(try ask(Self.ann, "DELETE", all).contains(#"{"removed":3,"denied":1}"#))
    }

    /// A closed socket is root's in the kernel's table, which is how a user could pass for root.
    @Test(arguments: [AccessDaemon.Door.ipv4, .ipv6])
    func whoClosesRightBehindItsRequestIsNeverRoot(door: AccessDaemon.Door) throws {
        let access = try AccessDaemon(
            rules: ["rooms.* publish uid:0"], arguments: ["--store", "memory"])
        let host = door == .ipv4 ? "127.0.0.1" : "::1"
        let port = door == .ipv4 ? access.daemon.port : try access.port6
        // Each round two requests, and no look at the answers.
        let script = """
            for ((round = 0; round < 200; round++)); do
                for topic in rooms.a open; do
                    exec 3<>/dev/tcp/\(host)/\(port)
                    printf 'POST /topics/%s HTTP/1.1\\r\\nHost: localhost\\r\\n' $topic >&3
                    printf 'Content-Length: 1\\r\\n\\r\\nx' >&3
                    exec 3>&-
                done
            done 2>/dev/null
            """
        let address = door == .ipv4 ? access.daemon.tcp : .tcp6(port)
        let first = try RawClient(address)
        try first.publish("first", to: "open")
        _ = try Self.ann.run("/bin/bash", ["-c", script])
        // They are accepted in their order, so this one behind all of them; then they are served.
        let client = try RawClient(address)
        try client.publish("last", to: "open")
        try eventually("all connections but ours have ended") {
            let figures = try client.get("/metrics").text.split(separator: "\n")
            let open = figures.filter { $0.hasPrefix("belfry_http_connections{") }
            return open.reduce(0) { $0 + Int($1.split(separator: " ")[1])! } <= 2
        }
        #expect(try client.exchange("HEAD", "/topics/rooms.a").status == 404)
        let told = try client.get("/topics/open?since=earliest&as=json&max=1000").text
        let events = told.split(separator: "{\"id\":").dropFirst()
        #expect(events.count > 2, "no request of a client that closed was served at all")
        for event in events {
            let isOurs = event.contains(#""data":"first""#) || event.contains(#""data":"last""#)
            #expect(
                event.contains(#""sender":{"uid":\#(isOurs ? 0 : 41_001)}"#)
                    || !event.contains(#""sender""#) && !isOurs, "\(event)")
        }
    }
}
