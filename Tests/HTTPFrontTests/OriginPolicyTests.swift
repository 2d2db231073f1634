import Testing

@testable import HTTPFront

@Suite struct OriginPolicyTests {
    enum Outcome: Equatable {
        case own
        case configured
        case reading
        case forbidden
    }

    private func evaluate(
        origin: [String], site: [String], host: String?, method: String = "POST"
    ) throws -> Outcome {
        let policy = try OriginPolicy(
            allowing: ["https://Dash.example", "http://intranet:8080"],
            reading: ["https://wall.example", "https://dash.example:443", "http://localhost:7464"],
            exposing: ExposedHeaders(names: "Event-ID"))
        var headers = HeaderFields()
        for value in origin { headers.append("Origin", value) }
        for value in site { headers.append("Sec-Fetch-Site", value) }
        do throws(Problem) {
            let crossOrigin = try policy.evaluate(
                headers, method: method, host: host.flatMap { Authority($0) })
            guard let crossOrigin else { return .own }
            #expect(
                crossOrigin
                    == CrossOrigin(
                        origin: origin[0], exposed: ExposedHeaders(names: "Event-ID"),
                        mayOnlyRead: crossOrigin.mayOnlyRead))
            return crossOrigin.mayOnlyRead ? .reading : .configured
        } catch {
            #expect(error.status == 403)
            #expect(error.code == "ORIGIN_FORBIDDEN")
            return .forbidden
        }
    }

    @Test(
        arguments: [
            (nil, nil, .own), (nil, "none", .own), (nil, "same-origin", .own),
            (nil, "same-site", .forbidden), (nil, "cross-site", .forbidden), (nil, "", .forbidden),
            (nil, "Same-Origin", .forbidden), (nil, "same-origin, none", .forbidden),

            ("http://localhost:7464", nil, .own), ("http://localhost:7464", "same-origin", .own),
            ("HTTP://LOCALHOST.:7464", nil, .own),
            ("http://localhost:7464", "none", .forbidden),
            ("http://localhost:7464", "same-site", .forbidden),
            ("http://localhost:7464", "cross-site", .forbidden),
            ("http://localhost:7464", "", .forbidden),

            ("http://localhost", nil, .forbidden), ("http://localhost:80", nil, .forbidden),
            ("https://localhost:7464", nil, .own), ("http://127.0.0.1:7464", nil, .forbidden),
            ("http://evil.example", nil, .forbidden),
            ("http://evil.example", "same-origin", .forbidden),
            ("http://localhost:7464.evil.example", nil, .forbidden),
            ("http://localhost:7464/", nil, .forbidden), ("localhost:7464", nil, .forbidden),
            ("//localhost:7464", nil, .forbidden), ("http:/localhost:7464", nil, .forbidden),
            ("://localhost:7464", nil, .forbidden),
            ("null", nil, .forbidden), ("null", "same-origin", .forbidden), ("", nil, .forbidden),
            ("http://localhost:7464 http://evil.example", nil, .forbidden),

            ("https://dash.example", nil, .configured),
            ("https://dash.example", "cross-site", .configured),
            ("https://dash.example", "same-site", .configured),
            ("https://dash.example:443", "cross-site", .configured),
            ("https://dash.example:444", "cross-site", .forbidden),
            ("http://dash.example", "cross-site", .forbidden),
            ("https://sub.dash.example", "cross-site", .forbidden),
            ("http://intranet:8080", "cross-site", .configured),
            ("http://intranet", "cross-site", .forbidden),
        ] as [(String?, String?, Outcome)])
    func onlyOurOwnAndConfiguredPagesMayAsk(
        origin: String?, site: String?, outcome: Outcome
    ) throws {
        let evaluated = try evaluate(
            origin: [origin].compactMap(\.self), site: [site].compactMap(\.self),
            host: "localhost:7464")
        #expect(evaluated == outcome)
    }

    @Test(
        "a page that may only read asks by GET, HEAD and OPTIONS",
        arguments: [
            ("GET", .reading), ("HEAD", .reading), ("OPTIONS", .reading), ("POST", .forbidden),
            ("PUT", .forbidden), ("DELETE", .forbidden), ("PATCH", .forbidden), ("get", .forbidden),
        ] as [(String, Outcome)])
    func readingPages(method: String, outcome: Outcome) throws {
        func evaluated(_ origin: String, host: String) throws -> Outcome {
            try evaluate(origin: [origin], site: ["cross-site"], host: host, method: method)
        }
        #expect(try evaluated("https://wall.example", host: "localhost:7464") == outcome)
        // An origin of both lists, and the server's own page, may do everything.
        #expect(try evaluated("https://dash.example", host: "localhost:7464") == .configured)
        #expect(
            try evaluate(
                origin: ["http://localhost:7464"], site: ["same-origin"], host: "localhost:7464",
                method: method) == .own)
        #expect(try evaluated("http://localhost:7464", host: "127.0.0.1:7464") == outcome)
    }

    @Test(
        "a refused page is told where pages are let in",
        arguments: [
            (["http://evil.example"], "http://evil.example"), (["null"], "Origin: null"),
            ([], "does not say which"),
        ] as [([String], String)])
    func whereToLetIn(origin: [String], word: String) throws {
        var headers = HeaderFields()
        headers.append("Sec-Fetch-Site", "cross-site")
        for value in origin { headers.append("Origin", value) }
        let problem = try #require(throws: Problem.self) {
            try OriginPolicy().evaluate(headers, method: "GET", host: Authority("localhost"))
        }
        for wanted in [
            word, "http.origins in belfryd.conf", "http.origins_read", "`systemctl reload belfryd`",
        ] {
            #expect(problem.detail.contains(wanted), "\(problem.detail)")
        }
    }

    @Test func defaultPortsAreTheSameWrittenOrNot() throws {
        #expect(try evaluate(origin: ["http://localhost"], site: [], host: "localhost:80") == .own)
        #expect(try evaluate(origin: ["http://localhost:80"], site: [], host: "localhost") == .own)
    }

    @Test func repeatedWordsOfTheBrowserAreForbidden() throws {
        let own = "http://localhost:7464"
        #expect(try evaluate(origin: [own, own], site: [], host: "localhost:7464") == .forbidden)
        #expect(
            try evaluate(origin: [], site: ["none", "cross-site"], host: "localhost:7464")
                == .forbidden)
    }

    @Test func withoutAHostNoPageIsOurOwn() throws {
        #expect(try evaluate(origin: ["http://localhost:7464"], site: [], host: nil) == .forbidden)
        #expect(try evaluate(origin: [], site: [], host: nil) == .own)
    }

    @Test(arguments: ["null", "*", "https://a/", "a.example", "https://", "https://a b"])
    func whatIsNoOriginCannotBeConfigured(text: String) {
        #expect(throws: ConfigurationError.self) { try OriginPolicy(allowing: [text]) }
    }
}
