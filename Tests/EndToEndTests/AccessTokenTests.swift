import Foundation
import TestSupport
import Testing

/// Callers who show a token.
@Suite(.blocking) struct AccessTokenTests {
    private let folder = TemporaryFolder()

    private func make(_ name: String) throws -> (secret: String, line: String) {
        let child = try ChildProcess(ChildProcess.product("belfryd"), ["--make-token", name])
        try #require(try child.wait() == .exited(0))
        let lines = child.text(of: .output).split(separator: "\n").map(String.init)
        try #require(lines.count == 2)
        return (lines[0], lines[1])
    }

    private func daemon(_ tokens: [String], _ rules: [String]) throws -> AccessDaemon {
        let path = folder.write(tokens.joined(separator: "\n"), to: "tokens")
        try #require(chmod(path, 0o600) == 0)
        return try AccessDaemon(rules: rules, settings: "tokens = \(path)\n")
    }

    private func bearer(_ secret: String) -> [(String, String)] {
        [("Authorization", "Bearer \(secret)")]
    }

    private static let rules = ["t publish,subscribe token:one", "u publish uid:4000000"]

    @Test func aTokenOpensWhatItsRulesSayAndNothingElse() throws {
        let (one, two) = (try make("one"), try make("two"))
        let access = try daemon([one.line, two.line], Self.rules)
        for address in [access.daemon.tcp, access.daemon.unix] {
            let client = try RawClient(address)
            try client.publish("x", to: "t", headers: bearer(one.secret))
            let read = "/topics/t?since=earliest"
            #expect(try client.get(read, headers: bearer(one.secret)).text == "x")
            for headers in [bearer(two.secret)] {
                #expect(try client.get(read, headers: headers).status == 403)
            }
            #expect(try client.get("/topics/t?wait=0", headers: bearer(two.secret)).status == 403)
            let without = try client.get(read)
            #expect(without.status == 401 && without.member("code") == "TOKEN_INVALID")
            #expect(without.header("www-authenticate") == "Bearer realm=\"belfry\"")
            let denied = try client.exchange("POST", "/topics/u", body: [])
            #expect(denied.status == 403 && denied.header("www-authenticate") == nil)
            let socket = try WebSocketClient(
                address, "/topics/t?since=earliest&max=1", headers: bearer(one.secret))
            _ = try socket.text()
            #expect(try socket.text().contains("\"data\":\"x\""))
            #expect(try WebSocketClient.refusal(address, "/topics/t").status == 401)
        }
    }

    @Test func aTokenThatNobodyGaveOutIsRefusedWhateverRulesSay() throws {
        let one = try make("one")
        let access = try daemon([one.line], Self.rules)
        let client = try access.daemon.connect()
        for secret in ["x", String(one.secret.dropLast()), one.secret + "x", ""] {
            let answer = try client.get("/topics/free?wait=0", headers: bearer(secret))
            #expect(answer.status == 401 && answer.member("code") == "TOKEN_INVALID")
            #expect(
                answer.header("www-authenticate")
                    == "Bearer realm=\"belfry\", error=\"invalid_token\"")
            #expect(!answer.text.contains(one.secret))
        }
        let other = [("Authorization", "Digest username=\"a\"")]
        #expect(try client.get("/topics/free?wait=0", headers: other).status == 204)
        #expect(try client.get("/healthz", headers: bearer("x")).status == 200)
        #expect(try client.get("/topics/t?wait=0&token=\(one.secret)").status == 400)
        let twice = try client.get(
            "/topics/t?wait=0", headers: bearer(one.secret) + bearer(one.secret))
        #expect(twice.status == 400)
    }

    @Test func aTokenAsThePasswordOfAnyUserOpensWhatItsRulesSay() throws {
        let (one, two) = (try make("one"), try make("two"))
        let access = try daemon([one.line, two.line], Self.rules)
        func curl(_ user: String, _ more: String...) throws -> String {
            let child = try ChildProcess(
                ChildProcess.curl,
                ["-sS", "-u", user, "-w", " %{http_code} %header{www-authenticate}"] + more)
            #expect(try child.wait() == .exited(0))
            return child.text(of: .output)
        }
        let (topic, read) = ("http://127.0.0.1:\(access.daemon.port)/topics/t", "?since=earliest")
        #expect(try curl("any:\(one.secret)", "-d", "x", topic).hasSuffix(" 201 "))
        for user in ["any", "", "root", "two"] {
            #expect(try curl("\(user):\(one.secret)", topic + read) == "x 200 ")
        }
        #expect(try curl("one:\(two.secret)", topic + read).hasSuffix(" 403 "))
        for password in ["", "x", one.secret + "x"] {
            let answer = try curl("any:\(password)", topic + read)
            #expect(answer.contains("\"TOKEN_INVALID\""))
            #expect(
                answer.hasSuffix(" 401 Bearer realm=\"belfry\", error=\"invalid_token\""),
                "\(answer)")
        }
    }

    @Test func neverIsAnAnswerABasicChallengeHoweverTheCredentialsAreBroken() throws {
        let one = try make("one")
        let access = try daemon([one.line], Self.rules)
        let client = try access.daemon.connect()
        for credentials in [
            "Basic", "Basic ", "Basic YTpi", "Basic a:b", "Basic ====", "Basic YQ==",
        ] {
            let answer = try client.get(
                "/topics/free?wait=0", headers: [("Authorization", credentials)])
            #expect(
                answer.status == 401 && answer.member("code") == "TOKEN_INVALID", "\(credentials)")
            let challenges = answer.headers.filter { $0.name.lowercased() == "www-authenticate" }
            #expect(challenges.map(\.value) == ["Bearer realm=\"belfry\", error=\"invalid_token\""])
        }
    }

    /// A browser keeps Basic credentials and sends them along with the requests of any page.
    @Test func aBrowserIsNotLetInByWhatItKeeps() throws {
        let one = try make("one")
        let access = try daemon([one.line], Self.rules)
        let credentials = Data("any:\(one.secret)".utf8).base64EncodedString()
        let basic = ("Authorization", "Basic \(credentials)")
        for mark in [
            ("Origin", "http://localhost"), ("Sec-Fetch-Site", "same-origin"),
            ("Sec-Fetch-Site", "none"),
            ("sec-fetch-mode", "navigate"), ("SEC-FETCH-DEST", "document"),
            ("Sec-Fetch-User", "?1"),
        ] {
            let client = try access.daemon.connect()
            let answer = try client.get("/topics/t?wait=0", headers: [basic, mark])
            #expect(answer.status == 403 && answer.member("code") == "ACCESS_DENIED", "\(mark)")
            #expect(answer.member("detail")?.contains("Bearer TOKEN") == true)
            let shown = try client.get(
                "/topics/t?wait=0", headers: [mark] + bearer(one.secret))
            #expect(shown.status == 204, "\(mark)")
        }
        let program = try access.daemon.connect()
        #expect(try program.get("/topics/t?wait=0", headers: [basic]).status == 204)
    }

    @Test func tokensAreInNoLogAndNoAnswer() throws {
        let one = try make("one")
        let access = try daemon([one.line], Self.rules)
        let client = try access.daemon.connect()
        try client.publish("x", to: "t", headers: bearer(one.secret))
        var said = ""
        for target in ["/topics", "/topics/t?wait=0&as=json", "/metrics", "/version", "/nowhere"] {
            let answer = try client.get(target, headers: bearer(one.secret))
            said += "\(answer.headers) \(answer.text)"
        }
        said += try client.get("/topics/t", headers: bearer("guess-\(one.secret)")).text
        #expect(try access.daemon.terminate() == .exited(0))
        said += access.daemon.logLines.joined()
        #expect(!said.contains(one.secret))
        #expect(!said.contains(one.line.split(separator: ":")[1]))
    }

    @Test func aReloadReadsTheFileAgainAndEndsWhoCameByATokenThatIsGone() throws {
        let (old, new) = (try make("one"), try make("one"))
        let access = try daemon([old.line, new.line], Self.rules)
        let client = try access.daemon.connect()
        func stream(_ secret: String) throws -> HTTPStream {
            try access.daemon.stream("/topics/t?as=ndjson", .lines, headers: bearer(secret))
        }
        let (leaving, staying) = (try stream(old.secret), try stream(new.secret))
        _ = try (leaving.next(1), staying.next(1))
        let poll = try access.daemon.connect()
        try poll.send("GET", "/topics/free", headers: bearer(old.secret))
        try client.register("free")
        try client.await(subscribers: 1, of: "free")
        let path = folder.write(new.line, to: "tokens")
        try access.reload(rules: Self.rules, settings: "tokens = \(path)\n")
        #expect(try leaving.rest().payloads == [])
        let refused = try poll.readAnswer()
        #expect(refused.status == 401 && refused.member("code") == "TOKEN_INVALID")
        #expect(try client.get("/topics/t?wait=0", headers: bearer(old.secret)).status == 401)
        try client.publish("x", to: "t", headers: bearer(new.secret))
        #expect(try staying.next(1).payloads == ["x"])
    }

    @Test(arguments: [0o622, 0o620, 0o602])
    func aFileThatOthersMayWriteIsRefused(mode: mode_t) throws {
        let path = folder.write(try make("one").line, to: "tokens")
        try #require(chmod(path, mode) == 0)
        let configuration = folder.write("[access]\ntokens = \(path)\n", to: "belfryd.conf")
        let child = try ChildProcess(
            ChildProcess.product("belfryd"), ["--config", configuration, "--check-config"])
        #expect(try child.wait() == .exited(2))
        #expect(child.text(of: .errors).contains("access.tokens: other users may write"))
    }
}
