import Access
import Foundation
import Glibc
import TestSupport
import Testing
import Topics

@testable import BusAPI

/// The page for browsers: who gets it, what it may do, and that all of it is there.
@Suite(.blocking) struct PageTests {
    private static let html = [("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")]
    private static let person = html + [("Sec-Fetch-Mode", "navigate")]

    /// The names of the files of the page.
    private static var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(
                atPath: "\(PackageFiles.root)/Sources/Daemon/Page/Files")
        }
    }

    private func server(showsPage: Bool = true, topics: String? = nil) throws -> StreamServer {
        try StreamServer(
            BusAPIConfiguration(
                access: AccessPolicy(administrator: getuid()),
                metricsTopics: topics.map { try Selector($0) }, showsPage: showsPage, version: "0"))
    }

    @Test func acceptDecidesBetweenPageAndText() throws {
        let server = try self.server()
        let client = try server.connect()
        for accept in [nil, "*/*", "application/json", "text/*", "text/plain"] as [String?] {
            let answer = try client.exchange(
                "GET", "/", headers: accept.map { [("Accept", $0)] } ?? [])
            #expect(answer.header("content-type") == "text/plain; charset=utf-8", "\(accept ?? "")")
        }
        let page = try client.exchange("GET", "/", headers: Self.html)
        #expect(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8")
        #expect(page.text.hasPrefix("<!doctype html>"))
        #expect(page.header("vary")?.contains("Accept") == true)
    }

    @Test func everyFileThatThePageNamesIsServedAndEveryFileOfItIsNamed() throws {
        let server = try self.server()
        let client = try server.connect()
        var (asked, found) = ([String](), Set<String>())
        let start = try client.exchange("GET", "/", headers: Self.html)
        let documents = try client.exchange("GET", "/docs").text
        for html in [start.text, documents] {
            asked += Self.names(in: html, between: "\"/page/", "\"").map { "/page/\($0)" }
        }
        while let path = asked.popLast() {
            guard found.insert(path).inserted else { continue }
            let answer = try client.exchange("GET", path)
            #expect(answer.status == 200, "\(path)")
            for quote in ["'", "\""] {
                asked += Self.names(in: answer.text, between: "\(quote)./", quote)
                    .map { "/page/\($0)" }
            }
        }
        let files = try Self.files
        let parts = files.filter { !$0.hasSuffix(".md") && $0 != "index.html" }
        #expect(found == Set(parts.map { "/page/\($0)" }))
        for document in files where document.hasSuffix(".md") {
            #expect(try client.exchange("GET", "/docs/\(document.dropLast(3))").status == 200)
        }
        #expect(
            try client.exchange("GET", "/docs").text
                == client.exchange("GET", "/docs/http-api").text)
        for path in [
            "/page/", "/page/index.html", "/page/http-api.html", "/page/../app.js", "/docs/",
            "/docs/x", "/docs/index",
        ] {
            #expect(try client.exchange("GET", path).status == 404, "\(path)")
        }
    }

    private static let documents =
        ["/docs", "/docs/recipes", "/docs/command"]
        + PackageFiles.httpPages.dropFirst().map { "/\($0.dropLast(".md".count))" }

    @Test(arguments: documents)
    func everyLinkOfADocumentLeadsToWhatIsServed(_ path: String) throws {
        let server = try self.server()
        let client = try server.connect()
        let document = try client.exchange("GET", path).text
        let links = Self.names(in: document, between: "<a href=\"", "\"")
            .filter { !$0.hasPrefix("https://") }
        #expect(links.count > 10)
        for link in Set(links) {
            let parts = link.split(separator: "#", omittingEmptySubsequences: false)
            let target = try client.exchange("GET", parts[0].isEmpty ? path : String(parts[0]))
            #expect(target.status == 200, "\(link)")
            // What is behind the # of the page itself is read by its script.
            guard parts.count == 2, parts[0] != "/" else { continue }
            #expect(target.text.contains(" id=\"\(parts[1])\""), "\(link)")
        }
    }

    @Test(arguments: documents)
    func partsOfADocumentAreReachedByLinksAndByTheKeyboard(_ path: String) throws {
        let server = try self.server()
        let text = try server.connect().exchange("GET", path).text
        func count(_ part: String) -> Int { text.ranges(of: part).count }
        let sections = count("<h2")
        #expect(sections > 3 && count("<h2 id=\"") == sections)
        #expect(count("<li><a href=\"#") == sections)
        #expect(count("<pre tabindex=\"0\"") == count("<pre") && count("<pre") > 0)
        #expect(count("tabindex=\"0\"><table>") == count("<table"))
        #expect(count("<th></th>") == 0)
    }

    /// What stands between two texts, wherever it does.
    private static func names(in text: String, between start: String, _ end: String) -> [String] {
        text.split(separator: start).dropFirst().compactMap {
            $0.split(separator: end, omittingEmptySubsequences: false).first.map(String.init)
        }
    }

    /// A module can be read, tried and changed without those that use it.
    @Test func noPageModuleImportsItselfByOthers() throws {
        let modules = try Self.files.filter { $0.hasSuffix(".js") }
        var imports = [String: [String]]()
        for module in modules {
            let text = try PackageFiles.text("Sources/Daemon/Page/Files/\(module)")
            imports[module] = ["'", "\""].flatMap {
                Self.names(in: text, between: "\($0)./", $0).filter { $0.hasSuffix(".js") }
            }
        }
        #expect(try #require(imports["app.js"]).count > 5)
        for module in modules {
            var (next, reached) = (imports[module] ?? [], Set<String>())
            while let name = next.popLast() {
                guard reached.insert(name).inserted else { continue }
                next += try #require(imports[name], "\(module) reaches \(name)")
            }
            #expect(!reached.contains(module), "\(module) imports itself by others")
        }
    }

    @Test func nothingOfItRunsOrIsShownThatIsNotItsOwn() throws {
        let server = try self.server()
        let client = try server.connect()
        for (path, headers) in [("/", Self.html), ("/page/app.js", []), ("/docs/recipes", [])] {
            let answer = try client.exchange("GET", path, headers: headers)
            let policy = try #require(answer.header("content-security-policy"))
            for part in [
                "default-src 'none'", "script-src 'self'", "connect-src 'self'",
                "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
                "require-trusted-types-for 'script'",
            ] {
                #expect(policy.contains(part), "\(path): \(part)")
            }
            #expect(!policy.contains("unsafe") && !policy.contains("*"))
            #expect(answer.header("cross-origin-resource-policy") == "same-origin")
            #expect(answer.header("x-content-type-options") == "nosniff")
            #expect(answer.header("referrer-policy") == "no-referrer")
        }
        for name in try Self.files {
            let text = try PackageFiles.text("Sources/Daemon/Page/Files/\(name)")
            for forbidden in ["innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", " style=\""]
            {
                #expect(!text.contains(forbidden), "\(name): \(forbidden)")
            }
        }
    }

    @Test func aBrowserThatHasAFileIsToldSo() throws {
        let server = try self.server()
        let client = try server.connect()
        let first = try client.exchange("GET", "/page/app.js")
        let tag = try #require(first.header("etag"))
        #expect(first.header("cache-control") == "no-cache")
        for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let again = try client.exchange(
                "GET", "/page/app.js", headers: [("If-None-Match", known)])
            #expect(again.status == 304 && again.body.isEmpty, "\(known)")
            #expect(again.header("etag") == tag)
        }
        let other = try client.exchange(
            "GET", "/page/app.js", headers: [("If-None-Match", "\"x\"")])
        #expect(other.status == 200 && other.body == first.body)
        #expect(try client.exchange("GET", "/", headers: Self.html).header("etag") != tag)
        #expect(try client.exchange("GET", "/topics").header("cache-control") == "no-store")
    }

    @Test func aPersonWhoOpensATopicIsSentToThePageAndAProgramIsNot() throws {
        let server = try self.server()
        try server.publish("1", to: "a")
        let client = try server.connect()
        for (path, place) in [
            ("/topics", "/#/"), ("/topics/a", "/#/follow/a"),
            ("/topics/a.%3E,b?since=-5&type=x", "/#/follow/a.%3E,b?since=-5&type=x"),
            ("/groups", "/#/work"), ("/groups/mail", "/#/work/mail"),
        ] {
            let answer = try client.exchange("GET", path, headers: Self.person)
            #expect(answer.status == 303 && answer.header("location") == place, "\(path)")
        }
        for headers in [
            [], Self.html, Self.html + [("Sec-Fetch-Mode", "cors")],
            [("Accept", "*/*"), ("Sec-Fetch-Mode", "navigate")],
        ] as [[(String, String)]] {
            let answer = try client.exchange("GET", "/topics/a?since=earliest", headers: headers)
            #expect(answer.status == 200 && answer.text == "1")
        }
        let named = try client.exchange(
            "GET", "/topics/a?since=earliest&as=raw", headers: Self.person)
        #expect(named.status == 200 && named.text == "1")
        #expect(try client.exchange("DELETE", "/topics/a", headers: Self.person).status == 204)
    }

    @Test(arguments: ["cross-site", "same-site"])
    func aLinkOfAnotherSiteComesToThePageAndToNothingElse(_ site: String) throws {
        let server = try self.server()
        try server.publish("secret", to: "a")
        let client = try server.connect()
        let link =
            Self.person + [("Sec-Fetch-Site", site), ("Sec-Fetch-Dest", "document")]
        for path in ["/", "/docs", "/docs/recipes"] {
            #expect(try client.exchange("GET", path, headers: link).status == 200, "\(path)")
        }
        for path in ["/topics/a?since=earliest", "/topics", "/groups"] {
            #expect(try client.exchange("GET", path, headers: link).status == 303, "\(path)")
        }
        func isRefused(_ path: String, _ headers: [(String, String)], _ method: String = "GET")
            throws -> Bool
        {
            let answer = try client.exchange(method, path, headers: headers)
            return answer.status == 403 && answer.text.contains("ORIGIN_FORBIDDEN")
        }
        for path in [
            "/topics/a?since=earliest&as=json", "/metrics", "/version", "/page/app.js", "/healthz",
        ] {
            #expect(try isRefused(path, link), "\(path)")
        }
        #expect(try isRefused("/topics/a", link, "DELETE"))
        #expect(try isRefused("/", link, "POST"))
        let frame = Self.person + [("Sec-Fetch-Site", site), ("Sec-Fetch-Dest", "iframe")]
        #expect(try isRefused("/", frame))
        #expect(try isRefused("/", link + [("Origin", "http://evil.example")]))
        let fetched = Self.html + [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "no-cors")]
        #expect(try isRefused("/", fetched))
    }

    @Test func withoutAPageThereIsTextForAllAndNothingElse() throws {
        let server = try self.server(showsPage: false)
        let client = try server.connect()
        let start = try client.exchange("GET", "/", headers: Self.html)
        #expect(start.header("content-type") == "text/plain; charset=utf-8")
        for path in ["/page/app.js", "/docs", "/docs/recipes"] {
            let answer = try client.exchange("GET", path)
            #expect(answer.status == 404 && answer.text.contains("page = no"))
        }
        #expect(try client.exchange("GET", "/topics", headers: Self.person).status == 200)
    }

    @Test func chosenTopicsHaveFiguresAndTheirNumberIsBounded() throws {
        let server = try self.server(topics: "deploys.>,one")
        for topic in ["deploys.web", "one", "other"] { try server.publish("12", to: topic) }
        try server.publish("3", to: "one")
        let page = try server.connect().exchange("GET", "/metrics").text
        for line in [
            "belfry_topic_events{topic=\"one\"} 2", "belfry_topic_bytes{topic=\"one\"} 3",
            "belfry_topic_published_events_total{topic=\"one\"} 2",
            "belfry_topic_subscribers{topic=\"deploys.web\"} 0", "belfry_topics_without_figures 0",
        ] {
            #expect(page.contains("\n\(line)\n"), "\(line)")
        }
        #expect(!page.contains("other"))
        for number in 0..<Limits.metricsTopicsMax {
            try server.publish("1", to: "deploys.\(number)")
        }
        let full = try server.connect().exchange("GET", "/metrics").text
        #expect(full.contains("\nbelfry_topics_without_figures 2\n"))
        #expect(
            full.split(separator: "belfry_topic_events{").count - 1 == Limits.metricsTopicsMax)
    }
}
