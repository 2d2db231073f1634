import Glibc
import TestSupport
import Testing

/// SIGHUP, and what a running bus takes over by it.
@Suite(.blocking) struct ReloadTests {
    private let folder = TemporaryFolder()

    /// A daemon whose configuration can be written anew, with events in memory. It is told its first
    /// one besides, which leaves the deadlines in it to the test.
    private func daemon(_ configuration: String) throws -> RunningDaemon {
        write(configuration)
        return try RunningDaemon(
            configuration: configuration,
            arguments: ["--config", "\(folder.path)/changing.conf", "--store", "memory"])
    }

    private func write(_ configuration: String) {
        _ = folder.write(configuration, to: "changing.conf")
    }

    private func reload(_ daemon: RunningDaemon, _ configuration: String) throws {
        write(configuration)
        daemon.send(SIGHUP)
        _ = try daemon.line { $0.contains("configuration reloaded") }
    }

    @Test func hostsAndOriginsChangeWithoutARestart() throws {
        let daemon = try daemon("[http]\nhosts = one.test\norigins = http://page.test\n")
        let client = try daemon.connect()
        func status(_ host: String) throws -> Int {
            try client.send("GET /version HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            return try client.readAnswer().status
        }
        func isAllowed(_ origin: String) throws -> Bool {
            try client.get("/topics", headers: [("Origin", origin)]).status == 200
        }
        #expect(try status("one.test") == 200)
        #expect(try status("two.test") == 421)
        #expect(try isAllowed("http://page.test"))
        try reload(daemon, "[http]\nhosts = two.test\norigins = http://other.test\n")
        #expect(try status("one.test") == 421)
        #expect(try status("two.test") == 200)
        #expect(try !isAllowed("http://page.test"))
        #expect(try isAllowed("http://other.test"))
    }

    @Test func limitsOfTheBusChangeWithoutARestart() throws {
        let daemon = try daemon("[bus]\ntopics = 1\nevent_bytes = 10\n[http]\nconnections = 16\n")
        let client = try daemon.connect()
        try client.publish("x", to: "a")
        #expect(try client.exchange("PUT", "/topics/b").status == 503)
        let large = [UInt8](repeating: 0x78, count: 20)
        #expect(try client.exchange("POST", "/topics/a", body: large).status == 413)
        try reload(daemon, "[bus]\ntopics = 2\nevent_bytes = 20\n[http]\nconnections = 40\n")
        let again = try daemon.connect()
        #expect(try again.exchange("PUT", "/topics/b").status == 201)
        #expect(try again.exchange("POST", "/topics/a", body: large).status == 201)
        let many = try (0..<28).map { _ in
            let client = try daemon.connect()
            #expect(try client.get("/healthz").status == 200)
            return client
        }
        try reload(daemon, "[bus]\nautocreate = no\n[http]\nconnections = 16\n")
        // Who comes in the same turn as the news is let in by the old number.
        try eventually("the new number holds") {
            (try? daemon.connect().readAnswer(within: 0.2).status) == 503
        }
        #expect(try many[0].exchange("POST", "/topics/new", body: [0x78]).status == 404)
        for client in many { #expect(try client.get("/healthz").status == 200) }
    }

    @Test func topicsFollowTheDefaultsOfRetentionUnlessRegistered() throws {
        let daemon = try daemon("[retention]\nkeep = 5\n")
        let client = try daemon.connect()
        try client.register("own", "?keep=5")
        func count(_ topic: String) throws -> String? {
            try client.exchange("HEAD", "/topics/\(topic)").header("event-count")
        }
        for topic in ["own", "common"] {
            for text in ["1", "2", "3", "4", "5"] { try client.publish(text, to: topic) }
            #expect(try count(topic) == "5")
        }
        try reload(daemon, "[retention]\nkeep = 2\n")
        #expect(try count("common") == "2")
        #expect(try count("own") == "5")
        #expect(try client.get("/topics/common?since=1&strict=1").status == 410)
        try client.publish("6", to: "new")
        #expect(try client.get("/topics?match=new").text.contains("\"keep\":2,"))
    }

    @Test func deadlinesChangeForWhatComesNext() throws {
        let daemon = try daemon(
            "[http]\nheader_seconds = 60\nbody_seconds = 30\nidle_seconds = 75\nsend_seconds = 30\n"
        )
        try reload(daemon, "[http]\nheader_seconds = 1\nidle_seconds = 600\n")
        let late = try daemon.connect()
        try late.send("GET /healthz HT")
        #expect(try late.readAnswer().status == 408)
    }

    @Test func whatIsHeldIsWrittenToTheLogOnRequest() throws {
        let daemon = try daemon("")
        let client = try daemon.connect()
        for topic in ["small", "large"] { try client.register(topic) }
        try client.publish("a secret", to: "small")
        try client.publish("a secret and more", to: "large")
        let poller = try daemon.connect()
        try poller.send("GET", "/topics/large")
        try client.await(subscribers: 1, of: "large")
        daemon.send(SIGUSR1)
        _ = try daemon.line { $0.contains("loop 0 has connections") }
        let state = daemon.logLines.filter { $0.contains("state: ") }.joined(separator: "\n")
        let expected = [
            "2 of 10000 topics, 2 events", "topic large: 1 events, 17 bytes, 1 subscribers",
            "1 of 16000 subscribers: raw=1 json=0", "2 of 16384 connections, 1 subscribed",
            "user \(getuid()): 2 connections, 1 subscribers", "store memory takes events",
            "parked=1",
        ]
        for text in expected { #expect(state.contains(text), "\(text) is not in\n\(state)") }
        #expect(!state.contains("secret"))
        try client.publish("x", to: "large")
        #expect(try poller.readAnswer().text == "x")
    }
}
