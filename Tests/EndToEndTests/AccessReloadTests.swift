import Glibc
import TestSupport
import Testing

/// What a reload of rules and tokens does to those who wait.
@Suite(.blocking) struct AccessReloadTests {
    private static let closed = ["t subscribe uid:4000000"]

    @Test func aReloadEndsWhatIsNoLongerAllowed() throws {
        let access = try AccessDaemon(rules: [])
        let daemon = access.daemon
        let client = try daemon.connect()
        try client.register("t")
        let poll = try daemon.connect()
        try poll.send("GET", "/topics/t?as=json")
        let other = try daemon.connect()
        try other.send("GET", "/topics/u?as=json")
        let lines = try daemon.stream("/topics/t?as=ndjson", .lines)
        let events = try daemon.stream("/topics/t?as=sse", .events(areEnvelopes: false))
        let socket = try WebSocketClient(daemon.tcp, "/topics/t")
        _ = try (lines.next(1), events.next(1), socket.text())
        try client.await(subscribers: 4, of: "t")

        try access.reload(rules: Self.closed)
        let refused = try poll.readAnswer()
        #expect(refused.status == 403 && refused.member("code") == "ACCESS_DENIED")
        for stream in [lines, events] {
            #expect(try stream.rest().payloads == [])
            #expect(stream.ending == .clean(isKept: true))
        }
        #expect(try socket.closeCode() == 1008)
        #expect(try client.get("/topics/t?wait=0").status == 403)
        // Who waits for something else waits on.
        try client.publish("still here", to: "u")
        #expect(try other.readAnswer().text.contains("still here"))

        try access.reload(rules: [])
        #expect(try client.get("/topics/t?wait=0").status == 204)
    }

    @Test func patternsGoOnWithWhatMayBeReadFromThenOn() throws {
        let access = try AccessDaemon(rules: [])
        let client = try access.daemon.connect()
        let stream = try access.daemon.stream("/topics/*?as=ndjson", .lines)
        _ = try stream.next(1)
        try client.publish("before", to: "t")
        #expect(try stream.next(1).payloads == ["before"])
        try access.reload(rules: Self.closed)
        try client.publish("hidden", to: "t")
        try client.publish("seen", to: "u")
        #expect(try stream.next(1).payloads == ["seen"])
        try access.reload(rules: [])
        try client.publish("again", to: "t")
        #expect(try stream.next(1).payloads == ["again"])
        #expect(stream.ending == nil)
    }

    /// More than are judged in one turn of a loop.
    @Test func rulesHoldFromTheReloadOnHoweverManyWait() throws {
        let access = try AccessDaemon(rules: [])
        let client = try access.daemon.connect()
        try client.register("t")
        let polls = try (0..<100).map { _ in
            let poll = try access.daemon.connect()
            try poll.send("GET", "/topics/t")
            return poll
        }
        let streams = try (0..<100).map { _ in
            try access.daemon.stream("/topics/*?as=ndjson", .lines)
        }
        for stream in streams { _ = try stream.next(1) }
        try client.await(subscribers: 200, of: "t")
        try access.reload(rules: Self.closed)
        try client.publish("hidden", to: "t")
        try client.publish("seen", to: "u")
        for poll in polls { #expect(try poll.readAnswer().status == 403) }
        for stream in streams { #expect(try stream.next(1).payloads == ["seen"]) }
        try access.reload(rules: [])
        try client.publish("again", to: "t")
        for stream in streams { #expect(try stream.next(1).payloads == ["again"]) }
    }

    @Test func aReloadThatChangesNothingForACallerDisturbsNobody() throws {
        let access = try AccessDaemon(rules: ["x subscribe uid:4000000"])
        let client = try access.daemon.connect()
        let stream = try access.daemon.stream("/topics/>?as=ndjson", .lines)
        _ = try stream.next(1)
        try access.reload(rules: ["x subscribe uid:4000001", "u subscribe anyone"])
        try client.publish("hidden", to: "x")
        try client.publish("seen", to: "u")
        #expect(try stream.next(1).payloads == ["seen"])
    }

    /// To guess would hide events from who may see them, or the reverse.
    @Test func aConnectionOfBeforeTheRulesNeededGroupsHasToConnectAgain() throws {
        let access = try AccessDaemon(rules: [])
        let client = try access.daemon.connect()
        #expect(try client.get("/topics/t?wait=0").status == 204)
        let poll = try access.daemon.connect()
        try poll.send("GET", "/topics/t")
        try client.register("t")
        try client.await(subscribers: 1, of: "t")
        try access.reload(rules: ["t subscribe gid:\(getegid())"])
        for late in [try poll.readAnswer(), try client.get("/topics/t?wait=0")] {
            #expect(late.status == 503 && late.member("code") == "LIMIT_BUS")
            #expect(late.header("connection") == "close" && late.header("retry-after") == "1")
        }
        #expect(try access.daemon.connect().get("/topics/t?wait=0").status == 204)
        #expect(try RawClient(access.daemon.unix).get("/topics/t?wait=0").status == 204)
    }

    @Test func aBrokenRuleAtAReloadLeavesTheOldOnes() throws {
        let access = try AccessDaemon(rules: Self.closed)
        let client = try access.daemon.connect()
        try access.reload(
            rules: ["t subscribe user:no-such-user-here"],
            until: "there is no user `no-such-user-here`: write uid:N, or make the user first")
        #expect(try client.get("/topics/t?wait=0").status == 403)
    }
}
