import Glibc
import TestSupport
import Testing

@testable import belfry

@Suite(.blocking) struct TopTests {
    private static let restored = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// A bus with a topic, a group that is two events behind, and an event that is held for later.
    private func rig() throws -> CommandRig {
        let rig = try CommandRig()
        try rig.run("pub", "deploys.web", "--lines", input: "one\ntwo\n")
        try rig.run("pub", "deploys.web", "three", "--delay", "1h")
        try rig.run("group", "set", "mail", "--of", "deploys.*")
        return rig
    }

    private func start(_ rig: CommandRig, on terminal: PseudoTerminal) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec \"$0\" top --every 100ms <&3 >&3 2>&3",
                ChildProcess.product("belfry"),
            ],
            environment: [
                "PATH": "/usr/bin:/bin", "BELFRY_URL": rig.daemon.socketPath,
                "SWIFT_BACKTRACE": "enable=no",
            ], handing: [terminal.theirs])
    }

    @Test func aFigureThatIsNoNumberIsNothingAndALargeOneIsBounded() {
        #expect([Double.nan, -.infinity, -1].map { Int(figure: $0) } == [0, 0, 0])
        let most = 1_000_000_000_000_000
        #expect([7.9, 1e300, .infinity].map { Int(figure: $0) } == [7, most, most])
        for figure in TopFigure.all { #expect(!figure.text(of: .nan).isEmpty) }
    }

    @Test func onceIsFiguresTopicsAndGroups() throws {
        let rig = try rig()
        let outcome = try rig.run("top", "--once", "--every", "100ms")
        #expect(outcome.code == 0 && outcome.errors == "")
        let lines = outcome.output.split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        #expect(lines[0] == "FIGURE VALUE" && lines.contains("published/s 0"))
        #expect(lines.contains("events kept 2") && lines.contains("their bytes 6 B"))
        #expect(lines.contains("held for later 1") && lines.contains("overdue (s) 0"))
        #expect(lines.contains("topics 1") && lines.contains("groups 1"))
        let topic = try #require(lines.firstIndex(of: "TOPIC EVENTS BYTES SUBSCRIBERS"))
        #expect(lines[topic + 1] == "deploys.web 2 6 B 0")
        #expect(
            lines.suffix(2) == [
                "GROUP BEHIND OPEN LEASED WORKERS DONE/S FAILED", "mail 2 0 0 0 0 0",
            ])
    }

    @Test func asJSONItIsAnObjectALineForAsLongAsItRuns() throws {
        let rig = try rig()
        let once = try rig.run("top", "--once", "--json", "--every", "100ms")
        #expect(once.code == 0 && once.output.split(separator: "\n").count == 1)
        #expect(once.output.hasPrefix(#"{"published_events_per_second":0,"#))
        #expect(
            once.output.contains(
                #""retained_events":2,"retained_bytes":6,"later_batches":1,"later_overdue_seconds":0,"#
            ))
        #expect(
            once.output.hasSuffix(
                #"""
                "newest_topics":[{"name":"deploys.web","events":2,"bytes":6,"subscribers":0}],\#
                "busiest_groups":[{"name":"mail","behind":2,"ahead":2,"open":0,"leased":0,\#
                "workers":0,"done_per_second":0,"failed":0}]}

                """#))
        let child = try rig.start("top", "--json", "--every", "100ms")
        try rig.run("pub", "deploys.web", "three")
        _ = try child.line(from: .output) { $0.contains(#""retained_events":3"#) }
    }

    @Test func theScreenIsDrawnAnewUntilAKeyEndsIt() throws {
        let rig = try rig()
        let terminal = PseudoTerminal(columns: 60, rows: 20)
        let child = try start(rig, on: terminal)
        try terminal.wait(for: "mail ")
        #expect(terminal.shown.hasPrefix("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"))
        #expect(!terminal.isAsBefore)
        try rig.run("pub", "later", "x")
        try terminal.wait(for: "later ")
        terminal.press("xq")
        try terminal.wait(for: Self.restored)
        #expect(try child.wait() == .exited(0))
        #expect(terminal.isAsBefore)
    }

    @Test func aSignalGivesTheTerminalBack() throws {
        let rig = try rig()
        for signal in [SIGINT, SIGTERM] {
            let terminal = PseudoTerminal(columns: 60, rows: 20)
            let child = try start(rig, on: terminal)
            try terminal.wait(for: "q ends", times: 2)
            child.send(signal)
            try terminal.wait(for: Self.restored)
            #expect(try child.wait() == .signalled(signal))
            #expect(terminal.isAsBefore)
        }
    }

    @Test func aBusThatGoesAwayIsSaidAndWaitedFor() throws {
        let rig = try rig()
        let terminal = PseudoTerminal(columns: 60, rows: 20)
        let child = try start(rig, on: terminal)
        try terminal.wait(for: "mail ")
        try rig.restart()
        try rig.run("pub", "behind.it", "x")
        try terminal.wait(for: "behind.it ")
        terminal.press("q")
        try terminal.wait(for: Self.restored)
        #expect(try child.wait() == .exited(0))
    }

    @Test func whatIsNoTerminalIsUsage() throws {
        let rig = try CommandRig()
        let outcome = try rig.run("top")
        #expect(outcome.code == 2 && outcome.errors.contains("give '--once' or '--json'"))
        #expect(try rig.run("top", "--once", "--every", "1ms").code == 2)
        #expect(try rig.run("top", "--url", "/nonexistent", "--patience", "0").code == 4)
    }

    @Test func countersThatBeganAnewAndLargeNumbersAreWritten() {
        #expect(TopFigure.rate(10, 30, over: .seconds(2)) == 10)
        #expect(TopFigure.rate(10, 4, over: .seconds(2)) == 2)
        #expect(TopFigure.rate(10, 30, over: .zero) == 0)
        let figure = TopFigure(name: "n", title: "t", source: .topicBytes)
        #expect(
            [0, 0.25, 3, 9.96, 12.5, .infinity].map { figure.text(of: $0) } == [
                "0", "0.3", "3", "10.0", "13", "1000000000000000",
            ])
        #expect(
            [0, 1_023, 1_536, 20 << 20, 3 << 30].map { TopFigure.bytes(Double($0)) } == [
                "0 B", "1023 B", "1.5 KiB", "20 MiB", "3.0 GiB",
            ])
    }
}
