import Glibc
import TestSupport
import Testing

/// A program has ended when its process has, whatever it left running with its streams.
@Suite(.blocking) struct LeftBehindTests {
    /// What a process that was left behind waits for: it holds its streams until then.
    private struct Gate {
        private let path: String

        init(in home: TemporaryFolder) {
            path = home.path + "/gate"
            let made = mkfifo(path, 0o600) == 0
            precondition(made, "no pipe could be made: errno \(errno)")
        }

        func open() { close(Glibc.open(path, O_RDWR | O_CLOEXEC)) }
    }

    /// It has all streams of the program but standard error, which would be the test's own.
    private static let leaving = "exec 3<&0; cat \"$HOME/gate\" 2>&- &"

    @Test func aRunEndsWithItsProgramAndNotWithItsOutput() throws {
        let rig = try CommandRig()
        let gate = Gate(in: rig.home)
        defer { gate.open() }
        let outcome = try rig.run(
            "run", "cron", "--", "sh", "-c", "cat \"$HOME/gate\" & echo done; exit 3")
        #expect(outcome == .init(code: 3, output: "done\n", errors: ""))
        let end = try #require(try rig.events(of: "cron").last)
        #expect(end.contains(#""exit":3"#) && end.contains(#""output":"done""#), "\(end)")
    }

    @Test func aJobIsDoneWhenItsProgramHasEnded() throws {
        let rig = try CommandRig()
        let gate = Gate(in: rig.home)
        defer { gate.open() }
        try rig.run("pub", "jobs", "x")
        let outcome = try rig.run(
            "work", "g", "jobs", "--max", "1", "--output", "out", "--", "sh", "-c",
            "\(Self.leaving) printf result")
        #expect(outcome == .init(code: 0, output: "", errors: ""))
        #expect(try rig.events(of: "out") == ["result"])
    }

    @Test func aReplyIsThereWhenItsProgramHasEnded() throws {
        let rig = try CommandRig()
        let gate = Gate(in: rig.home)
        defer { gate.open() }
        let worker = try rig.start(
            "answer", "g", "math", "--max", "1", "--", "sh", "-c", "\(Self.leaving) echo reply")
        while try !rig.run("group", "show", "g", "--json").output.contains(#""workers":1"#) {}
        let asked = try rig.run("ask", "math", "1", "--timeout", "1m")
        #expect(asked == .init(code: 0, output: "reply\n", errors: ""))
        #expect(try worker.wait() == .exited(0))
    }

    @Test func whatAProgramLeavesUnreadIsDropped() throws {
        let rig = try CommandRig()
        let gate = Gate(in: rig.home)
        defer { gate.open() }
        // More than a pipe holds.
        let payload = String(repeating: "x", count: 200_000)
        try rig.run("pub", "t", input: payload)
        let outcome = try rig.run(
            "sub", "t", "--since", "earliest", "--max", "1", "--", "sh", "-c",
            "\(Self.leaving.replacing(" 2>&-", with: " >/dev/null 2>&-")) echo done")
        #expect(outcome == .init(code: 0, output: "done\n", errors: ""))
    }
}
