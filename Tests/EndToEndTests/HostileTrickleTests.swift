import TestSupport
import Testing

/// Clients that are too slow for a configured time. That no phase can be stretched, and that nobody else
/// notices, is tried in `HTTPFrontTests`.
@Suite(.blocking) struct HostileTrickleTests {
    private static let head = "POST /topics/t HTTP/1.1\r\nHost: localhost\r\n"

    /// What a client begins, and what it is told.
    private static let phases: [(begun: String, missing: String, key: String)] = [
        ("Gx", headers, "http.header_seconds"),
        ("GET /topics/t HTTP/1.1\r\nHost: localhost\r\nX-Slow: x", headers, "http.header_seconds"),
        (head + "Content-Length: 1000\r\n\r\nx", body, "http.body_seconds"),
        (head + "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", body, "http.body_seconds"),
    ]
    private static let headers = "headers of the request did not arrive within 1 s"
    private static let body = "The body did not end within 1 s, so nothing of it was kept"

    @Test func whoIsSlowIsToldWhatWasMissingAndWhereItsTimeIsSet() throws {
        let daemon = try RunningDaemon(
            configuration: "[http]\nheader_seconds = 1\nbody_seconds = 1\n")
        let clients = try Self.phases.map { phase in
            let client = try daemon.connect()
            try client.send(phase.begun)
            return client
        }
        for (client, phase) in zip(clients, Self.phases) {
            let answer = try client.readAnswer()
            #expect(answer.status == 408, "\(phase.begun)")
            ProblemTests.check(answer, "REQUEST_TIMEOUT", phase.begun)
            let detail = try #require(answer.member("detail"))
            #expect(detail.contains(phase.missing), "\(phase.begun): \(detail)")
            #expect(detail.contains("\(phase.key) in belfryd.conf"), "\(phase.begun): \(detail)")
            #expect(try client.readToEnd().isEmpty, "\(phase.begun)")
        }
        #expect(try daemon.connect().exchange("HEAD", "/topics/t").status == 404)
    }
}
