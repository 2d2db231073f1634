import TestSupport
import Testing

/// Every combination of what a browser tells of the page that asks, over each way in.
@Suite(.blocking) struct AccessPagesTests {
    private enum Request: CaseIterable { case receive, publish, webSocket }

    private static let sites: [String?] = [nil, "none", "same-origin", "same-site", "cross-site"]
    private static let dashboard = "https://dash.example"

    private static let configuration =
        "[http]\norigins = \(dashboard)\nhosts = bus.example\n"

    /// What the contract says of a request; nil for yes.
    private static func refusal(
        isUnix: Bool, isKnownHost: Bool, host: String, origin: String?, site: String?
    ) -> Int? {
        guard isUnix || isKnownHost else { return 421 }
        if origin == dashboard || origin == nil && site == nil { return nil }
        if let origin {
            // A proxy in front may add TLS.
            guard ["http://\(host)", "https://\(host)"].contains(origin),
                [nil, "same-origin"].contains(site)
            else {
                return 403
            }
        } else if site != "none", site != "same-origin" {
            return 403
        }
        // No port is ours on a unix socket.
        return isKnownHost || host == "localhost:1" ? nil : 421
    }

    private func ask(
        _ address: RawClient.Address, _ request: Request, _ host: String,
        _ headers: [(String, String)]
    ) throws -> RawClient.Answer {
        let client = try RawClient(address)
        var head =
            request == .publish
            ? "POST /topics/t HTTP/1.1\r\n" : "GET /topics/t?wait=0 HTTP/1.1\r\n"
        head += "Host: \(host)\r\n"
        let upgrade = request == .webSocket ? WebSocketClient.handshake : []
        for (name, value) in headers + upgrade { head += "\(name): \(value)\r\n" }
        head += request == .publish ? "Content-Length: 1\r\n\r\nx" : "\r\n"
        try client.send(head)
        return request == .webSocket ? try client.readHead() : try client.readAnswer()
    }

    @Test(arguments: [false, true])
    func aPageIsLetInExactlyWhereTheContractSaysSo(isUnix: Bool) throws {
        let daemon = try RunningDaemon(configuration: Self.configuration)
        let address = isUnix ? daemon.unix : daemon.tcp
        let hosts = [
            ("localhost:\(daemon.port)", true), ("127.0.0.1", true), ("bus.example", true),
            ("evil.example", false), ("localhost.evil.example:\(daemon.port)", false),
            ("localhost:1", false),
        ]
        for request in Request.allCases {
            let success = [.receive: 204, .publish: 201, .webSocket: 101][request]
            for (host, isKnownHost) in hosts {
                let origins = [
                    nil, "http://\(host)", "https://\(host)", "null", Self.dashboard,
                    "http://evil.example", "http://localhost:1",
                ]
                for origin in Set(origins) {
                    for site in Self.sites {
                        let headers =
                            (origin.map { [("Origin", $0)] } ?? [])
                            + (site.map { [("Sec-Fetch-Site", $0)] } ?? [])
                        let answer = try ask(address, request, host, headers)
                        let refusal = Self.refusal(
                            isUnix: isUnix, isKnownHost: isKnownHost, host: host, origin: origin,
                            site: site)
                        #expect(
                            answer.status == refusal ?? success,
                            "\(request) at \(host) from \(origin ?? "-") \(site ?? "-")")
                        let isShared = refusal == nil && origin == Self.dashboard
                        #expect(
                            answer.header("access-control-allow-origin")
                                == (isShared ? Self.dashboard : nil))
                    }
                }
            }
        }
    }

    /// Every method of a page whose origin may only read, its preflight, and its WebSocket.
    @Test func aPageThatMayOnlyReadReadsEverythingAndChangesNothing() throws {
        let wall = "https://wall.example"
        let daemon = try RunningDaemon(
            configuration: "[http]\norigins = \(Self.dashboard)\norigins_read = \(wall)\n")
        let client = try daemon.connect()
        try client.publish("x", to: "t")
        let page = [("Origin", wall), ("Sec-Fetch-Site", "cross-site")]
        for (method, target) in [
            ("GET", "/topics/t?since=earliest"), ("GET", "/topics/t?since=earliest&as=sse&max=1"),
            ("HEAD", "/topics/t"), ("GET", "/topics"), ("OPTIONS", "/topics/t"),
            ("GET", "/metrics"),
        ] {
            let answer = try daemon.connect().exchange(method, target, headers: page)
            #expect([200, 204].contains(answer.status), "\(method) \(target)")
            #expect(answer.header("access-control-allow-origin") == wall, "\(method) \(target)")
        }
        for method in ["POST", "PUT", "DELETE"] {
            let answer = try daemon.connect().exchange(
                method, "/topics/t", headers: page, body: method == "POST" ? [0x79] : nil)
            #expect(answer.status == 403 && answer.member("code") == "ORIGIN_FORBIDDEN")
            #expect(
                answer.member("detail")?.contains("http.origins_read") == true, "\(answer.text)")
            let preflight = try client.exchange(
                "OPTIONS", "/topics/t", headers: page + [("Access-Control-Request-Method", method)])
            #expect(preflight.status == 204)
            #expect(
                preflight.header("access-control-allow-methods")?.split(separator: ", ").sorted()
                    == ["GET", "HEAD", "OPTIONS"])
        }
        let full = try client.exchange(
            "OPTIONS", "/topics/t",
            headers: [("Origin", Self.dashboard), ("Access-Control-Request-Method", "POST")])
        #expect(full.header("access-control-allow-methods")?.contains("POST") == true)
        for query in ["", "?as=raw"] {
            let socket = try WebSocketClient(daemon.tcp, "/topics/t\(query)", headers: page)
            _ = try socket.text()
            let refusal = try socket.publish(#"{"data":"y","ref":1}"#)
            #expect(refusal.contains("\"status\":403") && refusal.contains("ORIGIN_FORBIDDEN"))
        }
        #expect(try client.exchange("HEAD", "/topics/t").number("event-count") == 1)
    }
}
