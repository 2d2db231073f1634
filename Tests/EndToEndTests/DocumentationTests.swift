import TestSupport
import Testing

@Suite(.blocking) struct DocumentationTests {
    @Test(
        "every example of the HTTP interface prints what its page says, on a bus of its own",
        arguments: PackageFiles.httpPages)
    func examplesOfTheHTTPInterface(path: String) throws {
        let page = try PackageFiles.text(path)
        #expect(!ShellExample.all(in: page).isEmpty)
        try DocumentedSession().run(page, of: path)
    }

    @Test("a new user who types README's blocks sees what README prints")
    func sessionOfTheReadme() throws {
        let page = try PackageFiles.text("README.md")
        #expect(ShellExample.all(in: page).count >= 5)
        try DocumentedSession(programs: Self.command).run(page, of: "README.md")
    }

    /// The command, told where the bus is.
    private static let command = [
        "belfry": """
        #!/bin/sh
        BELFRY_URL=http://localhost:7464 exec '\(ChildProcess.product("belfry"))' "$@"

        """
    ]

    @Test("every example of the command prints what its page says")
    func examplesOfTheCommand() throws {
        let page = try PackageFiles.text("docs/command.md")
        #expect(ShellExample.all(in: page).count >= 4)
        try DocumentedSession(programs: Self.command).run(page, of: "docs/command.md")
    }

    @Test("every recipe does what it says, with the configuration that it asks for")
    func recipes() throws {
        let page = try PackageFiles.text("docs/recipes.md")
        #expect(ShellExample.all(in: page).count >= 10)
        let session = try DocumentedSession(
            configuration: FencedBlock.all(in: page).filter { $0.kind == "ini" }.map(\.text)
                .joined(),
            scripts: ShellExample.files(in: page),
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

    @Test(
        "the rules of the page on access let in whom it says, and nobody else",
        arguments: ["deploys", "deploys.web"])
    func rulesOfThePageOnAccess(topic: String) throws {
        let rules = FencedBlock.all(in: try PackageFiles.text("docs/http-access.md"))
            .filter { $0.kind == "ini" }.map(\.text).joined()
        #expect(rules.contains("user:ci") && rules.contains("group:ops"))
        let folder = TemporaryFolder()
        // Not every machine has a user called ci, and a group called ops.
        let file = folder.write(
            rules.replacing("user:ci", with: "uid:2001").replacing("group:ops", with: "uid:2002"),
            to: "belfryd.conf")
        for (caller, verb) in [
            ("uid:2001", "publish"), ("uid:2002", "subscribe"), ("uid:2003", "neither"),
        ] {
            for asked in ["publish", "subscribe", "work"] {
                let program = try ChildProcess(
                    ChildProcess.product("belfryd"),
                    ["--config", file, "--explain-access", caller, asked, topic])
                _ = try program.wait()
                let mayWork = asked == "work" && verb == "subscribe"
                let word = asked == verb || mayWork ? "allowed" : "denied"
                #expect(
                    program.text(of: .output).hasPrefix("\(word): "), "\(caller) \(asked) \(topic)")
            }
        }
    }

    @Test("what the tests do not run is marked so, and needs a machine of its own")
    func whatIsNotRun() throws {
        let kinds = ["sh not-run", "ini", "html", "python", "js"]
        let commands = ["git", "make", "sudo", "export"]
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
