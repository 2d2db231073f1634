import TestSupport
import Testing

/// What the daemon says of itself: `/openapi.yaml` to programs that make clients, `/` to people.
@Suite(.blocking) struct ServedDescriptionTests {
    @Test func theDescriptionIsServedByteForByteAsItIsInTheRepository() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        let page = try PackageFiles.text("docs/openapi.yaml")
        let answer = try client.get("/openapi.yaml")
        #expect(answer.status == 200 && answer.text == page)
        #expect(answer.header("content-type") == "application/yaml")
        let head = try client.exchange("HEAD", "/openapi.yaml")
        #expect(head.status == 200 && head.number("content-length") == UInt64(page.utf8.count))
        #expect(
            try client.exchange("OPTIONS", "/openapi.yaml").header("allow") == "GET, HEAD, OPTIONS")
        #expect(try client.exchange("POST", "/openapi.yaml", body: [0x78]).status == 405)
        #expect(try client.get("/openapi.yaml?x=1").status == 400)
    }

    @Test func whoAsksForNothingThatIsThereIsToldOfIt() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        for path in [
            "//", "/help", "/docs/", "/page", "/topics/", "/openapi.json", "/openapi.yaml/",
        ] {
            let answer = try client.get(path)
            #expect(answer.status == 404 && answer.member("code") == "PATH_UNKNOWN", "\(path)")
            #expect(answer.member("detail")?.contains("/openapi.yaml has every path") == true)
        }
    }

    @Test(arguments: [false, true])
    func whatTheGreetingTellsToTypeWorks(bySocket: Bool) throws {
        let daemon = try RunningDaemon()
        let (way, bus) =
            bySocket
            ? (["--unix-socket", daemon.socketPath], "localhost") : ([], "localhost:\(daemon.port)")
        let greeting = try Self.run(["curl", "-sS"] + way + [bus])
        let lines = greeting.split(separator: "\n").map(String.init)
        try #require(lines.count == 5 && lines[0].hasPrefix("Belfry "), "\(greeting)")
        let typed = lines.dropFirst().map {
            "curl -sS --max-time 60 "
                + $0.split(separator: "curl ", maxSplits: 1)[1].split(separator: ",")[0]
                .replacing("SOCKET", with: daemon.socketPath)
        }
        // The reader waits for an event in the future, so it looks for the one that was there before.
        #expect(try Self.run(["sh", "-c", typed[0]]).contains("\"topic\":\"deploys\""))
        #expect(try Self.run(["sh", "-c", typed[1] + "?since=earliest"]) == "v1.2 is live")
        #expect(try Self.run(["sh", "-c", typed[2]]).contains("\"deploys\""))
        #expect(
            try Self.run(["sh", "-c", typed[3]]) == PackageFiles.text("docs/openapi.yaml"))
    }

    @Test func theGreetingNamesTheAddressOfItsCaller() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        try client.send("GET / HTTP/1.1\r\nHost: deploys.localhost\r\n\r\n")
        let named = try client.readAnswer()
        #expect(named.text.contains("curl deploys.localhost/topics\n"))
        #expect(named.header("content-type") == "text/plain; charset=utf-8")
        let wrong = try client.exchange("POST", "/", body: [0x78])
        #expect(wrong.status == 405 && wrong.text.contains("Topics are at /topics/{name}."))
    }

    /// What a program prints that ends well.
    private static func run(_ arguments: [String]) throws -> String {
        let program = try ChildProcess("/usr/bin/env", arguments)
        let ending = try program.wait(within: 90)
        try #require(ending == .exited(0), "\(arguments): \(program.text(of: .errors))")
        return program.text(of: .output)
    }
}
