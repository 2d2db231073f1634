@testable import HTTPFront

extension ParserCheck {
    /// A page gets in only as the contract's sentence has it, and never by what it says of itself.
    ///
    /// Input: Host, Origin, Sec-Fetch-Site, a configured origin, one a line; an empty one is absent.
    /// Where it may only read, it gets in by GET as another does, and by POST not at all.
    static let page = ParserCheck("page", bytesMax: 256) { input in
        let lines = input.parts(4).map { $0.isEmpty ? nil : $0.text } + [nil, nil, nil]
        let host = lines[0].flatMap { Authority($0) }
        guard let policy = try? OriginPolicy(allowing: [lines[3]].compactMap(\.self)) else {
            return try hold(
                lines[3] == "null" || Origin(lines[3] ?? "") == nil, "an origin refused")
        }
        var headers = HeaderFields()
        if let origin = lines[1] { headers.append("Origin", origin) }
        if let site = lines[2] { headers.append("Sec-Fetch-Site", site) }
        let (origin, site) = (headers.first("origin"), headers.first("sec-fetch-site"))
        let isConfigured =
            origin.flatMap { PageOrigin($0) } != nil
            && origin.flatMap { PageOrigin($0) } == lines[3].flatMap { PageOrigin($0) }
        let isOwn: Bool
        if let origin {
            isOwn =
                host != nil && PageOrigin(origin) == PageOrigin(own: host!)
                && (site == nil || site == "same-origin")
        } else {
            isOwn = site == nil || site == "none" || site == "same-origin"
        }
        let reading = try OriginPolicy(reading: [lines[3]].compactMap(\.self))
        let readsOnly = isConfigured && !isOwn
        for (method, isLetIn) in [("GET", isConfigured || isOwn), ("POST", isOwn)] {
            do {
                let page = try reading.evaluate(headers, method: method, host: host)
                try hold(isLetIn, "\(method) of a page that may only read")
                try agree(page?.mayOnlyRead ?? false, readsOnly, "may only read")
            } catch let problem as Problem {
                try agree(problem.status, 403, "status")
                try hold(!isLetIn, "\(method) of a page that may read")
            }
        }
        do {
            let verdict = try policy.evaluate(headers, method: "POST", host: host)
            try agree(verdict?.origin, isConfigured ? origin : nil, "origin that may read")
            try hold(isConfigured || isOwn, "a stranger got in")
        } catch let problem as Problem {
            try agree(problem.status, 403, "status")
            try hold(!isConfigured && !isOwn, "a friend was refused")
        }
    }
}

/// Scheme, host and port of an origin, by splitting its text.
private struct PageOrigin: Equatable {
    let scheme: String
    let host: String
    let port: UInt16?

    init?(_ text: String) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let allowed = "abcdefghijklmnopqrstuvwxyz0123456789+-."
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy({ $0 < 0x80 }),
            parts[0].lowercased().allSatisfy(allowed.contains),
            let authority = Authority(String(parts[1]))
        else { return nil }
        scheme = parts[0].lowercased()
        host = authority.host
        port = authority.port ?? ["http": 80, "https": 443][scheme]
    }

    init(own host: Authority) {
        scheme = "http"
        self.host = host.host
        port = host.port ?? 80
    }
}
