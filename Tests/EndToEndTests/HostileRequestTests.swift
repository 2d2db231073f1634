import TestSupport
import Testing

/// The built daemon refuses what is hostile. The bytes themselves are tried in `HTTPFrontTests`, against a
/// server in the tests' own process.
@Suite(.blocking) struct HostileRequestTests {
    private let daemon: RunningDaemon

    init() throws {
        daemon = try RunningDaemon(configuration: "[bus]\nevent_bytes = 64K\n")
    }

    private static let post = "POST /topics/t HTTP/1.1\r\nHost: localhost\r\n"
    private static let bound = 64 << 10

    private func refuse(
        _ request: String, on address: RawClient.Address, _ status: Int, _ code: String
    ) throws {
        let client = try RawClient(address)
        try client.send(request)
        #expect(try client.nextStatus() == status, "no 100 before it")
        let answer = try client.readAnswer()
        ProblemTests.check(answer, code, "\(request.prefix(200))")
        #expect(answer.header("connection") == "close")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test func whatCouldBeReadTwiceAndWhatIsTooLargeIsRefusedAndNotPublished() throws {
        let hidden = Self.post.replacing("/t ", with: "/hidden ") + "Content-Length: 1\r\n\r\nx"
        let long = String(repeating: "x", count: Self.bound + 1)
        for address in [daemon.tcp, daemon.unix] {
            let twice = "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
            try refuse(Self.post + twice + hidden, on: address, 400, "REQUEST_MALFORMED")
            for body in [
                "Content-Length: \(long.utf8.count)\r\n\r\n\(long)",
                "Content-Length: \(long.utf8.count)\r\nExpect: 100-continue\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n10001\r\n\(long)\r\n0\r\n\r\n",
            ] {
                try refuse(Self.post + body, on: address, 413, "EVENT_TOO_LARGE")
            }
            try refuse(
                Self.post.replacing("POST", with: "PUT")
                    + "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n", on: address, 400,
                "BODY_NOT_EXPECTED")
        }
        let client = try daemon.connect()
        #expect(try client.get("/topics").text.hasPrefix("{\"topics\":[],"))
        let fits = [UInt8](repeating: 0x78, count: Self.bound)
        #expect(try client.exchange("POST", "/topics/t", body: fits).status == 201)
        #expect(try client.get("/topics/t?since=latest").body == fits)
        #expect(try daemon.terminate() == .exited(0))
    }
}
