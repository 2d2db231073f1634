import Glibc
import TestSupport
import Testing

/// Programs that the command starts do not get its token.
@Suite(.blocking) struct ProgramSecretTests {
    private static let script = #"[ -z "${BELFRY_TOKEN+x}" ] && echo "none, $MINE" || echo leaked"#

    @Test(
        arguments: [
            ["run", "t", "--"], ["sub", "t", "--since", "earliest", "--max", "1", "--"],
            ["work", "g", "t", "--max", "1", "--"], ["answer", "a", "asked", "--max", "1", "--"],
        ])
    func aProgramDoesNotHaveTheTokenInItsEnvironment(words: [String]) throws {
        let maker = try ChildProcess(ChildProcess.product("belfryd"), ["--make-token", "one"])
        try #require(try maker.wait() == .exited(0))
        let made = maker.text(of: .output).split(separator: "\n").map { String($0) }
        let folder = TemporaryFolder()
        let tokens = folder.write(made[1], to: "tokens")
        chmod(tokens, 0o600)
        let rig = try CommandRig(
            configuration: """
                [access]
                tokens = \(tokens)
                rule = > publish,subscribe,work,administer token:one
                """)
        let variables = ["BELFRY_TOKEN": made[0], "MINE": "stays"]
        #expect(try rig.run("pub", "t", "x", variables: variables).code == 0)
        let child = try rig.start(words + ["sh", "-c", Self.script], variables)
        if words[0] == "answer" {
            let show = { try rig.run("group", "show", "a", "--json", variables: variables).output }
            while try !show().contains(#""workers":1"#) {}
            let asked = try rig.run("ask", "asked", "--timeout", "1m", variables: variables)
            #expect(asked.output == "none, stays\n", "\(asked)")
        }
        let outcome = try CommandRig.outcome(of: child)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(words[0] == "answer" || outcome.output == "none, stays\n", "\(outcome)")
    }
}
