import About
import TestSupport
import Testing

@testable import belfry

/// What shells complete, in these shells.
@Suite(.blocking) struct CompletionTests {
    private let rig: CommandRig
    private let script: String

    init() throws {
        rig = try CommandRig()
        script = rig.home.write(try rig.run("--completion", "bash").output, to: "belfry.bash")
    }

    /// What bash offers behind these words, the last of which is not finished.
    private func offered(_ words: String...) throws -> [String] {
        let ask = """
            source "$0"
            [[ $(complete -p belfry) == *' -F _belfry belfry' ]] || exit 1
            COMP_WORDS=(belfry "$@")
            COMP_CWORD=$#
            cd "$HOME"
            _belfry belfry "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
            """
        let product = ChildProcess.product("belfry")
        let folder = product[..<product.lastIndex(of: "/")!]
        let bash = try ChildProcess(
            "/bin/bash", ["--norc", "-c", ask, script] + words,
            environment: [
                "PATH": "\(folder):/usr/bin:/bin", "HOME": rig.home.path,
                "BELFRY_URL": rig.daemon.socketPath,
            ])
        let ending = try bash.wait()
        #expect(ending == .exited(0) && bash.text(of: .errors) == "", "\(bash.text(of: .errors))")
        return bash.text(of: .output).split(separator: "\n").map { String($0) }
    }

    @Test func everyCommandIsOffered() throws {
        #expect(try offered("") == CompletedShell.firstWords)
        #expect(try offered("pu") == ["pub", "push"])
        for command in CommandTable.all where command.words.count == 2 {
            #expect(try offered(command.words[0], "").contains(command.words[1]))
        }
    }

    @Test func everyOptionOfACommandIsOffered() throws {
        for command in CommandTable.all {
            let second = command.words.count == 2 ? command.words[1] : "x"
            let offered = try offered(command.words[0], second, "-")
            #expect(offered == command.allOptions.map(\.name), "\(command.name)")
        }
        #expect(try offered("sub", "--u") == ["--until-now", "--url"])
        #expect(try offered("nonsense", "--u") == [])
    }

    @Test func anOperandThatIsAFileIsOne() throws {
        let path = rig.home.write("", to: "webhooks")
        #expect(try offered("push", "\(rig.home.path)/webh") == [path])
        #expect(try offered("bench", "\(rig.home.path)/webh") == [])
    }

    @Test func topicsAndGroupsAreThoseOfTheBus() throws {
        try rig.run("pub", "deploys.web", "x")
        try rig.run("pub", "deploys.db", "x")
        try rig.run("pub", "other", "x")
        #expect(try offered("sub", "deploys.").sorted() == ["deploys.db", "deploys.web"])
        #expect(try offered("topic", "show", "--json", "o") == ["other"])
        try rig.run("group", "set", "mail", "--of", "other")
        #expect(try offered("group", "show", "") == ["mail"])
        #expect(try offered("work", "m") == ["mail"])
    }

    @Test func valuesAreFilesOrNothingAndBehindTheDashesIsAProgram() throws {
        rig.home.write("", to: "token")
        #expect(try offered("sub", "a", "--token-file", "tok") == ["token"])
        #expect(try offered("sub", "a", "--since", "") == [])
        #expect(try offered("sub", "a", "--", "sha256s").contains("sha256sum"))
        #expect(try offered("sub", "a", "--", "cat", "tok") == ["token"])
    }

    @Test(arguments: CompletedShell.allCases)
    func everyShellTakesItsScript(shell: CompletedShell) throws {
        let text = try rig.run("--completion", shell.rawValue).output
        let path = rig.home.write(text, to: shell.rawValue)
        let check = try ChildProcess("/bin/sh", ["-c", "exec \(shell.rawValue) -n \"$0\"", path])
        #expect(try check.wait() == .exited(0), "\(check.text(of: .errors))")
    }

    @Test func everyScriptHasEveryCommandAndOption() throws {
        for shell in CompletedShell.allCases {
            let text = try rig.run("--completion", shell.rawValue).output
            for option in CommandTable.all.flatMap(\.allOptions) {
                let name = shell == .fish ? String(option.name.drop { $0 == "-" }) : option.name
                #expect(text.contains(name), "\(option.name) for \(shell)")
            }
        }
        #expect(try rig.run("--completion", "csh").code == CommandExit.usage.rawValue)
    }
}
