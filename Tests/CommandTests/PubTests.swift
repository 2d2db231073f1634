import Glibc
import TestSupport
import Testing

@Suite(.blocking) struct PubTests {
    @Test func aTextAndStandardInputAreOneEventEach() throws {
        let rig = try CommandRig()
        #expect(try rig.run("pub", "a", "one text") == .init(code: 0, output: "", errors: ""))
        #expect(try rig.run("pub", "a", input: "two\nlines\n").code == 0)
        #expect(try rig.run("pub", "a").code == 0)
        #expect(
            try rig.run("sub", "a", "--since", "earliest", "--until-now", "-0").output
                == "one text\0two\nlines\n\0\0")
    }

    @Test func whatIsSaidOfAnEventIsKept() throws {
        let rig = try CommandRig()
        let published = try rig.run(
            "pub", "a", #"{"n": 1}"#, "--json", "--type", "t", "--key=k", "--id")
        let id = published.output.dropLast()
        #expect(published.code == 0 && id.count >= 16)
        let event = try #require(try rig.events(of: "a", "--json").first)
        #expect(event.hasPrefix(#"{"id":"\#(id)","topic":"a","time":""#))
        #expect(
            event.contains(
                #"Z","type":"t","key":"k","content_type":"application/json","data":{"n":1},"sender"#
            ))
        #expect(try rig.events(of: "a") == [#"{"n":1}"#])
        #expect(try rig.run("get", String(id)).output == #"{"n": 1}"#)
        #expect(try rig.run("get", "a", String(id)).output == #"{"n": 1}"#)
    }

    @Test func linesAreEventsInTheirOrder() throws {
        let rig = try CommandRig()
        let outcome = try rig.run(
            "pub", "log", "--lines", "--id", "--rate", "100000", input: "one\ntwo\r\n\nthree")
        #expect(outcome.code == 0 && outcome.output.count >= 17)
        #expect(try rig.events(of: "log") == ["one", "two", "three"])
        #expect(try rig.run("pub", "log", "--lines", "--json", input: "{ }\n").code == 0)
        #expect(try rig.events(of: "log").last == "{}")
    }

    @Test func whatIsNoJSONIsNotSentAsJSON() throws {
        let rig = try CommandRig()
        for (text, place) in [
            ("{'n': 1}", "is no JSON from line 1, column 2 on"),
            ("[1,\n é]", "is no JSON from line 2, column 2 on"),
            ("[\"é\", nul]", "is no JSON from line 1, column 10 on"), ("{} {}", "column 4"),
            ("[1, 2", "ends before its JSON is whole"), (" ", "ends before its JSON is whole"),
        ] {
            let outcomes = [
                try rig.run("pub", "a", text, "--json"),
                try rig.run("pub", "a", "--json", input: text),
                try rig.run("ask", "a", text, "--json"),
            ]
            for outcome in outcomes {
                #expect(outcome.code == 2 && outcome.errors.contains(place), "\(outcome)")
            }
        }
        #expect(try rig.events(of: "a") == [])
        // Lines are not looked at: a program that never ends does not end at one of them.
        #expect(try rig.run("pub", "a", "--lines", "--json", input: "{\n[1]\n").code == 0)
        #expect(try rig.events(of: "a") == [#""{""#, "[1]"])
    }

    @Test func linesOfOneMomentDoNotWaitForTheNext() throws {
        let rig = try CommandRig()
        let child = try rig.start("pub", "log", "--lines")
        try child.write(Array("first\n".utf8))
        #expect(try rig.run("wait", "log", "--since", "earliest", "--data").output == "first\n")
        #expect(try CommandRig.outcome(of: child).code == 0)
    }

    @Test func refusalsAndBusesThatAreNotThereAreToldApart() throws {
        let rig = try CommandRig()
        let refused = try rig.run("pub", "$SYS.a", "x")
        #expect(refused.code == 3 && refused.errors.contains("TOPIC_RESERVED"))
        let absent = try rig.run("pub", "a", "x", "--url", "/nonexistent", "--patience", "0")
        #expect(absent.code == 4 && absent.errors.hasPrefix("belfry: the bus was not reached"))
        for words in [["pub"], ["pub", "a..b", "x"], ["pub", "a", "x", "--lines"]] {
            let child = try ChildProcess(ChildProcess.product("belfry"), words)
            #expect(try CommandRig.outcome(of: child).code == 2)
        }
    }

    @Test func aTokenIsReadFromAFileOrTheEnvironment() throws {
        let rig = try CommandRig()
        let file = rig.home.write("unknown-token\n", to: "token")
        chmod(file, 0o640)
        for outcome in [
            try rig.run("pub", "a", "x", "--token-file", file),
            try rig.run("pub", "a", "x", variables: ["BELFRY_TOKEN": "unknown-token"]),
        ] {
            #expect(outcome.code == 3 && outcome.errors.contains("TOKEN_INVALID"))
        }
        #expect(try rig.run("pub", "a", "x", "--token-file", "/nonexistent").code == 8)
    }

    @Test(
        arguments: [
            (0o604, "o-r"), (0o644, "o-r"), (0o620, "go-w"), (0o602, "go-w"),
            (0o666, "o-r,go-w"),
        ])
    func aTokenThatOthersReadOrWriteIsRefused(mode: mode_t, change: String) throws {
        let rig = try CommandRig()
        let file = rig.home.write("unknown-token\n", to: "token")
        chmod(file, mode)
        for words in [
            ["pub", "a", "x", "--token-file", file],
            ["copy", rig.daemon.socketPath, "/nonexistent", "--from-token", file],
            ["copy", "/nonexistent", rig.daemon.socketPath, "--to-token", file],
        ] {
            let outcome = try CommandRig.outcome(of: rig.start(words))
            #expect(outcome.code == 8, "\(outcome)")
            #expect(outcome.errors.contains(file) && outcome.errors.contains("'chmod \(change)'"))
        }
    }
}
