import Glibc
import TestSupport
import Testing

/// Clients that send a byte now and then: the deadlines end them, and nobody else notices.
@Suite(.blocking) struct HostileTrickleTests {
    private static let configuration = """
        [http]
        header_seconds = 2
        body_seconds = 2

        """

    /// Where a client begins to trickle, and what it trickles.
    enum Phase: String, CaseIterable, Sendable {
        case requestLine, headers, body, chunks

        var prefix: String {
            switch self {
            case .requestLine: "G"
            case .headers: "GET /topics/t HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
            case .body:
                "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
            case .chunks:
                "POST /topics/t HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            }
        }

        func piece(_ number: Int) -> String {
            switch self {
            case .requestLine, .headers, .body: "x"
            case .chunks: "1\r\nx\r\n"
            }
        }
    }

    @Test(arguments: [false, true])
    func noPhaseCanBeStretched(overUnix: Bool) throws {
        let daemon = try RunningDaemon(configuration: Self.configuration)
        let witness = try daemon.connect()
        let address = overUnix ? daemon.unix : daemon.tcp
        let begin = monotonicSeconds()
        var tricklers = try Phase.allCases.map { phase in
            let client = try RawClient(address)
            try client.send(phase.prefix)
            return (phase, client)
        }
        var slowest = 0.0
        var number = 0
        while !tricklers.isEmpty {
            try #require(
                monotonicSeconds() - begin < 60, "\(tricklers.map(\.0)) can be stretched")
            tricklers = try tricklers.filter { phase, client in
                try goesOn(client, in: phase, number, since: begin)
            }
            number += 1
            let asked = monotonicSeconds()
            #expect(try witness.get("/healthz").status == 200)
            slowest = max(slowest, monotonicSeconds() - asked)
        }
        #expect(slowest < 1.5, "another client waited \(slowest) s")
        #expect(try witness.exchange("HEAD", "/topics/t").status == 404)
    }

    /// Sends the next bytes; false once the daemon has ended it, which must be in the right words.
    private func goesOn(
        _ client: RawClient, in phase: Phase, _ number: Int, since begin: Double
    ) throws -> Bool {
        if client.isSilent(for: 0.02),
            try client.sendUnlessClosed(Array(phase.piece(number).utf8))
        {
            return true
        }
        let received = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(monotonicSeconds() - begin >= 1.9, "\(phase) was cut off early")
        #expect(received.isEmpty || received.hasPrefix("HTTP/1.1 408 "), "\(phase): \(received)")
        if !received.isEmpty {
            #expect(received.contains("\"code\":\"REQUEST_TIMEOUT\""))
            #expect(received.contains("Connection: close") && received.hasSuffix("}\n"))
        }
        return false
    }

    @Test func whoIsSlowIsToldSo() throws {
        let daemon = try RunningDaemon(configuration: Self.configuration)
        for phase in Phase.allCases {
            let client = try daemon.connect()
            try client.send(phase.prefix)
            let answer = try client.readAnswer()
            #expect(answer.status == 408, "\(phase)")
            ProblemTests.check(answer, "REQUEST_TIMEOUT", "\(phase)")
            #expect(try client.readToEnd().isEmpty)
        }
    }

    @Test(arguments: Phase.allCases)
    func whoIsSlowIsToldWhatWasMissingAndWhereItsTimeIsSet(phase: Phase) throws {
        let daemon = try RunningDaemon(configuration: Self.configuration)
        let client = try daemon.connect()
        try client.send(phase.prefix + phase.piece(0))
        let detail = try #require(client.readAnswer().member("detail"))
        switch phase {
        case .requestLine, .headers:
            #expect(detail.contains("headers of the request did not arrive within 2 s"))
            #expect(detail.contains("http.header_seconds in belfryd.conf"))
        case .body, .chunks:
            #expect(detail.contains("The body did not end within 2 s, so nothing of it was kept"))
            #expect(detail.contains("http.body_seconds in belfryd.conf"))
        }
        #expect(try daemon.connect().exchange("HEAD", "/topics/t").status == 404)
    }

    @Test func idleConnectionsEndAndWaitingOnesDoNot() throws {
        let daemon = try RunningDaemon(configuration: "[http]\nidle_seconds = 1\n")
        let poller = try daemon.connect()
        try poller.send("GET", "/topics/t?wait=30s")
        let fresh = try daemon.connect()
        let used = try daemon.connect()
        let begin = monotonicSeconds()
        #expect(try used.get("/healthz").status == 200)
        let afterAPoll = try daemon.connect()
        #expect(try afterAPoll.get("/topics/t?wait=10ms").status == 204)
        for client in [fresh, used, afterAPoll] {
            #expect(try client.readToEnd(within: 60).isEmpty)
            #expect(monotonicSeconds() - begin > 0.8)
        }
        #expect(poller.isSilent(for: 0.3))
        let publisher = try daemon.connect()
        try publisher.publish("x", to: "t")
        #expect(try poller.readAnswer().text == "x")
    }

    @Test func whoNeverReadsItsAnswerHoldsUpNobody() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        try client.publish(String(repeating: "x", count: 1 << 20), to: "t")
        let deaf = try (0..<20).map { _ in
            let client = try daemon.connect()
            for _ in 0..<20 { try client.send("GET", "/topics/t?since=latest") }
            return client
        }
        let begin = monotonicSeconds()
        for _ in 0..<100 { #expect(try client.get("/healthz").status == 200) }
        #expect(monotonicSeconds() - begin < 30)
        #expect(try deaf[7].readAnswer(within: 60).body.count == 1 << 20)
    }
}
