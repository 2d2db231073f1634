import Glibc
import Protection
import TestSupport
import Testing

/// Work groups whose maker loses rights by a reload, and groups that are not to be known of. Other users
/// are played by `setpriv`, so that it takes root.
@Suite(.blocking) struct AccessGroupsTests {
    /// The rules name her.
    private static let ann = OtherUser(uid: 41_001, gid: 41_001)
    /// They name him no more.
    private static let mal = OtherUser(uid: 41_003, gid: 41_003)
    /// A user of the system, whose first group is its own of the same name.
    private static let games = OtherUser(uid: 5, gid: 60)

    private static let closed = ["secret.> publish,subscribe,work uid:41001"]

    /// Asks as a user over the unix socket; the status is last.
    private func ask(
        _ user: OtherUser, _ access: AccessDaemon, _ method: String, _ path: String,
        body: String? = nil
    ) throws -> String {
        try user.ask(method, access.curl(path, by: .unix), body: body)
    }

    /// Publishes a job and takes it, as her; returns its lease.
    private func take(_ text: String, _ access: AccessDaemon) throws -> String {
        let published = try ask(Self.ann, access, "POST", "/topics/secret.x", body: text)
        #expect(published.hasSuffix("201"))
        let answer = try ask(Self.ann, access, "POST", "/groups/g/next?as=json&wait=0")
        #expect(answer.contains(text) && answer.hasSuffix("200"), "\(answer)")
        let lease = try #require(answer.firstMatch(of: #/"lease":"([^"]+)"/#))
        return String(lease.1)
    }

    @Test func whoMadeAGroupDoesNothingWithItOnceItsTopicsAreClosed() throws {
        let access = try AccessDaemon(rules: [])
        #expect(try ask(Self.mal, access, "PUT", "/groups/g?of=secret.x").hasSuffix("201"))
        #expect(try ask(Self.mal, access, "PUT", "/groups/g?lease=2m").hasSuffix("200"))
        try access.reload(rules: Self.closed)
        for (method, path) in [
            ("PUT", "/groups/g?dead=box&attempts=1&lease=1s"), ("PUT", "/groups/g?lease=1s"),
            ("PUT", "/groups/g"), ("POST", "/groups/g/seek?since=0"), ("DELETE", "/groups/g"),
        ] {
            let answer = try ask(Self.mal, access, method, path)
            // To its maker it is as if it was not there.
            #expect(answer.hasSuffix(method == "PUT" ? "400" : "404"), "\(method) \(path)")
        }
        // It works on for others, and root looks after it.
        _ = try take("still done", access)
        let root = try RawClient(access.daemon.unix)
        #expect(try root.exchange("PUT", "/groups/g?lease=3m").status == 200)
        #expect(try root.exchange("DELETE", "/groups/g").status == 204)
    }

    @Test func deadLettersDoNotGoWhereWhoeverMayNotReadThemSentThem() throws {
        let access = try AccessDaemon(rules: [])
        let wish = "/groups/g?of=secret.x&dead=box&attempts=1"
        #expect(try ask(Self.mal, access, "PUT", wish).hasSuffix("201"))
        try access.reload(rules: Self.closed)
        let lease = try take("PASSWORD", access)
        let retried = try ask(
            Self.ann, access, "POST", "/groups/g/retry?delay=0&lease=\(lease)")
        #expect(retried.hasSuffix("204"))
        try eventually("the job says why it stays", within: 60) {
            try ask(Self.ann, access, "GET", "/groups/g/jobs").contains(#""reason":"the rules"#)
        }
        // A worker that wants another one dead is told, and has it still.
        let other = try take("other", access)
        let dead = try ask(Self.ann, access, "POST", "/groups/g/dead?lease=\(other)")
        #expect(dead.hasSuffix("403") && dead.contains("ACCESS_DENIED"), "\(dead)")
        #expect(try ask(Self.ann, access, "POST", "/groups/g/done?lease=\(other)").hasSuffix("204"))
        #expect(try ask(Self.mal, access, "GET", "/topics/box?since=0&wait=0").hasSuffix("204"))
        // Nothing is lost: it goes where somebody who may sends it.
        let root = try RawClient(access.daemon.unix)
        #expect(try root.exchange("PUT", "/groups/g?dead=kept").status == 200)
        #expect(try root.get("/topics/kept?since=0").text == "PASSWORD")
    }

    @Test func whoSentDeadLettersSomewhereIsJudgedByItsGroupsToo() throws {
        let access = try AccessDaemon(rules: [])
        let wish = "/groups/g?of=secret.x&dead=box&attempts=1"
        #expect(try ask(Self.games, access, "PUT", wish).hasSuffix("201"))
        try access.reload(rules: [
            "secret.> publish,work uid:41001", "secret.> subscribe uid:41001 group:games",
        ])
        let lease = try take("for games", access)
        let retried = try ask(
            Self.ann, access, "POST", "/groups/g/retry?delay=0&lease=\(lease)")
        #expect(retried.hasSuffix("204"))
        let root = try RawClient(access.daemon.unix)
        #expect(try root.get("/topics/box?since=0").text == "for games")
    }

    @Test func whoMayPublishNoLongerGetsNoReply() throws {
        let access = try AccessDaemon(rules: [])
        let root = try RawClient(access.daemon.unix)
        #expect(try root.exchange("PUT", "/groups/r?of=svc&replies=yes").status == 201)
        let worker = try RawClient(access.daemon.unix)
        try worker.send("POST", "/groups/r/next")
        try eventually("a worker waits", within: 60) {
            try root.get("/groups/r").text.contains(#""workers":1"#)
        }
        let asking = try RawClient(access.daemon.unix)
        try asking.send("POST", "/topics/svc?reply=60s", body: Array("ask".utf8))
        #expect(try worker.readAnswer().text == "ask")
        try access.reload(rules: ["svc publish uid:41001"])
        let refused = try asking.readAnswer()
        #expect(refused.status == 403 && refused.text.contains("ACCESS_DENIED"))
    }

    /// Requests about something of a name, as they are to be sent to two.
    private static let requests: [(String, String)] = [
        ("GET", "/groups/NAME"), ("GET", "/groups/NAME/jobs"), ("PUT", "/groups/NAME"),
        ("PUT", "/groups/NAME?lease=2m"), ("PUT", "/groups/NAME?of=secret.b"),
        ("PUT", "/groups/NAME?of=*.b"), ("DELETE", "/groups/NAME"),
        ("DELETE", "/groups/NAME?force=1"), ("POST", "/groups/NAME/next"),
        ("POST", "/groups/NAME/next?of=secret.b"), ("POST", "/groups/NAME/next?done=x"),
        ("POST", "/groups/NAME/done?lease=x"), ("POST", "/groups/NAME/retry?lease=x"),
        ("POST", "/groups/NAME/dead?lease=x"), ("POST", "/groups/NAME/extend?lease=x&for=1s"),
        ("POST", "/groups/NAME/seek?since=0"), ("POST", "/groups/NAME/revive?id=1"),
        ("PUT", "/topics/mine?hold=NAME"), ("PUT", "/topics/secret.NAME"),
        ("PUT", "/topics/secret.NAME?keep=1"), ("DELETE", "/topics/secret.NAME"),
    ]

    @Test func whatACallerMayNotKnowOfIsAsIfItWasNotThere() throws {
        let access = try AccessDaemon(rules: Self.closed)
        let made = "/groups/mail?of=secret.merger,secret.b"
        #expect(try ask(Self.ann, access, "PUT", made).hasSuffix("201"))
        #expect(try ask(Self.ann, access, "PUT", "/topics/secret.mail").hasSuffix("201"))
        for (method, path) in Self.requests {
            let answers = try ["mail", "nail"].map { name in
                try ask(
                    Self.mal, access, method, path.replacing("NAME", with: name)
                ).replacing(name, with: "NAME")
            }
            #expect(answers[0] == answers[1], "\(method) \(path)")
            #expect(!answers[0].contains("merger"), "\(method) \(path)")
            let isRefused = ["400", "403", "404"].contains { answers[0].hasSuffix($0) }
            #expect(isRefused, "\(method) \(path)")
        }
        // That the name is taken is all that a caller learns who wants it.
        for (method, path) in [("PUT", "/groups/mail"), ("POST", "/groups/mail/next")] {
            let answer = try ask(Self.mal, access, method, "\(path)?of=mine")
            #expect(answer.hasSuffix("409") && answer.contains("GROUP_DIFFERS"), "\(answer)")
            #expect(!answer.contains("merger") && !answer.contains("secret"))
        }
        // Who may know of it is told why.
        let root = try RawClient(access.daemon.unix).get("/groups/mail")
        #expect(root.status == 403 && root.text.contains("secret.merger"))
    }

    @Test func aGroupIsHiddenFromAWorkerThatWaitsByTheReloadThatHidesIt() throws {
        let access = try AccessDaemon(rules: [])
        let wish = "/groups/g?of=secret.x"
        #expect(try ask(Self.ann, access, "PUT", wish).hasSuffix("201"))
        let next = try access.curl("/groups/g/next?wait=60s", by: .unix)
        let (answer, gate) = (Protected<String?>(nil), Gate())
        onThreadOfItsOwn {
            answer.value = try? Self.mal.ask("POST", next)
            gate.open()
        }
        try eventually("a worker waits", within: 60) {
            try ask(Self.ann, access, "GET", "/groups/g").contains(#""workers":1"#)
        }
        try access.reload(rules: Self.closed)
        try gate.wait()
        let told = try #require(answer.value)
        #expect(told.hasSuffix("404") && told.contains("GROUP_UNKNOWN"), "\(told)")
        #expect(!told.contains("secret"))
    }
}
