import Glibc
import TestSupport
import Testing

@testable import belfry

@Suite(.blocking) struct RunTests {
    @Test func startAndEndAreEvents() throws {
        let rig = try CommandRig()
        let outcome = try rig.run(
            "run", "cron", "--", "/bin/sh", "-c", "cat; echo \\\"out; echo err >&2; exit 3",
            input: "in\n")
        #expect(outcome == .init(code: 3, output: "in\n\"out\n", errors: "err\n"))
        let events = try rig.events(of: "cron", "--json")
        #expect(events.count == 2)
        #expect(
            events[0].contains(#""type":"started","key":"sh","content_type":"application/json""#))
        #expect(
            events[1].contains(#""type":"ended""#) && events[1].contains(#""exit":3,"signal":null"#)
        )
        #expect(events[1].contains(#"in\n\"out"#) && events[1].contains("err"))
    }

    @Test func aSignalIsPassedOnAndTold() throws {
        let rig = try CommandRig()
        let child = try rig.start(
            "run", "cron", "--key", "k", "--", "sh", "-c", "echo runs; while :; do :; done")
        #expect(try child.line(from: .output) == "runs")
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(128 + 15))
        let end = try #require(try rig.events(of: "cron", "--json").last)
        #expect(end.contains(#""key":"k""#) && end.contains(#""exit":143,"signal":15"#))
    }

    @Test func aSignalThatComesWhileAProgramStartsReachesIt() throws {
        let watch = ProgramWatch()
        let child = try ChildProcess("/bin/cat")
        watch.stop(SIGTERM)
        #expect(watch.isStopping)
        watch.add(child.pid)
        // The signal is there before its input ends.
        #expect(try child.wait() == .signalled(SIGTERM))
    }

    /// A parent that ignores SIGCHLD, as some do, passes that on.
    @Test func howAProgramEndedIsKnownWhereTheParentIgnoresItsChildren() throws {
        let script = "trap '' CHLD; exec \"$0\" run t --url / --patience 0 -- sh -c 'exit 3'"
        let child = try ChildProcess(
            "/bin/sh", ["-c", script, ChildProcess.product("belfry")])
        #expect(try child.wait() == .exited(3))
    }

    @Test func aBusThatIsAwayKeepsNoProgramFromRunning() throws {
        let rig = try CommandRig()
        let outcome = try rig.run(
            "run", "cron", "--url", "/nonexistent", "--patience", "0", "--", "sh", "-c",
            "echo ran; exit 4")
        #expect(outcome.code == 4 && outcome.output == "ran\n")
        #expect(outcome.errors.contains("the run is not told"))
        let absent = try rig.run("run", "cron", "--", "/nonexistent")
        #expect(absent.code == 127)
        #expect(try rig.events(of: "cron").last?.contains(#""exit":127"#) == true)
        #expect(try rig.run("run", "cron").code == 2)
    }

    @Test func theTailIsTheLastWholeLines() {
        var tail = OutputTail()
        let add = { (text: String) in Array(text.utf8).withUnsafeBytes { tail.add($0) } }
        add("one\ntw")
        add("o\n")
        #expect(tail.text == "one\ntwo")
        for line in 0..<100_000 { add("\(line)\n") }
        #expect(tail.text == (99_980..<100_000).map { "\($0)" }.joined(separator: "\n"))
        let long = String(repeating: "x", count: Limits.tailBytesMax)
        add(long + long + "\nend\n")
        #expect(tail.text == "end")
    }
}
