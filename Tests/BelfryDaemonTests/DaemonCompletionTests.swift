import About
import TestSupport
import Testing

@testable import BelfryDaemon

/// What shells complete behind `belfryd`, in these shells.
@Suite(.blocking) struct DaemonCompletionTests {
    private let folder = TemporaryFolder()

    private func script(_ shell: CompletedShell) throws -> String {
        let child = try ChildProcess(
            ChildProcess.product("belfryd"), ["--completion", shell.rawValue])
        #expect(try child.wait() == .exited(0))
        return child.text(of: .output)
    }

    /// What bash offers for a word that is not finished, behind another one.
    private func offered(_ word: String, behind before: String = "belfryd") throws -> [String] {
        let path = folder.write(try script(.bash), to: "belfryd.bash")
        let ask = """
            source "$0"
            [[ $(complete -p belfryd) == *' -F _belfryd belfryd' ]] || exit 1
            cd "$HOME"
            _belfryd belfryd "$1" "$2"
            ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
            """
        let bash = try ChildProcess(
            "/bin/bash", ["--norc", "-c", ask, path, word, before],
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path])
        let ending = try bash.wait()
        #expect(ending == .exited(0) && bash.text(of: .errors) == "", "\(bash.text(of: .errors))")
        return bash.text(of: .output).split(separator: "\n").map { String($0) }
    }

    @Test func everyOptionIsOffered() throws {
        #expect(try offered("") == Option.all.map(\.name))
        #expect(try offered("--check") == ["--check-config", "--check-store"])
    }

    @Test func aValueIsAFileOneOfItsWordsOrNothing() throws {
        folder.write("", to: "bus.conf")
        #expect(try offered("bus", behind: "--config") == ["bus.conf"])
        #expect(try offered("", behind: "--man") == ["belfryd", "belfryd.conf"])
        #expect(try offered("", behind: "--completion") == CompletedShell.allCases.map(\.rawValue))
        #expect(try offered("w", behind: "--log-level") == ["warning"])
        #expect(try offered("", behind: "--listen") == [])
    }

    @Test(arguments: CompletedShell.allCases)
    func everyShellTakesItsScriptWithEveryOption(shell: CompletedShell) throws {
        let text = try script(shell)
        let path = folder.write(text, to: shell.rawValue)
        let check = try ChildProcess("/bin/sh", ["-c", "exec \(shell.rawValue) -n \"$0\"", path])
        #expect(try check.wait() == .exited(0), "\(check.text(of: .errors))")
        for option in Option.all {
            #expect(text.contains(shell == .fish ? "-l \(option.name.dropFirst(2))" : option.name))
        }
    }

    @Test func anotherShellIsRefusedWithThoseThatThereAre() throws {
        let child = try ChildProcess(ChildProcess.product("belfryd"), ["--completion", "csh"])
        #expect(try child.wait() == .exited(2))
        #expect(child.text(of: .errors).contains("`csh` is none of: bash, zsh, fish"))
    }
}
