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

    @Test func aGroupThatDoesNotReplyIsLeftAsItIs() throws {
        let rig = try CommandRig()
        try rig.run("group", "set", "g", "--of", "math")
        let outcome = try rig.run("answer", "g", "math", "--", "cat")
        #expect(outcome.code == 3 && outcome.errors.contains("replies"))
    }
}
