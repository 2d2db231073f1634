import TestSupport
import Testing

@Suite(.blocking) struct DocumentationTests {
    @Test("every example of the HTTP interface prints what its page says")
    func examplesOfTheHTTPInterface() throws {
        let examples = ShellExample.all(in: try PackageFiles.text("docs/http-api.md"))
        #expect(examples.count >= 8)
        let daemon = try RunningDaemon()
        let folder = TemporaryFolder()
        for example in examples {
            let script = "cd '\(folder.path)' || exit\n" + example.script
            let shell = try ChildProcess(
                "/bin/sh",
                ["-c", script.replacing("localhost:7464", with: "localhost:\(daemon.port)")])
            #expect(try shell.wait() == .exited(0))
            #expect(shell.text(of: .errors) == "")
            if let objection = example.objection(to: shell.text(of: .output)) {
                Issue.record("docs/http-api.md, line \(example.line): \(objection)")
            }
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
