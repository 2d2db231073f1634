import TestSupport
import Testing

/// What others say never moves the cursor of a terminal, colours it, or turns its text around.
@Suite(.blocking) struct TerminalTests {
    /// Each of them ends with a plain letter, so that one that is left out shows.
    static let hostile: [[UInt8]] = [
        Array("\u{1B}]0;PWNED\u{7}".utf8), Array("\u{1B}[2J".utf8), [0x9B, 0x32, 0x4A],
        Array("\u{9B}2J".utf8), Array("\u{90}q".utf8), [0x7F], [0x08], [0x0B], [0x0C], [0x0E],
        [0x00], Array("ok\rno".utf8), [0xFF], [0xC2], [0xE2, 0x80], [0xF0, 0x9F],
        Array("\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}".utf8),
        Array("\u{2066}\u{2067}\u{2068}\u{2069}".utf8), Array("\u{200E}\u{200F}\u{61C}".utf8),
        Array("\u{2028}\u{2029}\u{85}".utf8),
    ]

    /// All of it as text: what JSON can have.
    private static let hostileText = String(
        decoding: hostile.filter { String(validating: $0, as: UTF8.self) != nil }.joined(),
        as: UTF8.self)

    /// The same in a string of JSON.
    private static let hostileJSON = hostileText.unicodeScalars.map {
        String(repeating: "0", count: 4 - String($0.value, radix: 16).count)
            + String($0.value, radix: 16)
    }.map { "\\u\($0)" }.joined()

    /// What the command itself has a terminal do in lines of `belfry sub`.
    private static let colours = ["\u{1B}[2m", "\u{1B}[1m", "\u{1B}[0m"]

    /// Runs the command on a terminal, and returns what came to it.
    private func shown(
        _ words: [String], at url: String, home: String
    ) throws -> [UInt8] {
        let terminal = PseudoTerminal(columns: 80, rows: 24)
        let child = try ChildProcess(
            "/bin/sh",
            ["-c", "\"$0\" \"$@\" <&3 >&3 2>&3; echo E''ND >&3", ChildProcess.product("belfry")]
                + words,
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": home, "BELFRY_URL": url,
                "SWIFT_BACKTRACE": "enable=no",
            ], handing: [terminal.theirs])
        try terminal.wait(for: "END")
        _ = try child.wait()
        return terminal.shownBytes
    }

    /// What of some bytes is no text that stays where it is written.
    private func unprintable(_ bytes: [UInt8]) -> [String] {
        guard let text = String(validating: bytes, as: UTF8.self) else { return ["no UTF-8"] }
        let plain = Self.colours.reduce(text) { $0.replacing($1, with: "") }
            // The terminal itself puts CR in front of a line end.
            .replacing("\r\n", with: "")
        return plain.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar != "\t"
            default: false
            }
        }.map { "U+\(String($0.value, radix: 16))" }
    }

    @Test(arguments: [
        ["sub", "t", "--since", "earliest", "--until-now"],
        ["sub", "t", "--since", "earliest", "--until-now", "--data"],
        ["sub", "t", "--since", "earliest", "--until-now", "-0"],
        ["sub", "t", "--since", "earliest", "--until-now", "--json"],
        ["sub", "t", "--since", "earliest", "--until-now", "--format", "{key}{data}\u{1B}"],
        ["wait", "t", "--since", "earliest", "--data"],
    ])
    func aPayloadIsPrintableOnATerminal(words: [String]) throws {
        let rig = try CommandRig()
        for bytes in Self.hostile {
            let child = try rig.start("pub", "t")
            try child.write(bytes + Array("seen".utf8))
            #expect(try child.wait() == .exited(0))
        }
        let bytes = try shown(words, at: rig.daemon.socketPath, home: rig.home.path)
        #expect(unprintable(bytes) == [], "\(String(decoding: bytes, as: UTF8.self))")
        let seen = String(decoding: bytes, as: UTF8.self).ranges(of: "seen").count
        // JSON has what is no text as base64.
        let texts = Self.hostile.filter { String(validating: $0, as: UTF8.self) != nil }
        let expected = words.contains("--json") ? texts.count : Self.hostile.count
        #expect(seen == (words[0] == "wait" ? 1 : expected))
    }

    @Test func oneEventAndAReplyArePrintableOnATerminal() throws {
        let rig = try CommandRig()
        let all = Array(Self.hostile.joined())
        let child = try rig.start("pub", "t", "--id")
        try child.write(all + Array("seen".utf8))
        #expect(try child.wait() == .exited(0))
        let id = String(child.text(of: .output).dropLast())
        let path = rig.home.path + "/payload"
        try rig.run("get", "t", id)
        for code in [0, 65] {
            let worker = try rig.start(
                "answer", "g", "math", "--max", "1", "--", "sh", "-c",
                "\(ChildProcess.product("belfry")) get t \(id) >\(path); cat \(path); exit \(code)")
            while try !rig.run("group", "show", "g", "--json").output.contains(#""workers":1"#) {}
            let bytes = try shown(
                ["ask", "math", "x"], at: rig.daemon.socketPath, home: rig.home.path)
            #expect(unprintable(bytes) == [], "\(String(decoding: bytes, as: UTF8.self))")
            #expect(String(decoding: bytes, as: UTF8.self).contains("seen"))
            #expect(try worker.wait() == .exited(0))
        }
        let bytes = try shown(["get", "t", id], at: rig.daemon.socketPath, home: rig.home.path)
        #expect(unprintable(bytes) == [], "\(String(decoding: bytes, as: UTF8.self))")
    }

    @Test func toWhatIsNoTerminalAndByWishBytesGoAsTheyAre() throws {
        let rig = try CommandRig()
        let all = Array(Self.hostile.joined())
        let child = try rig.start("pub", "t", "--id")
        try child.write(all)
        #expect(try child.wait() == .exited(0))
        let id = String(child.text(of: .output).dropLast())
        for words in [["get", "t", id], ["sub", "t", "--since", "-1", "--until-now", "--data"]] {
            let reading = try rig.start(words)
            #expect(try reading.wait() == .exited(0))
            #expect(reading.written(to: .output) == all + (words[0] == "sub" ? [0x0A] : []))
        }
        let bytes = try shown(
            ["get", "t", id, "--raw"], at: rig.daemon.socketPath, home: rig.home.path)
        #expect(bytes.starts(with: all))
    }

    @Test func bytesThatAreNoTextAreToldByTheirSizeOnATerminal() throws {
        let rig = try CommandRig()
        let child = try rig.start("pub", "t")
        try child.write([UInt8](repeating: 0, count: 35_840))
        #expect(try child.wait() == .exited(0))
        for form in [["--data"], ["--format", "{data}"], []] {
            let words = ["sub", "t", "--since", "earliest", "--until-now"] + form
            let bytes = try shown(words, at: rig.daemon.socketPath, home: rig.home.path)
            #expect(bytes.count < 256)
            #expect(
                String(decoding: bytes, as: UTF8.self).contains("(35840 bytes that are no text"))
        }
    }

    @Test func aPersonIsToldWhatTheCommandWaitsFor() throws {
        let rig = try CommandRig()
        try rig.run("pub", "deploys", "x")
        let terminal = PseudoTerminal(columns: 80, rows: 24)
        for (words, line) in [
            (["pub", "t"], "Ctrl-D"), (["sub", "deplyos"], "did you mean 'deploys'?"),
            (["wait", "other"], "there is no topic 'other' yet"),
        ] {
            let child = try ChildProcess(
                "/bin/sh",
                ["-c", "exec \"$0\" \"$@\" <&3 2>&3", ChildProcess.product("belfry")] + words,
                environment: [
                    "PATH": "/usr/bin:/bin", "HOME": rig.home.path,
                    "BELFRY_URL": rig.daemon.socketPath,
                ], handing: [terminal.theirs])
            try terminal.wait(for: line)
            child.send(15)
            _ = try child.wait()
        }
    }

    private static func answer(_ status: String, _ body: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nEvent-Cursor: 7\r\n\r\n\(body)"
    }

    @Test(arguments: [
        "topics", "topics --json", "subscribers", "topic show t", "topic set t", "topic rm t",
        "groups",
        "groups --json", "group show g", "group set g --of t", "group seek g --since now",
        "group rm g", "jobs g", "dead g", "dead g 7", "revive g 7", "revive g --all", "get t 7",
        "get 7", "pub t x", "pub t x --json",
        "sub t", "wait t", "ask t x", "work g -- true", "answer g t -- true", "top --once",
        "doctor", "doctor --json", "bench", "copy FROM unix:/nonexistent", "run t -- true",
    ])
    func aRefusalOfWhoeverListensIsPrintableOnATerminal(command: String) throws {
        let home = TemporaryFolder()
        let body =
            #"{"status":403,"title":"x","code":"\#(Self.hostileJSON)","detail":"\#(Self.hostileJSON)seen"}"#
        let server = try ScriptedServer { _ in Self.answer("403 X", body) }
        let url = "http://127.0.0.1:\(server.port)"
        let words = command.split(separator: " ").map { $0 == "FROM" ? url : String($0) }
        let end = words.firstIndex(of: "--") ?? words.count
        let bytes = try shown(
            words[..<end] + ["--patience", "0"] + words[end...], at: url, home: home.path)
        #expect(unprintable(bytes) == [], "\(String(decoding: bytes, as: UTF8.self))")
        if !["doctor --json", "pub t x --json"].contains(command) {
            #expect(String(decoding: bytes, as: UTF8.self).contains("seen"))
        }
    }

    @Test(arguments: [
        "groups", "groups --json", "group show g", "group show g --json", "jobs g", "jobs g --json",
        "subscribers", "subscribers --json", "doctor", "doctor --json", "top --once --every 100ms",
        "top --once --json --every 100ms",
    ])
    func aListOfWhoeverListensIsPrintableOnATerminal(command: String) throws {
        let home = TemporaryFolder()
        let evil = "\"\(Self.hostileJSON)\u{9B}\u{202E}seen\""
        let group =
            #"{"name":\#(evil),"of":\#(evil),"type":\#(evil),"dead":\#(evil),"lease":"60s","#
            + #""attempts":5,"in_flight":9}"#
        let job =
            #"{"id":"7","topic":\#(evil),"key":\#(evil),"state":"leased","attempt":1,"#
            + #""worker":\#(evil),"due":"2026-01-02T03:04:05.000000Z","reason":\#(evil)}"#
        let subscriber =
            #"{"selector":\#(evil),"form":\#(evil),"token":\#(evil),"#
            + #""since":"2026-01-02T03:04:05.000000Z"}"#
        let server = try ScriptedServer { request in
            let path = request.split(separator: " ")[1]
            let body =
                switch path.prefix(while: { $0 != "?" }) {
                case "/groups": #"{"groups":[\#(group)]}"#
                case "/groups/g": group
                case "/groups/g/jobs": #"{"jobs":[\#(job)]}"#
                case "/subscribers": #"{"subscribers":[\#(subscriber)]}"#
                case "/version": #"{"version":\#(evil)}"#
                case "/topics": #"{"cursor":"7","topics":[]}"#
                default: "x 1\n"
                }
            return Self.answer("200 OK", body)
        }
        let bytes = try shown(
            command.split(separator: " ").map { String($0) },
            at: "http://127.0.0.1:\(server.port)", home: home.path)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(unprintable(bytes) == [], "\(text)")
        #expect(text.contains("seen"), "\(text)")
    }

    @Test func noShellCompletesANameThatItWouldRun() throws {
        let home = TemporaryFolder()
        let group =
            #"{"name":"$(touch${IFS}ran)","of":"a","lease":"60s","attempts":5,"in_flight":9}"#
        let server = try ScriptedServer { _ in
            Self.answer("200 OK", #"{"groups":[\#(group)]}"#)
        }
        let product = ChildProcess.product("belfry")
        let bash = try ChildProcess(
            "/bin/bash",
            [
                "--norc", "-c",
                """
                cd "$HOME"; source <(belfry --completion bash); COMP_WORDS=(belfry jobs ''); COMP_CWORD=2
                _belfry belfry '' jobs; echo "${#COMPREPLY[@]}"; ls
                """,
            ],
            environment: [
                "PATH": "\(product[..<product.lastIndex(of: "/")!]):/usr/bin:/bin",
                "HOME": home.path, "BELFRY_URL": "http://127.0.0.1:\(server.port)",
            ])
        #expect(try bash.wait() == .exited(0))
        #expect(bash.text(of: .output) == "0\n", "\(bash.text(of: .errors))")
    }
}
