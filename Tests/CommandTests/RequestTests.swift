import TestSupport
import Testing

@Suite(.blocking) struct RequestTests {
    /// A worker that answers, once it waits for requests.
    private func answering(_ rig: CommandRig, _ script: String) throws -> ChildProcess {
        let child = try rig.start("answer", "g", "math", "--", "sh", "-c", script)
        while try !rig.run("group", "show", "g", "--json").output.contains(#""workers":1"#) {}
        return child
    }

    @Test func aReplyIsWhatTheProgramPrints() throws {
        let rig = try CommandRig()
        let worker = try answering(rig, "echo $(($(cat)))")
        #expect(try rig.run("ask", "math", "2+3") == .init(code: 0, output: "5\n", errors: ""))
        #expect(try rig.run("ask", "math", "--timeout", "1m", input: "4*5").output == "20\n")
        worker.send(15)
        #expect(try worker.wait() == .exited(0))
    }

    @Test func theWaysToHaveNoReplyAreToldApart() throws {
        let rig = try CommandRig()
        let nobody = try rig.run("ask", "math", "1")
        #expect(nobody.code == 9 && nobody.errors.contains("NO_RESPONDER"))
        let worker = try answering(
            rig, "case $(cat) in no) echo why not; exit 65;; *) exit 1;; esac")
        let refused = try rig.run("ask", "math", "no", "--timeout", "1m")
        #expect(refused.code == 10 && refused.output == "")
        #expect(refused.errors.hasSuffix("refused it: why not\n"))
        let late = try rig.run("ask", "math", "later", "--timeout", "100ms")
        #expect(late.code == 1 && late.errors.contains("REPLY_TIMEOUT"))
        worker.send(15)
        #expect(try worker.wait() == .exited(0))
        #expect(
            try rig.run("ask", "math", "1", "--url", "/nonexistent", "--patience", "0").code == 4)
    }

    @Test(
        arguments: [
            ("echo one; echo two; exit 3", "sh ended with 3: two"), ("exit 4", "sh ended with 4"),
            ("echo out; echo err >&2; kill -9 $$", "sh was ended by signal 9: err"),
            ("head -c 2000000 /dev/zero", "sh wrote more than an event can have (1048576 bytes)"),
        ])
    func theAskerHearsWhyTheLastAttemptFailed(script: String, reason: String) throws {
        let rig = try CommandRig()
        try rig.run(
            "group", "set", "g", "--of", "math", "--replies", "yes", "--persist", "no",
            "--attempts", "1")
        let worker = try answering(rig, script)
        let asked = try rig.run("ask", "math", "1", "--timeout", "1m")
        #expect(asked.code == 10 && asked.errors.hasSuffix("refused it: \(reason)\n"), "\(asked)")
        worker.send(15)
        #expect(try worker.wait() == .exited(0))
        // Standard error is the worker's own, too.
        let written = worker.text(of: .errors).split(separator: "\n")
        #expect(written.contains("err") == script.contains("err"))
        #expect(written.last?.hasSuffix("attempt 1: it is refused") == true)
    }

    @Test func aRequestThatFailsIsTriedAgainSoonUntilItsAttemptsAreOver() throws {
        let rig = try CommandRig()
        let worker = try answering(rig, "echo \"attempt $BELFRY_ATTEMPT\"; exit 1")
        let asked = try rig.run("ask", "math", "1", "--timeout", "10s")
        #expect(asked.code == 10 && asked.errors.hasSuffix("ended with 1: attempt 5\n"), "\(asked)")
        worker.send(15)
        #expect(try worker.wait() == .exited(0))
    }

    @Test func aGroupThatDoesNotReplyIsLeftAsItIs() throws {
        let rig = try CommandRig()
        try rig.run("group", "set", "g", "--of", "math")
        let outcome = try rig.run("answer", "g", "math", "--", "cat")
        #expect(outcome.code == 3 && outcome.errors.contains("replies"))
    }
}
