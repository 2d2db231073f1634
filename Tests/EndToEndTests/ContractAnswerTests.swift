import Glibc
import TestSupport
import Testing

/// What every answer has, and what every path takes.
@Suite(.blocking, .serialized) struct ContractAnswerTests {
    private static let shared = SharedDaemon()
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try Self.shared.running()
        client = try daemon.connect()
    }

    @Test func everyAnswerForbidsStoringAndSaysWhatItVariesBy() throws {
        let id = try client.publish("x", to: "t")
        let requests: [(String, String, [UInt8]?)] = [
            ("POST", "/topics/t", [0x78]), ("POST", "/topics/t?split=lines", []),
            ("GET", "/topics/t?since=earliest", nil), ("GET", "/topics/t?wait=0", nil),
            ("GET", "/topics/t?wait=1ms", nil), ("GET", "/topics/t?as=json&wait=1ms", nil),
            ("GET", "/topics/t?as=json&since=0", nil), ("HEAD", "/topics/t", nil),
            ("PUT", "/topics/t", nil), ("GET", "/topics", nil),
            ("GET", "/topics/t/events/\(id)", nil), ("GET", "/healthz", nil),
            ("GET", "/readyz", nil), ("GET", "/version", nil), ("GET", "/nothing", nil),
            ("PATCH", "/topics/t", nil), ("OPTIONS", "/topics/t", nil),
            ("GET", "/topics/t?wait=x", nil), ("DELETE", "/topics/t", nil),
        ]
        for (method, target, body) in requests {
            let answer = try client.exchange(method, target, body: body)
            #expect(answer.header("cache-control") == "no-store", "\(method) \(target)")
            #expect(
                answer.header("vary") == "Accept, Prefer, Last-Event-ID, Origin",
                "\(method) \(target)")
            #expect(answer.header("date") != nil, "\(method) \(target)")
            #expect(answer.status != 204 || answer.header("content-length") == nil)
        }
    }

    @Test func rawPayloadsCannotBecomeAPageOfTheBus() throws {
        let id = try client.publish("<script>", to: "t", headers: [("Content-Type", "text/html")])
        for target in ["/topics/t?since=earliest", "/topics/t/events/\(id)"] {
            let answer = try client.get(target)
            #expect(answer.header("x-content-type-options") == "nosniff")
            #expect(answer.header("content-security-policy") == "sandbox")
            #expect(answer.header("cross-origin-resource-policy") == "same-origin")
        }
    }

    @Test(arguments: ["/healthz", "/readyz", "/version", "/topics", "/topics/t/events/ID"])
    func headElsewhereIsGetWithoutABody(path: String) throws {
        let id = try client.publish("payload", to: "t")
        let target = path.replacing("ID", with: "\(id)")
        let get = try client.get(target)
        let head = try client.exchange("HEAD", target)
        #expect(head.status == 200 && get.status == 200)
        #expect(!get.body.isEmpty && head.body.isEmpty)
        func comparable(_ answer: RawClient.Answer) -> [String] {
            answer.headers.filter { $0.name != "Date" }.map { "\($0.name): \($0.value)" }.sorted()
        }
        #expect(comparable(head) == comparable(get))
        #expect(head.header("content-length") == "\(get.body.count)")
    }

    @Test(arguments: [
        ("/topics/t", ["GET", "HEAD", "POST", "PUT", "DELETE"]),
        ("/topics", ["GET", "HEAD", "DELETE"]),
        ("/topics/t/events/1", ["GET", "HEAD"]), ("/healthz", ["GET", "HEAD"]),
        ("/readyz", ["GET", "HEAD"]), ("/version", ["GET", "HEAD"]),
    ])
    func everyPathSaysWhatItTakes(path: String, methods: [String]) throws {
        func allowed(_ answer: RawClient.Answer) -> Set<String> {
            Set(
                (answer.header("allow") ?? "").split(separator: ",").map {
                    String($0.drop { $0 == " " })
                })
        }
        let options = try client.exchange("OPTIONS", path)
        #expect(options.status == 204 && options.body.isEmpty)
        #expect(allowed(options) == Set(methods + ["OPTIONS"]))
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "get", "X-Y"]
        where !methods.contains(method) {
            let answer = try client.exchange(method, path)
            #expect(answer.status == 405, "\(method) \(path)")
            #expect(allowed(answer) == Set(methods + ["OPTIONS"]), "\(method) \(path)")
            #expect(answer.member("code") == "METHOD_NOT_ALLOWED", "\(method) \(path)")
        }
    }

    @Test func theServerAsAWholeTakesOptionsToo() throws {
        let answer = try client.exchange("OPTIONS", "*")
        #expect(answer.status == 204)
        #expect(answer.header("allow")?.contains("POST") == true)
    }

    @Test func theServiceSaysThatItLivesAndWhatItIs() throws {
        for path in ["/healthz", "/readyz"] { #expect(try client.get(path).status == 200) }
        let version = try client.get("/version")
        #expect(version.header("content-type") == "application/json")
        #expect(version.member("version")?.isEmpty == false)
        #expect(version.text.hasSuffix("}\n"))
    }

    @Test func aConfiguredPageMayAskAndRead() throws {
        let origin = "https://dash.example"
        let daemon = try RunningDaemon(configuration: "[http]\norigins = \(origin)\n")
        let client = try daemon.connect()
        let preflight = try client.exchange(
            "OPTIONS", "/topics/t",
            headers: [
                ("Origin", origin), ("Access-Control-Request-Method", "POST"),
                ("Access-Control-Request-Headers", "event-type"),
                ("Sec-Fetch-Site", "cross-site"),
            ])
        #expect(preflight.status == 204)
        #expect(preflight.header("access-control-allow-origin") == origin)
        #expect(preflight.header("access-control-allow-methods")?.contains("POST") == true)
        #expect(
            preflight.header("access-control-allow-headers")?.lowercased().contains("event-type")
                == true)
        let answer = try client.exchange(
            "POST", "/topics/t", headers: [("Origin", origin), ("Sec-Fetch-Site", "cross-site")],
            body: [0x78])
        #expect(answer.status == 201)
        #expect(answer.header("access-control-allow-origin") == origin)
        let exposed = answer.header("access-control-expose-headers")?.lowercased() ?? ""
        for name in ["event-id", "event-cursor", "event-gap", "link", "location", "retry-after"] {
            #expect(exposed.contains(name), "\(name)")
        }
        #expect(try client.get("/healthz").header("access-control-allow-origin") == nil)
    }
}
