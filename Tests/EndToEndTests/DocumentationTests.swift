import TestSupport
import Testing

@Suite(.blocking) struct DocumentationTests {
    @Test("every example of the HTTP interface prints what its page says")
    func examplesOfTheHTTPInterface() throws {
        let page = try PackageFiles.text("docs/http-api.md")
        #expect(ShellExample.all(in: page).count >= 8)
        try DocumentedSession().run(page, of: "docs/http-api.md")
    }

    @Test("a new user who types README's blocks sees what README prints")
    func sessionOfTheReadme() throws {
        let page = try PackageFiles.text("README.md")
        #expect(ShellExample.all(in: page).count >= 5)
        try DocumentedSession(scripts: ShellExample.files(in: page)).run(page, of: "README.md")
    }

    @Test("every example of the command prints what its page says")
    func examplesOfTheCommand() throws {
        let page = try PackageFiles.text("docs/command.md")
        #expect(ShellExample.all(in: page).count >= 4)
        let program = ChildProcess.product("belfry")
        try DocumentedSession(programs: [
            "belfry": "#!/bin/sh\nBELFRY_URL=http://localhost:7464 exec '\(program)' \"$@\"\n"
        ])
        .run(page, of: "docs/command.md")
    }

    @Test("every recipe does what it says, with the configuration that it asks for")
    func recipes() throws {
        let page = try PackageFiles.text("docs/recipes.md")
        #expect(ShellExample.all(in: page).count >= 10)
        let scripts = ShellExample.files(in: try PackageFiles.text("README.md"))
        let session = try DocumentedSession(
            configuration: FencedBlock.all(in: page).filter { $0.kind == "ini" }.map(\.text)
                .joined(),
            scripts: scripts.merging(ShellExample.files(in: page)) { $1 },
            programs: [
                // A machine may have no journal, and a journal that is followed never ends.
                "journalctl": """
                #!/bin/sh
                [ "$*" = '-f -n 0 -o cat -u ssh' ] || exit
                echo 'Server listening on :: port 22.'
                echo 'Accepted publickey for ci'

                """
            ])
        try session.run(page, of: "docs/recipes.md")
    }

    @Test("README's access rules close its topic to others, and the topics below it")
    func rulesOfTheReadme() throws {
        let page = try PackageFiles.text("README.md")
        let rules = FencedBlock.all(in: page).filter { $0.kind == "ini" }.map(\.text).joined()
        #expect(rules.contains("user:ci"))
        let folder = TemporaryFolder()
        // Not every machine has a user called ci.
        let file = folder.write(rules.replacing("user:ci", with: "uid:2001"), to: "belfryd.conf")
        for (caller, word) in [("uid:2001", "allowed"), ("uid:2002", "denied")] {
            for topic in ["deploys", "deploys.web"] {
                let program = try ChildProcess(
                    ChildProcess.product("belfryd"),
                    ["--config", file, "--explain-access", caller, "publish", topic])
                _ = try program.wait()
                #expect(program.text(of: .output).hasPrefix("\(word): "), "\(caller) \(topic)")
            }
        }
    }

    @Test("README's Swift and its commands for upgrades are those of the pages that have more")
    func quotationsOfTheReadme() throws {
        let blocks = FencedBlock.all(in: try PackageFiles.text("README.md"))
        let swift = blocks.filter { $0.kind == "swift" }.map(\.text)
        let libraries = try PackageFiles.text("docs/libraries.md")
        #expect(swift.count == 1 && swift.allSatisfy { libraries.contains("```swift\n\($0)```") })
        let upgrade = blocks.filter { $0.kind == "sh not-run" && $0.text.contains("uninstall") }
        let operations = try PackageFiles.text("docs/operations.md")
        #expect(upgrade.count == 1)
        for line in upgrade.flatMap(\.lines) {
            #expect(operations.contains("\n\(line)\n"), "\(line)")
        }
    }

    @Test("what the tests do not run is marked so, and needs a machine of its own")
    func whatIsNotRun() throws {
        let kinds = ["sh not-run", "ini", "html", "swift"]
        let commands = ["git", "make", "sudo"]
        for path in ["README.md", "docs/recipes.md"] {
            let page = try PackageFiles.text(path)
            let files = ShellExample.files(in: page)
            for block in FencedBlock.all(in: page) where block.kind != "sh" {
                let isFile = files["\(block.kind.dropFirst(3))"] == block.text
                #expect(kinds.contains(block.kind) || isFile, "\(path), line \(block.line)")
                for line in block.lines where block.kind == "sh not-run" && !line.isEmpty {
                    #expect(commands.contains { line.hasPrefix("\($0) ") }, "\(path): \(line)")
                }
            }
            let indented = page.split(separator: "```").enumerated().filter { $0.offset % 2 == 0 }
            #expect(!indented.contains { $0.element.contains("\n\n    ") }, "\(path)")
        }
    }

    @Test("an example is told apart from what only looks like it")
    func examplesAreCompared() throws {
        let document = """
            ```sh
            curl -si localhost:7464/version
            # HTTP/1.1 200 OK
            # …
            # {"name":"belfry","version":"…"}
            echo done
            ```
            """
        let example = try #require(ShellExample.all(in: document).first)
        let (head, body) = ("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", #"{"name":"belfry","version":"1"}"#)
        func objection(_ output: String, _ rest: String = "") -> String? {
            example.objection(to: output + "\n\u{1E}\n" + rest + "\n\u{1E}\n")
        }
        #expect(objection(head + body) == nil)
        #expect(objection(head + body + "\n") == nil)
        #expect(objection("HTTP/1.1 201 Created\r\n\r\n" + body) != nil)
        #expect(objection(head + #"{"version":"1"}"#) != nil)
        #expect(objection(head + #"{"name":"belfry","version":"1","more":true}"#) != nil)
        #expect(objection(head + body + "\nmore") != nil)
        #expect(objection(head) != nil)
        #expect(objection("") != nil)
        #expect(objection(head + body, "done") != nil)
        #expect(example.objection(to: head + body) != nil)
    }
}
