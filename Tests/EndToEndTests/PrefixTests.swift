import TestSupport
import Testing

/// A bus below a path, `/bus`, which a proxy in front of it keeps.
@Suite(.blocking, .serialized) struct PrefixTests {
    private static let shared = SharedDaemon(configuration: "[http]\nprefix = /bus\n")
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try Self.shared.running()
        client = try daemon.connect()
    }

    private static let html = [("Accept", "text/html")]

    /// The second of each kind has a head that its loop knows.
    @Test func requestsBelowThePrefixAreServedAndAnswersNamePathsBelowIt() throws {
        for topic in ["first", "second"] {
            let published = try client.exchange(
                "POST", "/bus/topics/\(topic)", body: Array("x".utf8))
            let place = try #require(published.header("location"))
            let id = try #require(published.header("event-id"))
            #expect(place == "/bus/topics/\(topic)/events/\(id)")
            #expect(try client.get(place).text == "x")
        }
        for cursor in ["earliest", "0", "0"] {
            let answer = try client.get("/bus/topics/first?since=\(cursor)&wait=0")
            let id = try #require(answer.header("event-cursor"))
            #expect(answer.header("link") == "</bus/topics/first?wait=0&since=\(id)>; rel=\"next\"")
        }
        let absolute = try client.get("http://localhost:\(daemon.port)/bus/topics/first?wait=0")
        #expect(try #require(absolute.header("link")).hasPrefix("</bus/topics/first?"))
        let stream = try client.get("/bus/topics/first?as=sse&since=earliest&max=1")
        #expect(stream.text.contains("data: x"))
        #expect(try WebSocketClient.refusal(daemon.tcp, "/bus/topics/first").status == 101)
        #expect(try client.get("/bus/healthz").status == 200)
        #expect(try client.exchange("OPTIONS", "*").status == 204)
    }

    @Test(arguments: [
        ("/topics/a", "/bus/topics/a"), ("/topics", "/bus/topics"), ("/", "/bus/"),
        ("/bus", "/bus/"), ("/deploys", "/bus/topics/deploys"), ("/healthz", "/bus/healthz"),
        ("/docs", "/bus/docs"), ("//", "/bus/"), ("/b%75s/topics", "/bus/topics/bus.topics"),
    ])
    func aRequestWithoutThePrefixIsToldTheRightPath(path: String, meant: String) throws {
        for accept in ["*/*", "text/html"] {
            let answer = try client.get(path, headers: [("Accept", accept)])
            #expect(answer.status == 404 && answer.member("code") == "PATH_UNKNOWN")
            #expect(
                answer.member("detail")?.hasSuffix("did you mean \(meant)?") == true,
                "\(answer.text)")
        }
    }

    @Test func nothingIsPublishedWithoutThePrefix() throws {
        let answer = try client.exchange("POST", "/topics/astray", body: Array("x".utf8))
        #expect(answer.status == 404)
        #expect(try client.exchange("HEAD", "/bus/topics/astray").status == 404)
    }

    @Test func aForeignNameLearnsNotEvenThePrefix() throws {
        for path in ["/healthz", "/topics", "/"] {
            let other = try daemon.connect()
            try other.send("GET \(path) HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            #expect(try other.readAnswer().status == 421, "\(path)")
        }
        let check = try daemon.connect()
        try check.send("GET /bus/healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        #expect(try check.readAnswer().status == 200)
    }

    @Test func whatAPathBelowItWasProbablyMeantToBeHasThePrefix() throws {
        let detail = try #require(try client.get("/bus/deploys").member("detail"))
        #expect(
            detail.hasPrefix(
                "There is nothing at '/bus/deploys'; did you mean /bus/topics/deploys?"))
        #expect(detail.contains("/bus/groups/{name}") && detail.contains("/bus/openapi.yaml"))
        let start = try #require(try client.exchange("PUT", "/bus/").member("detail"))
        #expect(start.contains("Topics are at /bus/topics/{name}."))
    }

    @Test func thePageAndTheDocumentsNamePathsBelowIt() throws {
        for path in ["/bus/", "/bus/docs", "/bus/docs/recipes"] {
            let page = try client.get(path, headers: Self.html)
            #expect(page.status == 200)
            let places = page.text.matches(of: /(?:href|src)="(\/[^"#]*)/).map {
                String($0.output.1)
            }
            #expect(places.count > 3)
            for place in Set(places) {
                #expect(place.hasPrefix("/bus/"))
                #expect(try client.get(place, headers: Self.html).status == 200, "\(place)")
            }
            let tag = try #require(page.header("etag"))
            let again = try client.get(path, headers: Self.html + [("If-None-Match", tag)])
            #expect(again.status == 304)
        }
        let navigation = Self.html + [("Sec-Fetch-Mode", "navigate")]
        let sent = try client.get("/bus/topics/a?since=latest", headers: navigation)
        #expect(sent.status == 303 && sent.header("location") == "/bus/#/follow/a?since=latest")
    }

    @Test func programsAreToldAddressesBelowIt() throws {
        let greeting = try client.get("/bus/").text
        #expect(greeting.contains("curl localhost/bus/topics/deploys\n"))
        let description = try client.get("/bus/openapi.yaml").text
        #expect(description.contains("\n  - url: http://localhost:7464/bus\n"))
        let line = try #require(daemon.logLines.first { $0.contains("the page for browsers") })
        #expect(line.hasSuffix("/bus/"))
    }
}
