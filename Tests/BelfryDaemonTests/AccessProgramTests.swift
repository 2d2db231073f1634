import Glibc
import TestSupport
import Testing

@testable import BelfryDaemon

/// What the built program says of access rules and tokens.
@Suite(.blocking) struct AccessProgramTests {
    private let folder = TemporaryFolder()

    /// What it prints on standard output and standard error, and how it ends.
    private func belfryd(
        _ arguments: [String], configuration: String = "", variables: [String: String] = [:]
    ) throws -> (output: String, errors: String, ending: ChildProcess.Ending) {
        let path = folder.write(configuration, to: "belfryd.conf")
        let child = try ChildProcess(
            ChildProcess.product("belfryd"), ["--config", path] + arguments,
            environment: ["HOME": folder.path].merging(variables) { $1 })
        let ending = try child.wait()
        return (child.text(of: .output), child.text(of: .errors), ending)
    }

    private static let rules = """
        [access]
        rule = > publish uid:0
        rule = deploys.* publish uid:1000 token:deployer
        """

    @Test(arguments: [
        ["--explain-access", "uid:1000", "publish", "deploys.web"],
        ["--explain-access", "uid:1000 publish deploys.web"],
        ["--explain-access=uid:1000 publish deploys.web"],
        ["--explain-access=uid:1000", "publish", "deploys.web"],
    ])
    func aQuestionIsOneArgumentOrThree(arguments: [String]) throws {
        let said = try belfryd(arguments, configuration: Self.rules)
        #expect(said.ending == .exited(0), "\(said.errors)")
        #expect(
            said.output == """
                allowed: user 1000 may publish 'deploys.web': the rule is
                    deploys.* publish uid:1000 token:deployer

                """)
    }

    @Test func aQuestionThatIsNoneEndsWithStatusTwo() throws {
        for question in ["uid:1000 publish", "eve publish a", "uid:1 read a"] {
            let said = try belfryd(["--explain-access", question], configuration: Self.rules)
            #expect(said.ending == .exited(2))
            #expect(said.errors.hasPrefix("--explain-access: "), "\(said.errors)")
        }
    }

    @Test func checkingTheConfigurationSaysWhoMayDoWhat() throws {
        let said = try belfryd(["--check-config"], configuration: Self.rules)
        #expect(said.ending == .exited(0))
        #expect(
            said.output == """
                OK
                Who may do what, by the first line that matches a topic (root and the bus's own \
                user administer all):
                  deploys.*: publish uid:1000 token:deployer; receive everybody; work whoever may \
                receive; administer its maker
                  >: publish uid:0; receive everybody; work whoever may receive; administer its \
                maker
                Warning: access.rule names token:deployer, which is in no tokens file

                """)
    }

    @Test func aTopicLeftOpenAboveAPatternIsWarnedOfByTheCheckAtTheStartAndAtAReload() throws {
        let rules = "[access]\nrule = deploys.> publish uid:1000\n"
        let warning =
            "access.rule: deploys.> does not match deploys itself, where anybody may publish"
        let said = try belfryd(["--check-config"], configuration: rules)
        #expect(said.ending == .exited(0))
        #expect(said.output.contains("\nWarning: \(warning)"), "\(said.output)")

        let daemon = try ChildProcess(
            ChildProcess.product("belfryd"),
            ["--config", folder.write(rules, to: "belfryd.conf"), "--listen", "127.0.0.1:0"],
            environment: ["HOME": folder.path])
        _ = try daemon.line { $0.contains(warning) }
        _ = try daemon.line { $0.contains("ready ") }
        daemon.send(SIGHUP)
        _ = try daemon.line { $0.contains(warning) }
        daemon.send(SIGTERM)
        #expect(try daemon.wait() == .exited(0))
    }

    @Test func tokensComeFromTheCredentialUnlessAFileIsNamed() throws {
        let token = try belfryd(["--make-token", "deployer"])
        #expect(token.ending == .exited(0))
        let line = try #require(token.output.split(separator: "\n").last.map(String.init))
        let credential = folder.write(line, to: "tokens")
        try #require(chmod(credential, 0o400) == 0)
        let variables = ["CREDENTIALS_DIRECTORY": folder.path]
        let found = try belfryd(
            ["--check-config"], configuration: Self.rules, variables: variables)
        #expect(found.ending == .exited(0) && !found.output.contains("Warning"))
        let named = Self.rules + "\ntokens = \(folder.path)/missing"
        let missing = try belfryd(["--check-config"], configuration: named, variables: variables)
        #expect(missing.ending == .exited(2))
        #expect(missing.errors.contains("/missing: access.tokens: it cannot be read"))
        let none = try belfryd(
            ["--check-config"], variables: ["CREDENTIALS_DIRECTORY": "/nonexistent"])
        #expect(none.output == "OK\n")
    }

    @Test func aBrokenTokensFileIsToldByItsLine() throws {
        let path = folder.write("# tokens\nhunter2\n", to: "tokens")
        try #require(chmod(path, 0o600) == 0)
        let said = try belfryd(
            ["--check-config"], configuration: "[access]\ntokens = \(path)\n")
        #expect(said.ending == .exited(2))
        #expect(said.errors.hasPrefix("\(path):2: access.tokens: a token is a line"))
        #expect(!said.errors.contains("hunter2"))
    }
}
