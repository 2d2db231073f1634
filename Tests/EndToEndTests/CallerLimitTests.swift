import Glibc
import TestSupport
import Testing

/// What one user may take, and that others still get theirs.
@Suite(.blocking, .byRoot) struct CallerLimitTests {
    /// What somebody else is answered, by status.
    private func stranger(_ daemon: RunningDaemon, _ path: String, _ more: String...) throws
        -> String
    {
        let curl = try ChildProcess(
            "/usr/bin/setpriv",
            [
                "--reuid=65533", "--regid=65533", "--clear-groups", ChildProcess.curl, "-sS",
                "-o", "/dev/null", "-w", "%{http_code}", daemon.url(path),
            ] + more)
        #expect(try curl.wait() == .exited(0))
        return curl.text(of: .output)
    }

    private func expectOwnLimit(
        _ answer: RawClient.Answer, _ what: String, retryAfter: String = "1"
    ) {
        #expect(answer.status == 429, "\(what)")
        ProblemTests.check(answer, "LIMIT_CALLER", what)
        #expect(answer.header("retry-after") == retryAfter, "\(what)")
    }

    @Test(arguments: ["raw", "ndjson"])
    func whoWaitsTooOftenKeepsNobodyElseFromWaiting(form: String) throws {
        let daemon = try RunningDaemon(
            configuration: "[poll]\nsubscribers = 8\nsubscribers_per_uid = 2\n")
        let client = try daemon.connect()
        try client.register("t")
        let waiting = try [daemon.tcp, daemon.unix].map { address in
            let poller = try RawClient(address)
            try poller.send("GET", "/topics/t")
            return poller
        }
        try client.await(subscribers: 2, of: "t")
        expectOwnLimit(try client.get("/topics/t?as=\(form)"), form)
        #expect(try client.get("/topics/t?wait=0").status == 204)
        #expect(try stranger(daemon, "/topics/t?wait=10ms") == "204")
        waiting[0].close()
        try client.await(subscribers: 1, of: "t")
        try client.send("GET", "/topics/t")
        try RawClient(daemon.tcp).await(subscribers: 2, of: "t")
        try RawClient(daemon.tcp).publish("x", to: "t")
        #expect(try waiting[1].readAnswer().text == "x")
        #expect(try client.readAnswer().text == "x")
        #expect(try stranger(daemon, "/topics/t?since=latest") == "200")
    }

    /// Any other status ends an `EventSource` for good.
    @Test func anEventStreamOverALimitIsOneThatEndsAndSaysWhenToComeAgain() throws {
        for (limit, code) in [
            ("subscribers_per_uid = 1", "LIMIT_CALLER"), ("subscribers = 1", "LIMIT_BUS"),
        ] {
            let daemon = try RunningDaemon(configuration: "[poll]\n\(limit)\n")
            let client = try daemon.connect()
            try client.register("t")
            let waiting = try daemon.connect()
            try waiting.send("GET", "/topics/t?as=sse")
            try client.await(subscribers: 1, of: "t")
            for (query, accept) in [("", "text/event-stream"), ("?as=sse", "*/*")] {
                let answer = try client.get("/topics/t\(query)", headers: [("Accept", accept)])
                #expect(answer.status == 200)
                #expect(answer.header("content-type") == "text/event-stream")
                let lines = answer.text.split(separator: "\n", omittingEmptySubsequences: false)
                #expect(lines.count == 3 && lines[0].hasPrefix(": \(code) "))
                #expect(lines.dropFirst() == ["retry: 10000", ""])
            }
            // It took no place, and a place that is free is had again.
            try client.await(subscribers: 1, of: "t")
            waiting.close()
            try client.await(subscribers: 0, of: "t")
            let stream = try daemon.stream("/topics/t?as=sse", .events(areEnvelopes: false))
            #expect(stream.answer.header("event-cursor") != nil)
        }
    }

    @Test func whoConnectsTooOftenKeepsNobodyElseOut() throws {
        let daemon = try RunningDaemon(configuration: "[http]\nconnections_per_uid = 3\n")
        var held = try [daemon.tcp, daemon.unix, daemon.tcp].map { address in
            let client = try RawClient(address)
            #expect(try client.get("/healthz").status == 200)
            return client
        }
        for address in [daemon.tcp, daemon.unix] {
            // Told at once: a request might meet a socket that is closed by then.
            let refused = try RawClient(address)
            expectOwnLimit(try refused.readAnswer(), "connection 4")
            #expect(try refused.readToEnd().isEmpty)
        }
        #expect(try stranger(daemon, "/healthz") == "200")
        held.removeLast().close()
        try eventually("a place is free again") {
            try daemon.connect().get("/healthz").status == 200
        }
    }

    @Test func whoMakesTooManyTopicsKeepsNobodyElseFromMakingThem() throws {
        let daemon = try RunningDaemon(configuration: "[bus]\ntopics = 8\ntopics_per_uid = 2\n")
        let client = try daemon.connect()
        for topic in ["a", "b"] { try client.publish("x", to: topic) }
        for method in ["POST", "PUT"] {
            let body: [UInt8]? = method == "POST" ? [0x78] : nil
            expectOwnLimit(
                try client.exchange(method, "/topics/c", body: body), method, retryAfter: "3600")
        }
        try client.publish("x", to: "a")
        #expect(try stranger(daemon, "/topics/c", "-d", "x") == "201")
        expectOwnLimit(
            try client.exchange("PUT", "/topics/d"), "a third topic", retryAfter: "3600")
        #expect(try client.exchange("DELETE", "/topics/b").status == 204)
        try client.publish("x", to: "d")
    }

    @Test func whoMakesTooManyTopicsIsToldUntilWhenAndHowToMakeRoom() throws {
        let daemon = try RunningDaemon(
            configuration: "[bus]\ntopics = 8\ntopics_per_uid = 2\n[retention]\nfor = 10m\n")
        let client = try daemon.connect()
        try client.register("registered")
        let first = try client.exchange("POST", "/topics/a", body: [0x78])
        let time = try #require(first.member("time"))
        let refused = try client.exchange("POST", "/topics/b", body: [0x78])
        let detail = try #require(refused.member("detail"))
        // Ten minutes later, to the microsecond.
        let minute = (try #require(Int(time.dropFirst(14).prefix(2))) + 10) % 60
        let vanishes = (minute < 10 ? ":0" : ":") + "\(minute)\(time.dropFirst(16))"
        #expect(detail.contains(vanishes), "\(detail)")
        #expect(detail.contains("may not make more: the first of them vanishes at 2"))
        #expect(detail.contains("bus.topics_per_uid in belfryd.conf"))
        #expect(detail.contains("DELETE /topics/{topic}") && detail.contains("a key for each"))
        let seconds = try #require(refused.number("retry-after"))
        #expect((1...601).contains(seconds))
        // What is registered stays.
        #expect(try client.exchange("PUT", "/topics/a").status == 200)
        let never = try client.exchange("PUT", "/topics/b")
        expectOwnLimit(never, "nothing vanishes")
        #expect(never.member("detail")?.contains("none of them vanishes by itself soon") == true)
    }

    @Test func whoMadeATopicIsCountedForItAfterARestart() throws {
        let folder = TemporaryFolder()
        var daemon = try RunningDaemon(
            configuration: "[bus]\ntopics = 8\ntopics_per_uid = 2\n",
            arguments: ["--store", "sqlite:\(folder.path)/belfry.db"])
        for topic in ["a", "b"] { try daemon.connect().publish("x", to: topic) }
        #expect(try stranger(daemon, "/topics/c", "-d", "x") == "201")
        daemon = try daemon.restarted()
        expectOwnLimit(
            try daemon.connect().exchange("PUT", "/topics/d"), "after a restart",
            retryAfter: "3600")
        #expect(try stranger(daemon, "/topics/d", "-d", "x") == "201")
        expectOwnLimit(
            try daemon.connect().exchange("PUT", "/topics/e"), "after a restart",
            retryAfter: "3600")
        #expect(try stranger(daemon, "/topics/e", "-d", "x") == "429")
    }

    @Test func aTopicMayHaveABoundOfItsOwn() throws {
        let daemon = try RunningDaemon(configuration: "[poll]\nsubscribers_per_topic = 1\n")
        let client = try daemon.connect()
        try client.register("t")
        let first = try daemon.connect()
        try first.send("GET", "/topics/t")
        try client.await(subscribers: 1, of: "t")
        let refused = try client.get("/topics/t")
        #expect(refused.status == 503)
        ProblemTests.check(refused, "LIMIT_BUS", "a second subscriber")
        #expect(try client.get("/topics/other?wait=10ms").status == 204)
        #expect(try client.get("/topics/*?wait=10ms").status == 204)
    }

    /// Over events that only the store has, and in which no filter finds anything.
    @Test func whoSearchesTheStoreForNothingKeepsNobodyElseFromReadingIt() throws {
        let daemon = try RunningDaemon(
            configuration: """
                [bus]
                memory_bytes = 4M
                [store]
                store = sqlite
                """)
        let client = try daemon.connect()
        let body = Array(repeating: "x\n", count: 5_000).joined().dropLast()
        for number in 0..<12 {
            let answer = try client.exchange(
                "POST", "/topics/old.\(number % 4)?split=lines", body: Array(body.utf8))
            #expect(answer.status == 201)
        }
        let searching = try (0..<40).map { number in
            let poller = try daemon.connect()
            try poller.send("GET", "/topics/%3E?since=earliest&type=never\(number)&wait=10m")
            return poller
        }
        try eventually("all search") {
            try client.get("/metrics").text.contains("belfry_subscribers{form=\"raw\"} 40\n")
        }
        for _ in 0..<5 {
            let read = "/topics/old.2?since=earliest&as=json&wait=0&max=100"
            let answer = try ChildProcess(
                "/usr/bin/setpriv",
                ["--reuid=65533", "--regid=65533", "--clear-groups", ChildProcess.curl, "-sS"]
                    + [daemon.url(read)])
            #expect(try answer.wait() == .exited(0))
            let text = answer.text(of: .output)
            #expect(text.split(separator: #""id":"#).count == 101, "\(text.prefix(200))")
        }
        withExtendedLifetime(searching) {}
    }
}
