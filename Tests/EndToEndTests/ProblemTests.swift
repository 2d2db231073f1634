import Glibc
import TestSupport
import Testing

/// Every code that a request can bring about by itself: its status, its form, and a daemon that
/// serves on.
@Suite(.blocking) struct ProblemTests {
    /// One request and the problem that it gets.
    struct Row: CustomStringConvertible, Sendable {
        let status: Int
        let code: String
        let method: String
        let target: String
        var headers: [(String, String)] = []
        var body: [UInt8]?

        init(
            _ status: Int, _ code: String, _ method: String, _ target: String,
            headers: [(String, String)] = [], body: String? = nil
        ) {
            (self.status, self.code, self.method, self.target) = (status, code, method, target)
            self.headers = headers
            self.body = body.map { Array($0.utf8) }
        }

        var description: String {
            let fields = headers.map { " [\($0.0): \($0.1.prefix(40))]" }.joined()
            return "\(method) \(target.prefix(80))\(fields) → \(status) \(code)"
        }
    }

    private static let long = String(repeating: "a", count: 256)

    private static let names: [Row] =
        [
            ".a", "a.", "a..b", "a b".replacing(" ", with: "%20"), "%C3%A4", "a/", long, "*", "a.*",
            ">".replacing(">", with: "%3E"), "a,b", "a.$b", "$", "%00",
        ].flatMap { name in
            name == "a/" || name == "%00"
                ? []
                : ["POST", "PUT", "DELETE"].map { method in
                    Row(
                        400, "TOPIC_NAME_INVALID", method, "/topics/\(name)",
                        body: method == "POST" ? "x" : nil)
                }
        }

    private static let selectors: [Row] =
        [".a", "a..b", "a.*b", "%3E.a", "a.%3E.b", "a,", ",", "a,,b", "%C3%A4", "a,$,b", long]
        .flatMap { selector in
            ["GET", "HEAD"].map { Row(400, "SELECTOR_INVALID", $0, "/topics/\(selector)") }
        }

    private static let parameters: [Row] = [
        Row(400, "PARAMETER_UNKNOWN", "GET", "/topics/t?sinse=0"),
        Row(400, "PARAMETER_UNKNOWN", "POST", "/topics/t?since=0", body: "x"),
        Row(400, "PARAMETER_UNKNOWN", "PUT", "/topics/t?kep=1"),
        Row(400, "PARAMETER_UNKNOWN", "DELETE", "/topics/t?x"),
        Row(400, "PARAMETER_UNKNOWN", "HEAD", "/topics/t?since=0"),
        Row(400, "PARAMETER_UNKNOWN", "GET", "/topics?pattern=a"),
        Row(400, "PARAMETER_UNKNOWN", "GET", "/version?x=1"),
        Row(400, "PARAMETER_UNKNOWN", "GET", "/topics/t?Since=0"),
        Row(400, "PARAMETER_REPEATED", "GET", "/topics/t?since=0&since=0"),
        Row(400, "PARAMETER_REPEATED", "GET", "/topics/t?wait=0&%77ait=1"),
        Row(400, "PARAMETER_REPEATED", "PUT", "/topics/t?keep=1&for=1h&keep=1"),
        Row(400, "PARAMETER_INVALID", "GET", "/topics/t?wait=3601"),
        Row(400, "PARAMETER_INVALID", "GET", "/topics/t?wait=-1"),
        Row(400, "PARAMETER_INVALID", "GET", "/topics/t?wait=1.5"),
        Row(400, "PARAMETER_INVALID", "GET", "/topics/t?wait="),
        Row(400, "PARAMETER_INVALID", "GET", "/topics/t?wait=99999999999999999999h"),
        Row(400, "PARAMETER_INVALID", "GET", "/topics/t?as=json&max=0"),
        Row(400, "PARAMETER_INVALID", "GET", "/topics/t?as=json&max=10001"),
        Row(400, "PARAMETER_INVALID", "GET", "/topics/t?as=xml"),
        Row(400, "PARAMETER_INVALID", "GET", "/topics/t?strict=yes"),
        Row(400, "PARAMETER_INVALID", "POST", "/topics/t?split=words", body: "x"),
        Row(400, "PARAMETER_INVALID", "PUT", "/topics/t?keep=-1"),
        Row(400, "PARAMETER_INVALID", "PUT", "/topics/t?bytes=1T"),
        Row(400, "PARAMETER_INVALID", "PUT", "/topics/t?for=1y"),
        Row(400, "PARAMETER_INVALID", "PUT", "/topics/t?persist=perhaps"),
        Row(400, "PARAMETER_INVALID", "GET", "/topics?match=a..b"),
        Row(400, "CURSOR_INVALID", "GET", "/topics/t?since=yesterday"),
        Row(400, "CURSOR_INVALID", "GET", "/topics/t", headers: [("Last-Event-ID", "now")]),
    ]

    private static let events: [Row] = [
        Row(400, "EVENT_TYPE_INVALID", "POST", "/topics/t?type=", body: "x"),
        Row(400, "EVENT_TYPE_INVALID", "POST", "/topics/t?type=%20a", body: "x"),
        Row(400, "EVENT_TYPE_INVALID", "POST", "/topics/t?type=a%0Ab", body: "x"),
        Row(400, "EVENT_TYPE_INVALID", "POST", "/topics/t?type=%C3%A4", body: "x"),
        Row(400, "EVENT_TYPE_INVALID", "POST", "/topics/t?type=\(long)", body: "x"),
        Row(400, "EVENT_TYPE_INVALID", "POST", "/topics/t?type=$gap", body: "x"),
        Row(
            400, "EVENT_TYPE_INVALID", "POST", "/topics/t", headers: [("Event-Type", "ä")],
            body: "x"),
        Row(
            400, "EVENT_TYPE_INVALID", "POST", "/topics/t", headers: [("Event-Type", "$x")],
            body: "x"),
        Row(400, "EVENT_TYPE_INVALID", "GET", "/topics/t?wait=0&type=%01"),
        Row(400, "EVENT_KEY_INVALID", "POST", "/topics/t?key=a%20", body: "x"),
        Row(
            400, "EVENT_KEY_INVALID", "POST", "/topics/t", headers: [("Event-Key", long)], body: "x"
        ),
        Row(400, "EVENT_KEY_INVALID", "GET", "/topics/t?wait=0&key=%7F"),
        Row(
            400, "NOT_SUPPORTED", "POST", "/topics/t", headers: [("ce-specversion", "1.0")],
            body: "x"),
        Row(
            400, "PARAMETER_UNKNOWN", "POST", "/topics/t", headers: [("Event-Typ", "1")],
            body: "x"),
        Row(
            400, "NOT_SUPPORTED", "POST", "/topics/t", headers: [("ce-id", "1")],
            body: "x"),
        Row(403, "TOPIC_RESERVED", "POST", "/topics/$bus", body: "x"),
        Row(403, "TOPIC_RESERVED", "PUT", "/topics/$bus.a"),
        Row(413, "EVENT_TOO_LARGE", "POST", "/topics/t", body: String(repeating: "x", count: 1025)),
        Row(
            413, "EVENT_TOO_LARGE", "POST", "/topics/t?split=lines",
            body: String(repeating: "x", count: 1025)),
        Row(
            413, "BATCH_TOO_LARGE", "POST", "/topics/t?split=lines",
            body: String(repeating: "x\n", count: 10_001)),
        Row(
            415, "ENCODING_UNSUPPORTED", "POST", "/topics/t",
            headers: [("Content-Encoding", "gzip")], body: "x"),
        Row(
            415, "ENCODING_UNSUPPORTED", "POST", "/topics/t?split=lines",
            headers: [("Content-Encoding", "br")], body: "x"),
    ]

    private static let repeatedHeaders: [Row] = [
        Row(
            400, "PARAMETER_REPEATED", "POST", "/topics/t",
            headers: [("Event-Type", "a"), ("Event-Type", "a")], body: "x"),
        Row(
            400, "PARAMETER_REPEATED", "POST", "/topics/t?key=a", headers: [("Event-Key", "b")],
            body: "x"),
        Row(
            400, "PARAMETER_REPEATED", "POST", "/topics/t",
            headers: [("Event-Key", "a"), ("Event-Key", "b")], body: "x"),
        Row(
            400, "PARAMETER_REPEATED", "POST", "/topics/t",
            headers: [("Content-Type", "text/plain"), ("Content-Type", "text/html")], body: "x"),
        Row(
            400, "PARAMETER_REPEATED", "GET", "/topics/t?wait=0",
            headers: [("Last-Event-ID", "1"), ("Last-Event-ID", "2")]),
        Row(
            415, "ENCODING_UNSUPPORTED", "POST", "/topics/t",
            headers: [("Content-Encoding", "identity"), ("Content-Encoding", "gzip")], body: "x"),
        Row(
            415, "ENCODING_UNSUPPORTED", "POST", "/topics/t",
            headers: [("Content-Encoding", "identity, gzip")], body: "x"),
    ]

    private static let paths: [Row] = [
        Row(404, "PATH_UNKNOWN", "GET", "//"), Row(404, "PATH_UNKNOWN", "GET", "/topic/t"),
        Row(404, "PATH_UNKNOWN", "GET", "/topics/"), Row(404, "PATH_UNKNOWN", "GET", "/topics/t/"),
        Row(404, "PATH_UNKNOWN", "POST", "/topics/a/b", body: "x"),
        Row(404, "PATH_UNKNOWN", "GET", "/topics/t/events"),
        Row(404, "PATH_UNKNOWN", "GET", "/Healthz"), Row(404, "PATH_UNKNOWN", "GET", "//topics/t"),
        Row(404, "PATH_UNKNOWN", "GET", "/topics/../healthz"),
        Row(404, "TOPIC_UNKNOWN", "DELETE", "/topics/none"),
        Row(404, "EVENT_UNKNOWN", "GET", "/topics/t/events/1"),
        Row(405, "METHOD_NOT_ALLOWED", "PATCH", "/topics/t"),
        Row(405, "METHOD_NOT_ALLOWED", "PATCH", "/topics/t", body: "x"),
        Row(404, "PATH_UNKNOWN", "PATCH", "/nothing", body: "x"),
        Row(405, "METHOD_NOT_ALLOWED", "POST", "/topics", body: "x"),
        Row(400, "BODY_NOT_EXPECTED", "PUT", "/topics/t", body: "x"),
        Row(400, "BODY_NOT_EXPECTED", "GET", "/topics/t?wait=0", body: "x"),
        Row(400, "BODY_NOT_EXPECTED", "DELETE", "/topics/t", body: "x"),
        Row(405, "METHOD_NOT_ALLOWED", "GET", "/groups/g/done?lease=x", body: "x"),
        Row(421, "HOST_UNKNOWN", "GET", "http://example.com/topics/t"),
        Row(
            403, "ORIGIN_FORBIDDEN", "GET", "/topics/t", headers: [("Origin", "http://example.com")]
        ),
        Row(403, "ORIGIN_FORBIDDEN", "POST", "/topics/t", headers: [("Origin", "null")], body: "x"),
        Row(
            403, "ORIGIN_FORBIDDEN", "GET", "/topics/t", headers: [("Sec-Fetch-Site", "cross-site")]
        ),
        Row(403, "ORIGIN_FORBIDDEN", "GET", "/healthz", headers: [("Sec-Fetch-Site", "same-site")]),
        Row(
            417, "EXPECTATION_UNKNOWN", "POST", "/topics/t", headers: [("Expect", "200-ok")],
            body: "x"),
    ]

    @Test(arguments: [false, true])
    func everyCodeHasItsStatusAndFormAndTheDaemonServesOn(overUnix: Bool) throws {
        let daemon = try RunningDaemon(configuration: "[bus]\nevent_bytes = 1K\n")
        let address = overUnix ? daemon.unix : daemon.tcp
        let witness = try RawClient(address)
        let rows =
            Self.names + Self.selectors + Self.parameters + Self.events
            + Self.repeatedHeaders + Self.paths
        var client = try RawClient(address)
        for row in rows where !(overUnix && row.code == "HOST_UNKNOWN") {
            let answer = try client.exchange(
                row.method, row.target, headers: row.headers, body: row.body)
            #expect(answer.status == row.status, "\(row)")
            if row.method != "HEAD" { Self.check(answer, row.code, "\(row)") }
            if answer.header("connection") == "close" { client = try RawClient(address) }
            #expect(try witness.get("/healthz").status == 200, "\(row)")
        }
        #expect(try witness.exchange("HEAD", "/topics/t").status == 404)
        #expect(try witness.get("/topics").text.hasPrefix("{\"topics\":[],"))
    }

    @Test func aSlashInATopicsNameIsNamedAsWhatIsWrong() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        for path in ["/topics/t/", "/topics/builds/web"] {
            let answer = try client.exchange("POST", path, body: [0x78])
            #expect(answer.status == 404, "\(path)")
            #expect(answer.member("detail")?.contains("has no slash") == true, "\(answer.text)")
        }
        for path in ["/topic/t", "/topics/"] {
            let answer = try client.get(path)
            #expect(answer.member("detail")?.contains("slash") == false, "\(answer.text)")
        }
    }

    /// Checks the form of a problem.
    static func check(_ answer: RawClient.Answer, _ code: String, _ row: String) {
        #expect(answer.header("content-type") == "application/problem+json", "\(row)")
        #expect(answer.member("code") == code, "\(row): \(answer.text)")
        #expect(answer.text.contains("\"status\":\(answer.status)"), "\(row)")
        #expect(answer.member("title")?.isEmpty == false, "\(row)")
        #expect((answer.member("detail")?.count ?? 0) > 10, "\(row)")
        #expect(answer.text.hasSuffix("}\n"), "\(row)")
        #expect(answer.header("cache-control") == "no-store", "\(row)")
        if answer.status == 503 || answer.status == 429 {
            #expect(answer.number("retry-after") != nil, "\(row)")
        }
    }
}
