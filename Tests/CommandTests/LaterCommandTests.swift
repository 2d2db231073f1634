import TestSupport
import Testing

/// `belfry pub --delay`, `--at` and `--every`, `belfry later`, `belfry cancel`.
@Suite(.blocking) struct LaterCommandTests {
    private let rig: CommandRig

    init() throws { rig = try CommandRig() }

    private func tickets() throws -> [String] {
        try rig.run("later", "a", "--json").output.matches(of: /"later":"(\d+)"/).map {
            String($0.1)
        }
    }

    @Test func anEventIsHeldAndListedAndCancelled() throws {
        let held = try rig.run("pub", "a", "x", "--delay", "1h", "--key", "k", "--id")
        #expect(held.code == 0 && held.errors == "")
        let id = String(held.output.dropLast())
        #expect(try tickets() == [id])
        let lines = try rig.run("later", "a").output.split(separator: "\n")
        #expect(lines.count == 2 && lines[1].hasPrefix(id) && lines[1].contains("  k  "))
        #expect(try rig.run("cancel", "a", id) == .init(code: 0, output: "", errors: ""))
        #expect(try tickets().isEmpty)
        let again = try rig.run("cancel", "a", id)
        #expect(again.code == 1 && again.errors.contains("were cancelled"), "\(again)")
        #expect(try rig.events(of: "a") == [])
    }

    @Test func aPersonIsToldHowToTakeTheEventBack() throws {
        let terminal = PseudoTerminal(columns: 120, rows: 24)
        let child = try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec \"$0\" pub a x --delay 1h 2>&3", ChildProcess.product("belfry"),
            ],
            environment: [
                "PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no",
                "BELFRY_URL": rig.daemon.socketPath,
            ], handing: [terminal.theirs])
        try terminal.wait(for: "takes it back")
        #expect(try child.wait() == .exited(0))
        let ticket = try #require(tickets().first)
        #expect(terminal.shown.contains("`belfry cancel a \(ticket)` takes it back"))
    }

    @Test func aTimeThatIsOverIsToldSo() throws {
        let outcome = try rig.run("pub", "a", "x", "--at", "2020-01-01")
        #expect(outcome.code == 0 && outcome.errors.contains("its time is over"), "\(outcome)")
        let child = try rig.start("sub", "a", "--since", "earliest", "--max", "1", "--data")
        #expect(try CommandRig.outcome(of: child).output == "x\n")
    }

    @Test func aScheduleIsListedWithItsIntervalAndName() throws {
        for text in ["x", "y"] {
            let outcome = try rig.run("pub", "a", text, "--every", "1h", "--name", "tick")
            #expect(outcome == .init(code: 0, output: "", errors: ""))
        }
        let lines = try rig.run("later", "a").output.split(separator: "\n")
        #expect(lines.count == 2 && lines[1].hasSuffix("1h     tick"), "\(lines)")
        #expect(try rig.run("cancel", "a", "tick").code == 0)
        #expect(try tickets().isEmpty)
    }

    @Test(arguments: [
        (["--delay", "1h", "--at", "2027-01-01"], "say the same"),
        (["--at", "soon"], "is no time"),
        (["--delay", "soon"], "is no time"), (["--lines", "--delay", "1h"], "leave '--lines' out"),
        (["--name", "n"], "give '--every' too"),
    ])
    func whatCannotBeHeldIsUsage(words: [String], sentence: String) throws {
        let child = try rig.start(["pub", "a"] + (words[0] == "--lines" ? [] : ["x"]) + words)
        let outcome = try CommandRig.outcome(of: child)
        #expect(outcome.code == 2 && outcome.errors.contains(sentence), "\(outcome)")
    }
}
