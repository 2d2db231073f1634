import Glibc
import TestSupport
import Testing

/// The codes that take more than one request.
@Suite(.blocking) struct ProblemLimitTests {
    @Test func tooManyWaitersAreToldToComeBack() throws {
        let daemon = try RunningDaemon(configuration: "[poll]\nsubscribers = 2\n")
        let client = try daemon.connect()
        try client.register("t")
        let waiting = try (0..<2).map { _ in
            let poller = try daemon.connect()
            try poller.send("GET", "/topics/t")
            return poller
        }
        try client.await(subscribers: 2, of: "t")
        let refused = try client.get("/topics/t")
        #expect(refused.status == 503)
        ProblemTests.check(refused, "LIMIT_BUS", "a third waiter")
        #expect(try client.get("/topics/t?wait=0").status == 204)
        waiting[0].close()
        try client.await(subscribers: 1, of: "t")
        try client.publish("x", to: "t")
        #expect(try waiting[1].readAnswer().text == "x")
    }

    @Test func tooManyTopicsAreRefusedAndOldOnesGoOn() throws {
        let daemon = try RunningDaemon(configuration: "[bus]\ntopics = 2\n")
        let client = try daemon.connect()
        for topic in ["a", "b"] { try client.publish("x", to: topic) }
        for method in ["POST", "PUT"] {
            let refused = try client.exchange(
                method, "/topics/c", body: method == "POST" ? [0x78] : nil)
            #expect(refused.status == 503, "\(method)")
            ProblemTests.check(refused, "LIMIT_BUS", method)
            #expect(
                refused.member("detail")?.contains("bus.topics in belfryd.conf") == true,
                "\(refused.text)")
        }
        try client.publish("x", to: "a")
        #expect(try client.exchange("DELETE", "/topics/b").status == 204)
        try client.publish("x", to: "c")
    }

    @Test func aBatchBeyondMemoryIsToldWhereItsBoundIs() throws {
        let daemon = try RunningDaemon(
            configuration: "[bus]\nmemory_bytes = 1M\nevent_bytes = 512K\n")
        let line = [UInt8](repeating: 0x78, count: 500_000) + [0x0A]
        let refused = try daemon.connect().exchange(
            "POST", "/topics/t?split=lines", body: line + line + line)
        #expect(refused.status == 503)
        ProblemTests.check(refused, "LIMIT_BUS", "a batch beyond memory")
        #expect(
            refused.member("detail")?.contains("bus.memory_bytes in belfryd.conf") == true,
            "\(refused.text)")
    }

    @Test func tooManyConnectionsAreToldInWords() throws {
        let daemon = try RunningDaemon(
            configuration: "[http]\nconnections = 16\nconnections_per_uid = 16\n")
        var held = try (0..<16).map { _ in
            let client = try daemon.connect()
            #expect(try client.get("/healthz").status == 200)
            return client
        }
        let refused = try daemon.connect()
        try refused.send("GET", "/healthz")
        let answer = try refused.readAnswer()
        #expect(answer.status == 503)
        ProblemTests.check(answer, "LIMIT_BUS", "connection 17")
        #expect(try refused.readToEnd().isEmpty)
        held.removeLast().close()
        try eventually("a place is free again") {
            try daemon.connect().get("/healthz").status == 200
        }
    }

    @Test func aRequestDuringTheDrainIsRefused() throws {
        let daemon = try RunningDaemon(configuration: "[daemon]\ndrain_seconds = 5\n")
        let late = try daemon.connect()
        try late.send("POST /topics/t HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nla")
        let poller = try daemon.connect()
        try poller.send("GET", "/topics/t?as=json")
        let client = try daemon.connect()
        try client.register("t")
        try client.await(subscribers: 1, of: "t")
        daemon.send(SIGTERM)
        let drained = try poller.readAnswer()
        #expect(drained.status == 200 && drained.text.hasPrefix("{\"events\":[],"))
        #expect(drained.header("connection") == "close")
        try late.send("te")
        let refused = try late.readAnswer()
        #expect(refused.status == 503)
        ProblemTests.check(refused, "DRAINING", "a request completed during the drain")
        #expect(refused.header("retry-after") == "1")
        #expect(refused.header("connection") == "close")
        #expect(try daemon.wait() == .exited(0))
    }

    @Test(.byRoot) func strangersMayNotChangeWhatExists() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        try client.publish("x", to: "t")
        func stranger(_ method: String, _ path: String) throws -> String {
            let curl = try ChildProcess(
                "/usr/bin/setpriv",
                [
                    "--reuid=65533", "--regid=65533", "--clear-groups", ChildProcess.curl, "-sS",
                    "-X", method, "-w", "%{http_code}", daemon.url(path),
                ])
            #expect(try curl.wait() == .exited(0))
            return curl.text(of: .output)
        }
        for method in ["PUT", "DELETE"] {
            let refused = try stranger(method, "/topics/t")
            #expect(refused.hasSuffix("403"), "\(method)")
            #expect(refused.contains("\"code\":\"ACCESS_DENIED\""), "\(method)")
        }
        #expect(try stranger("PUT", "/topics/own").hasSuffix("201"))
        #expect(try stranger("DELETE", "/topics/own").hasSuffix("204"))
        #expect(try client.exchange("HEAD", "/topics/t").header("event-count") == "1")
    }
}
