import Glibc
import TestSupport
import Testing

/// A token goes to the bus, and not to whoever listens where the bus is to be.
@Suite(.blocking) struct TokenTrustTests {
    /// A user that is neither the one who runs the tests nor root.
    private static let other: uid_t = 12_345

    private static let refusal =
        "HTTP/1.1 403 X\r\nContent-Length: 36\r\n\r\n"
        + #"{"code":"REACHED","detail":"it was"}"#

    private func run(
        _ words: [String], at url: String, token: String?
    ) throws -> CommandRig.Outcome {
        let home = TemporaryFolder()
        let child = try ChildProcess(
            ChildProcess.product("belfry"), words,
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": home.path, "BELFRY_URL": url,
                "BELFRY_TOKEN": token ?? "", "SWIFT_BACKTRACE": "enable=no",
            ])
        return try CommandRig.outcome(of: child)
    }

    @Test(.byRoot, arguments: ["topics", "pub t x", "sub t", "work g -- true", "doctor", "get 7"])
    func aTokenGoesToNoListenerOfAnotherUser(command: String) throws {
        let server = try ScriptedServer(owner: Self.other) { _ in Self.refusal }
        let words = command.split(separator: " ").map { String($0) }
        for url in ["http://127.0.0.1:\(server.port)", "http://localhost:\(server.port)"] {
            let outcome = try run(words, at: url, token: "SECRET")
            #expect(server.requests == [])
            #expect(outcome.code == 4, "\(outcome)")
            let said = outcome.errors + outcome.output
            #expect(said.contains("user 12345") && said.contains("--trust-anyone"), "\(said)")
            #expect(!said.contains("SECRET"))
        }
    }

    @Test(.byRoot) func byWishATokenGoesToAnybodyAndWithoutOneARequestDoes() throws {
        let server = try ScriptedServer(owner: Self.other) { _ in Self.refusal }
        let url = "http://127.0.0.1:\(server.port)"
        let wished = try run(["topics", "--trust-anyone"], at: url, token: "SECRET")
        #expect(wished.code == 3 && wished.errors.contains("REACHED"), "\(wished)")
        let tokenless = try run(["topics"], at: url, token: nil)
        #expect(tokenless.code == 3 && tokenless.errors.contains("REACHED"), "\(tokenless)")
        #expect(server.requests.count == 2)
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func aTokenGoesToListenersOfOurOwn(host: String) throws {
        let server = try ScriptedServer { _ in Self.refusal }
        let outcome = try run(["topics"], at: "http://\(host):\(server.port)", token: "SECRET")
        #expect(outcome.code == 3 && outcome.errors.contains("REACHED"), "\(outcome)")
    }

    @Test(.byRoot) func aSocketOfAnotherUserGetsNoToken() throws {
        let folder = TemporaryFolder()
        try #require(chown(folder.path, Self.other, .max) == 0)
        let path = "\(folder.path)/belfry.sock"
        let daemon = try ChildProcess(
            "/usr/bin/setpriv",
            [
                "--reuid=\(Self.other)", "--clear-groups", ChildProcess.product("belfryd"),
                "--config", "/dev/null", "--listen", "127.0.0.1:0", "--listen", "unix:\(path)",
                "--store", "memory",
            ],
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": folder.path,
                "BELFRY_STORE_STATE_DIRECTORY": "\(folder.path)/state",
            ])
        let ready = try daemon.line { $0.contains("ready ") }
        let tcp = try #require(ready.split(separator: " ").first { $0.hasPrefix("tcp=") })
        for url in ["unix:\(path)", "http://\(tcp.dropFirst(4))"] {
            let outcome = try run(["topics"], at: url, token: "SECRET")
            #expect(outcome.code == 4 && outcome.errors.contains("user 12345"), "\(outcome)")
            let wished = try run(["topics", "--trust-anyone"], at: url, token: "SECRET")
            #expect(wished.code == 3 && wished.errors.contains("TOKEN_INVALID"), "\(wished)")
            #expect(try run(["topics"], at: url, token: nil).code == 0)
        }
    }
}
