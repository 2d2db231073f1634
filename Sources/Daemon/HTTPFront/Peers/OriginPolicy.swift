/// The web pages that may talk to a server.
///
/// Browsers tell in `Origin` and `Sec-Fetch-Site` which page a request comes from, and pages
/// cannot forge them; programs send neither.
public struct OriginPolicy: Sendable {
    private let allowed: [Origin]
    private let reading: [Origin]
    private let exposed: ExposedHeaders

    /// Lets pages of the server itself in, and those of these origins, such as
    /// `https://dash.example`, which may then read the headers `exposed`.
    ///
    /// - Parameter reading: Origins whose pages may only read. An origin in both lists may do
    ///   everything.
    /// - Throws: `ConfigurationError` for a text that is no origin. `null` is none, for any
    ///   sandboxed page can claim it.
    public init(
        allowing origins: [String] = [], reading: [String] = [],
        exposing exposed: ExposedHeaders = .none
    ) throws(ConfigurationError) {
        allowed = try origins.map(Self.origin)
        self.reading = try reading.map(Self.origin)
        self.exposed = exposed
    }

    /// Lets only pages of the server itself in.
    public init() {
        allowed = []
        reading = []
        exposed = .none
    }

    private static func origin(_ text: String) throws(ConfigurationError) -> Origin {
        if let origin = Origin(text) { return origin }
        throw ConfigurationError(
            "`\(text)` is not an origin: write SCHEME://HOST or SCHEME://HOST:PORT, without a path."
        )
    }

    /// Evaluates a request for `host`, its checked authority: nil for a program or the server's own
    /// page, the origin for a configured one.
    ///
    /// - Throws: 403 `ORIGIN_FORBIDDEN` for every other page, and for one that may only read and
    ///   asks for more.
    public func evaluate(
        _ headers: HeaderFields, method: String, host: Authority?
    ) throws(Problem) -> CrossOrigin? {
        switch (headers.occurrences(of: "origin"), headers.occurrences(of: "sec-fetch-site")) {
        case (0, 0): return nil
        case (0...1, 0...1): break
        default: throw Self.forbidden("Origin or Sec-Fetch-Site is repeated; a browser sends one.")
        }
        let site = headers.first("sec-fetch-site")
        guard let text = headers.first("origin") else {
            if Self.isOwn(site) || Self.isFollowedLink(headers, method: method) { return nil }
            throw Self.unnamedSite
        }
        guard let origin = Origin(text) else {
            throw Self.forbidden(
                text == "null"
                    ? "The page has no origin of its own (Origin: null): it is a file, or in a "
                        + "sandbox. Serve it over HTTP, and add the origin that it has then to "
                        + Self.places
                    : "Origin is not SCHEME://HOST or SCHEME://HOST:PORT, as a browser writes it.")
        }
        if allowed.contains(origin) {
            return CrossOrigin(origin: text, exposed: exposed)
        }
        if let host, origin.isOf(host), site == nil || site == "same-origin" { return nil }
        guard reading.contains(origin) else {
            throw Self.forbidden(
                "Pages of \(text) may not use the bus. If they should, add it to " + Self.places)
        }
        guard CrossOrigin.readingMethods.contains(method) else {
            throw Self.forbidden(CrossOrigin.mayOnlyRead(text))
        }
        return CrossOrigin(origin: text, exposed: exposed, mayOnlyRead: true)
    }

    private static func isOwn(_ site: String?) -> Bool {
        site == nil || site == "none" || site == "same-origin"
    }

    /// Whether a person followed a link of another site's page, in a tab of its own: that page
    /// reads nothing of the answer. The handler decides which targets may be reached so.
    static func isFollowedLink(_ headers: HeaderFields, method: String) -> Bool {
        method == "GET" && headers.first("sec-fetch-mode") == "navigate"
            && headers.first("sec-fetch-dest") == "document"
            && !headers.has("origin") && !isOwn(headers.first("sec-fetch-site"))
    }

    /// The refusal of another site's page if the request does not say which site.
    static let unnamedSite = forbidden(
        "The request comes from a page of another site, and does not say which. If it should be let "
            + "in, fetch with CORS, and add the page's origin to " + places)

    /// The places in the configuration where an origin is let in.
    private static let places =
        "http.origins in belfryd.conf, or to http.origins_read if it may only read, and run "
        + "`systemctl reload belfryd`."

    private static func forbidden(_ detail: String) -> Problem {
        Problem(403, "ORIGIN_FORBIDDEN", detail: detail)
    }
}

/// A page's origin, normalised for comparing (RFC 6454 section 6.2).
struct Origin: Sendable, Equatable {
    let scheme: String
    let host: String
    /// The port, or the scheme's own where none is written.
    let port: UInt16?

    init(scheme: String, authority: Authority) {
        self.scheme = scheme
        host = authority.host
        port = authority.port ?? Self.defaultPort(of: scheme)
    }

    /// Whether it is that of the pages which a server shows under this authority, by itself or behind a proxy
    /// that adds TLS.
    func isOf(_ authority: Authority) -> Bool {
        ["http", "https"].contains { self == Origin(scheme: $0, authority: authority) }
    }

    /// Reads `scheme://host` or `scheme://host:port`; nil for anything else, `null` included.
    init?(_ text: String) {
        guard let separator = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = text[..<separator]
        let rest = text[separator...]
        guard !scheme.isEmpty, scheme.utf8.allSatisfy(Self.isSchemeCharacter),
            rest.utf8.starts(with: "://".utf8), let authority = Authority(String(rest.dropFirst(3)))
        else { return nil }
        self.init(scheme: scheme.lowercased(), authority: authority)
    }

    private static func defaultPort(of scheme: String) -> UInt16? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }

    private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
        let letter = byte.lowercased &- UInt8(ascii: "a") < 26
        return letter || byte.decimalValue != nil || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
    }
}
