import Glibc
import TestSupport
import Testing
import Topics

@testable import BelfryClient
@testable import belfry

@Suite(.blocking) struct PushTests {
    /// A file of webhooks that others may not read.
    private func file(_ text: String, _ rig: CommandRig) -> String {
        let path = rig.home.write(text, to: "hooks")
        chmod(path, 0o600)
        return path
    }

    @Test func everyEventArrivesInOrderThroughFailuresAndKills() throws {
        let rig = try CommandRig()
        let receiver = try WebhookReceiver { $0 % 3 == 1 ? "500 x" : "204 x" }
        let hooks = file("log.* \(receiver.address) \(WebhookReceiver.secret)\n", rig)
        let published = (0..<9).map { "event \($0)" }
        try rig.run("pub", "log.a", "--lines", input: published.joined(separator: "\n"))
        var said = ""
        for count in [2, 5] {
            let child = try rig.start("push", hooks, "--since", "earliest")
            try receiver.wait(for: count)
            child.send(SIGKILL)
            _ = try child.wait()
            said += child.text(of: .errors)
        }
        let last = try rig.run("push", hooks, "--until-now")
        #expect(last.code == 0)
        said += last.errors
        #expect(said.contains("line 1: event ") && said.contains("status 500; again"))
        // Only what was on its way at a kill comes again, next.
        var once: [String] = []
        for body in receiver.taken where once.last != body { once.append(body) }
        // All of an event but whose it is.
        let events = try rig.events(of: "log.a", "--json").map { event in
            event.split(separator: ",").prefix { !$0.hasPrefix("\"sender") }
                .joined(separator: ",") + "}"
        }
        #expect(once == events)
        #expect(once.count == 9 && receiver.forged == 0)
        #expect(receiver.requests.allSatisfy { $0 == "POST /hook?of=it HTTP/1.1" })
        let ids = once.compactMap { $0.split(separator: "\"").dropFirst(3).first.map(String.init) }
        #expect(Set(receiver.ids) == Set(ids))
    }

    @Test func aStopWaitsForTheAnswerAndDoublesNothing() throws {
        let rig = try CommandRig()
        let (arrived, goes) = (Gate(), Gate())
        let receiver = try WebhookReceiver { number in
            guard number == 0 else { return "200 x" }
            arrived.open()
            try? goes.wait()
            return "200 x"
        }
        let hooks = file("log \(receiver.address) \(WebhookReceiver.secret)\n", rig)
        try rig.run("pub", "log", "one")
        let child = try rig.start("push", hooks, "--since", "earliest")
        try arrived.wait()
        child.send(SIGTERM)
        goes.open()
        #expect(try child.wait() == .exited(0))
        try rig.run("pub", "log", "two")
        #expect(try rig.run("push", hooks, "--until-now").code == 0)
        #expect(receiver.taken.count == 2 && Set(receiver.taken).count == 2)
    }

    @Test func aReceiverThatIsGoneIsLeftAloneAndOthersGoOn() throws {
        let rig = try CommandRig()
        let gone = try WebhookReceiver { $0 == 1 ? "410 x" : "200 x" }
        let other = try WebhookReceiver { $0 == 0 ? "302 x\r\nLocation: /" : "200 x" }
        let hooks = file(
            """
            # Two of them.
            log \(gone.address) \(WebhookReceiver.secret)

            log \(other.address) whsec_\(String(repeating: "A", count: 32)) \(WebhookReceiver.secret)
            """, rig)
        try rig.run("pub", "log", "--lines", input: "1\n2\n3\n")
        let first = try rig.run("push", hooks, "--since", "earliest", "--until-now")
        #expect(first.code == 0 && first.errors.contains("line 2: http://127.0.0.1:"))
        #expect(!first.errors.contains("/hook"))
        #expect(first.errors.contains("line 4: event ") && first.errors.contains("status 302"))
        #expect(gone.taken.count == 1 && other.taken.count == 3 && other.forged == 0)
        #expect(other.requests.allSatisfy { $0.hasPrefix("POST /hook") })

        let second = try rig.run("push", hooks, "--until-now")
        #expect(second.code == 0 && gone.requests.count == 2)
        let word = try #require(
            second.errors.split(separator: " ").first { $0.hasSuffix(".cursor") })
        // The line that says so is removed: it goes on with the event that nobody took.
        let cursor = rig.home.text(of: String(word))
        #expect(cursor.hasSuffix("\nover\n"))
        #expect(TextFile.replace(String(word), by: String(cursor.dropLast(5))))
        #expect(try rig.run("push", hooks, "--until-now").code == 0)
        #expect(gone.taken.count == 3 && gone.forged == 0)
    }

    @Test func aFileThatOthersReadAndOneThatIsWrongAreRefused() throws {
        let rig = try CommandRig()
        let hooks = file("log http://127.0.0.1/ \(WebhookReceiver.secret)\n", rig)
        chmod(hooks, 0o644)
        let open = try rig.run("push", hooks)
        #expect(open.code == 8 && open.errors.contains("'chmod o-r' it"))
        #expect(try rig.run("push", "/nonexistent").code == 8)
        let secret = WebhookReceiver.secret
        for (text, sentence) in [
            ("", "there are 0 webhooks"),
            ("log http://h/", "line 1: write SELECTOR ADDRESS SECRET"),
            ("# x\na..b http://h/ \(secret)", "line 2: 'a..b' selects nothing"),
            ("log ftp://h/ \(secret)", "no address"), ("log http:///p \(secret)", "no address"),
            ("log http://me:hush@h/ \(secret)", "no address"),
            ("log http://h/ hush", "a secret is whsec_"),
            ("log http://h/ whsec_AAAA", "a secret is whsec_"),
            ("log http://h/ \(secret)\nlog http://h/ \(secret) \(secret)", "line 1 has this"),
        ] {
            let failure = #expect(throws: CommandFailure.self) {
                try WebhookFile.webhooks(in: text)
            }
            #expect(failure?.code == .file && failure?.sentence?.contains(sentence) == true)
            #expect(failure?.sentence?.contains("hush") == false)
        }
    }

    @Test(arguments: [0o620, 0o602, 0o666])
    func aFileThatOthersMayWriteIsRefused(mode: mode_t) throws {
        let rig = try CommandRig()
        let hooks = file("log http://127.0.0.1:1/ \(WebhookReceiver.secret)\n", rig)
        let authorities = rig.home.write("-----BEGIN CERTIFICATE-----\n", to: "authorities")
        for (path, rights) in [(hooks, mode), (authorities, mode), (authorities, 0o644)] {
            chmod(path, rights)
            let run = try rig.run("push", hooks, "--ca-file", authorities, "--until-now")
            chmod(path, 0o600)
            if rights == 0o644 {
                // Everybody may read who is trusted.
                #expect(run.code == 0, "\(run)")
            } else {
                #expect(run.code == 8 && run.errors.contains("go-w' it"), "\(run)")
                #expect(run.errors.contains(path))
            }
        }
    }

    @Test func aFileOfAuthoritiesThatHasNoneIsRefused() throws {
        let rig = try CommandRig()
        let hooks = file("log https://localhost:1/ \(WebhookReceiver.secret)\n", rig)
        let empty = rig.home.write("no certificate\n", to: "authorities")
        for (path, sentence) in [("/nonexistent", "cannot be read"), (empty, "no certificate")] {
            let run = try rig.run("push", hooks, "--ca-file", path, "--until-now")
            #expect(run.code == 8 && run.errors.contains("\(path) "))
            #expect(run.errors.contains(sentence))
        }
    }

    /// The example of the specification.
    @Test func aSignatureIsThatOfStandardWebhooks() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = secret.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330,
            body: Payload(Array(#"{"test": 2432232314}"#.utf8)))
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func pausesGrowToABoundAndAReceiverMayAskForMore() {
        var longest = WebhookAttempts { $0.upperBound }
        var shortest = WebhookAttempts { $0.lowerBound }
        var pauses: [Int] = []
        for _ in 0..<40 {
            guard case .again(let most) = longest.step(behind: .none("no route")),
                case .again(let least) = shortest.step(behind: .status(500, retryAfter: 9))
            else { return #expect(Bool(false), "a failure passes") }
            #expect(least == most / 4)
            pauses.append(most)
        }
        #expect(pauses[...3] == [500, 1_000, 2_000, 4_000] && pauses.last == 300_000)
        for status in [429, 503] {
            var fresh = WebhookAttempts { $0.upperBound }
            let step = { (seconds: Int?) in
                fresh.step(behind: .status(status, retryAfter: seconds))
            }
            #expect(step(7) == .again(afterMilliseconds: 7_000))
            #expect(step(nil) == .again(afterMilliseconds: 1_000))
            #expect(step(0) == .again(afterMilliseconds: 2_000))
            #expect(step(.max) == .again(afterMilliseconds: 3_600_000))
        }
        var fresh = WebhookAttempts { $0.upperBound }
        #expect(fresh.step(behind: .status(302, retryAfter: nil)) == .again(afterMilliseconds: 500))
        #expect(fresh.step(behind: .status(404, retryAfter: nil)) != .over)
        #expect(fresh.step(behind: .status(410, retryAfter: nil)) == .over)
        #expect(fresh.step(behind: .status(202, retryAfter: nil)) == .done)
    }

    @Test(
        arguments: [
            // Beyond 64 bits, and a time that is far: as long as a receiver may ask for.
            ("99999999999999999999", 3_600...Int.max),
            ("9223372036854775808", 3_600...Int.max),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 3_600...Int.max),
            // The old forms of a date, the second of them of one digit.
            ("Friday, 01-Jan-27 00:00:00 GMT", 0...Int.max),
            ("Fri Jan  1 00:00:00 2027", 0...Int.max),
            // Long gone, also where the year leaves the century open.
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0...0), ("Sunday, 06-Nov-94 08:49:37 GMT", 0...0),
            ("Sun Nov  6 08:49:37 1994", 0...0),
            ("-5", nil), ("soon", nil), ("", nil), ("Sun, 06 Nov 1994", nil),
            ("Sun, 06 Fog 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 4 08:49:37 GMT", nil),
        ] as [(String, ClosedRange<Int>?)])
    func aReceiverMayAskInSecondsOrByADate(text: String, seconds: ClosedRange<Int>?) async throws {
        // Without a Date of its own it is our clock that says how long that is.
        let server = try ScriptedServer([
            "HTTP/1.1 503 x\r\nRetry-After: \(text)\r\nContent-Length: 0\r\n\r\n"
        ])
        let address = try #require(WebhookAddress("http://127.0.0.1:\(server.port)"))
        let answer = try await WebhookSender().post(
            Payload([]), to: address, headers: [], within: 60_000)
        guard case .status(503, let asked) = answer else {
            return #expect(Bool(false), "\(answer)")
        }
        #expect((asked == nil) == (seconds == nil), "\(asked as Any)")
        if let asked, let seconds { #expect(seconds.contains(asked), "\(asked)") }
    }

    @Test func aReceiverIsToldByItsHeadAlone() async throws {
        let long = String(repeating: "x", count: 1 << 20)
        let date = "Date: Mon, 23 Nov 2026 17:00:00 GMT\r\n"
        let server = try ScriptedServer([
            "HTTP/1.1 200 OK\r\nContent-Length: \(long.utf8.count)\r\n\r\n" + long,
            "HTTP/1.1 503 x\r\nRetry-After: 12\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 429 x\r\n\(date)Retry-After: Mon, 23 Nov 2026 17:02:51 GMT\r\n"
                + "Content-Length: 0\r\n\r\n",
        ])
        let address = try #require(WebhookAddress("http://127.0.0.1:\(server.port)"))
        let sender = try WebhookSender()
        var answers: [WebhookAnswer] = []
        for _ in 0..<4 {
            answers.append(
                await sender.post(Payload([]), to: address, headers: [], within: 60_000))
        }
        #expect(
            answers[..<3] == [
                .status(200, retryAfter: nil), .status(503, retryAfter: 12),
                .status(429, retryAfter: 171),
            ])
        guard case .none = answers[3] else { return #expect(Bool(false), "\(answers[3])") }
        #expect(server.requests == Array(repeating: "POST / HTTP/1.1", count: 4))
    }
}
