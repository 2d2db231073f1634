import TestSupport
import Testing

@Suite(.blocking) struct CopyTests {
    @Test func eventsArePublishedAgainInTheirOrder() throws {
        let (from, to) = (try CommandRig(), try CommandRig())
        try from.run("pub", "log", "--lines", input: "one\ntwo\n")
        try from.run("pub", "jobs", "{}", "--json", "--type", "t", "--key", "k", "--ttl", "1h")
        try from.run("pub", "log", input: "two\nlines")
        try from.run("pub", "log", input: "")
        try from.run("pub", "other", "not this")
        let addresses = [from.daemon.socketPath, to.daemon.socketPath]
        let outcome = try from.run(
            "copy", addresses[0], addresses[1], "--topics", "log,jobs", "--name", "n")
        #expect(outcome.code == 0 && outcome.errors == "belfry: 5 events copied\n")
        // All but what the other bus says itself: its ids, times and senders.
        let events = try to.events(of: ">", "--json").map { line in
            line.split(separator: ",").filter { part in
                !["{\"id", "\"time", "\"expires", "\"sender", "\"pid"].contains {
                    part.hasPrefix($0)
                }
            }.joined(separator: ",")
        }
        #expect(
            events == [
                #""topic":"log","data":"one""#, #""topic":"log","data":"two""#,
                #""topic":"jobs","type":"t","key":"k","content_type":"application/json","data":{}"#,
                #""topic":"log","data":"two\nlines""#, #""topic":"log","data":"""#,
            ])
        #expect(try to.events(of: "jobs", "--json")[0].contains(#""expires":"20"#))

        try from.run("pub", "log", "later")
        let more = try from.run(
            "copy", addresses[0], addresses[1], "--topics", "log,jobs", "--name", "n")
        #expect(more.errors == "belfry: 1 events copied\n")
        #expect(try to.events(of: "log").last == "later")
    }

    @Test func aTerminalIsShownHowFarItIs() throws {
        let (from, to) = (try CommandRig(), try CommandRig())
        try from.run("pub", "log", "--lines", input: "one\ntwo\n")
        let terminal = PseudoTerminal(columns: 80, rows: 24)
        let child = try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec \"$0\" copy \"$@\" 2>&3", ChildProcess.product("belfry"),
                from.daemon.socketPath, to.daemon.socketPath,
            ],
            environment: ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"],
            handing: [terminal.theirs])
        try terminal.wait(for: "belfry: 2 events copied")
        #expect(terminal.shown.contains(" events copied, up to 20"))
        #expect(terminal.shown.contains("\r\u{1B}[Kbelfry: 2 events copied"))
        #expect(try child.wait() == .exited(0))
    }

    @Test func whatIsNoCopyIsUsage() throws {
        let rig = try CommandRig()
        #expect(try rig.run("copy", "/a", "nowhere").code == 2)
        #expect(try rig.run("copy", "/a", "/a").code == 2)
        #expect(try rig.run("copy", "/a", "/b", "--url", "/c").code == 2)
        #expect(try rig.run("copy", "/nonexistent", "/b", "--patience", "0").code == 4)
    }
}
