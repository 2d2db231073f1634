import About
import Glibc
import TestSupport
import Testing

@testable import belfry

/// The pages of the manual against the table that they are made of.
@Suite(.blocking) struct CommandManualTests {
    private func text(_ file: String) throws -> String {
        try #require(CommandManual.pages.first { $0.file == file }).text
            .replacing("\\-", with: "-")
    }

    @Test func everyCommandHasItsPageWithItsOptions() throws {
        let whole = try text("belfry.1")
        for command in CommandTable.all {
            #expect(whole.contains("\n.TP\n\\fB\(command.name)\\fR"), "\(command.name)")
            let page = try text("belfry-\(command.name.replacing(" ", with: "-")).1")
            #expect(page.contains(" - \(command.summary)\n"))
            for option in command.allOptions {
                #expect(page.contains("\n.TP\n\\fB\(option.name)\\fR"), "\(option.name)")
            }
        }
        for code in CommandExit.allCases {
            #expect(whole.contains("\n.TP\n\\fB\(code.rawValue)\\fR\n\(code.meaning)\n"))
        }
    }

    @Test(arguments: CommandTable.all.map(\.name))
    func aCommandHasExamplesThatItWouldTake(name: String) throws {
        let command = try #require(CommandTable.all.first { $0.name == name })
        #expect(!command.examples.isEmpty)
        let page = try text("belfry-\(name.replacing(" ", with: "-")).1")
        for example in command.examples {
            #expect(page.contains("\n.TP\n\\fB") && page.contains("\n\(example.meaning)\n"))
            #expect(CommandHelp.text(of: command).contains("  \(example.line)\n"))
            // The shell says which words it makes of the last command of the line.
            let last = example.line.split(separator: "|").last ?? ""
            let words = last.split(separator: "<")[0].replacing(
                "belfry ", with: "", maxReplacements: 1)
            let shell = try ChildProcess("/bin/sh", ["-c", "printf '%s\\n' \(words)"])
            #expect(try shell.wait() == .exited(0))
            let found = try CommandTable.find(
                shell.text(of: .output).split(separator: "\n").map { String($0) }[...])
            #expect(found.command.name == name)
            _ = try Arguments(found.rest, of: command)
        }
    }

    @Test func theProgramPrintsTheNamesOfItsPagesAndEach() throws {
        let rig = try CommandRig()
        let names = try rig.run("--man").output.split(separator: "\n").map { String($0) }
        #expect(names == CommandManual.pages.map(\.file))
        #expect(try rig.run("--man", "belfry-sub.1").output.contains(".SH \"SYNOPSIS\"\n"))
        #expect(try rig.run("--man", "ls.1").code == CommandExit.usage.rawValue)
        #expect(try rig.run("--version").output == "belfry \(Version.number)\n")
    }

    @Test func whatReadsThePagesFindsNoFault() throws {
        for page in CommandManual.pages { #expect(try ManualLint.faults(of: page.text) == "") }
    }

    @Test func noTextIsTakenForAMacro() throws {
        var page = ManualPage("a-b", section: 1, summary: "c")
        page.heading("Description")
        page.paragraph(".SH gone \\fBbold 'quoted' -x ~ ^ ` é")
        page.item(".PP", value: "'V\"", "'t")
        page.example(".a\n'b \\n")
        let mandoc = try ChildProcess("/usr/bin/mandoc", ["-T", "utf8"])
        try mandoc.write(Array(page.text.utf8))
        #expect(try mandoc.wait() == .exited(0))
        // Bold is a letter, a backspace and the letter again.
        let shown = mandoc.text(of: .output).replacing(/.\u{8}/, with: "")
        for text in [".SH gone \\fBbold 'quoted' -x ~ ^ ` é", ".PP 'V\"", "'t", ".a", "'b \\n"] {
            #expect(shown.contains(text), "\(text) in \(shown)")
        }
        #expect(try ManualLint.faults(of: page.text) == "")
    }
}

/// What `make install` puts on a machine of what the programs print of themselves.
@Suite(.blocking) struct InstalledManualTests {
    @Test func thePackageIsOfTheVersionThatTheProgramsHave() throws {
        for (option, wanted) in [([], Version.number), (["--date"], Version.date)] {
            let script = try ChildProcess("\(PackageFiles.root)/scripts/version", option)
            #expect(try script.wait() == .exited(0))
            #expect(script.text(of: .output) == wanted + "\n")
        }
    }

    @Test func anInstallHasEveryPageAndCompletionAndAnUninstallNone() throws {
        let folder = TemporaryFolder()
        let (daemon, command) = (ChildProcess.product("belfryd"), ChildProcess.product("belfry"))
        let variables = [
            "DESTDIR=\(folder.path)", "RELEASE_BINARY=\(daemon)", "COMMAND_BINARY=\(command)",
            "--assume-old=\(daemon)", "--assume-old=\(command)", "INSTALL_STRIP=",
        ]
        func files(behind target: String) throws -> [String] {
            let make = try ChildProcess(
                "/bin/sh",
                ["-c", "make -s -C \"$0\" \"$@\" >&2 && cd '\(folder.path)' && find . -type f"]
                    + [PackageFiles.root, target] + variables,
                environment: ["PATH": "/usr/bin:/bin"])
            #expect(try make.wait() == .exited(0), "\(make.text(of: .errors))")
            return make.text(of: .output).split(separator: "\n").map { String($0) }
        }
        let installed = try files(behind: "install")
        let pages =
            CommandManual.pages.map { "man\($0.section)/\($0.file)" } + [
                "man8/belfryd.8", "man5/belfryd.conf.5",
            ]
        let completions = ["belfry", "belfryd"].flatMap {
            ["bash-completion/completions/\($0)", "fish/vendor_completions.d/\($0).fish"]
        }
        for file in pages.map({ "man/\($0)" }) + completions {
            #expect(installed.contains("./usr/share/\(file)"), "\(file)")
        }
        for name in ["/_belfry", "/_belfryd"] {
            #expect(installed.contains { $0.hasSuffix(name) })
        }
        #expect(try files(behind: "uninstall") == ["./etc/belfry/belfryd.conf"])
    }
}
