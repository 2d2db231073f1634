/// The host names that a server answers to.
///
/// A web page of a foreign name that resolves to loopback (DNS rebinding) carries that name in
/// Host; answering only to names that always mean this machine, and configured ones, shuts it out.
public struct HostPolicy: Sendable {
    private let allowed: [Authority]
    private let checks: [String]

    /// Answers to loopback names, and to these besides: `name` with our port or none,
    /// `name:port` with exactly that port.
    ///
    /// - Parameter checks: Paths, of one segment each, that may be read under any name. A client
    ///   that asks there may know this machine by another name, and is told only the server's state
    ///   (``RequestHead/isForUs``).
    /// - Throws: `ConfigurationError` for a name that no Host can say.
    public init(
        allowing names: [String] = [], checks: [String] = []
    ) throws(ConfigurationError) {
        var allowed: [Authority] = []
        for name in names {
            guard let authority = Authority(name) else {
                throw ConfigurationError(
                    "`\(name)` is not a host name: write NAME, NAME:PORT, ADDRESS or [ADDRESS].")
            }
            allowed.append(authority)
        }
        self.allowed = allowed
        self.checks = checks
    }

    /// Answers to loopback names only.
    public init() {
        allowed = []
        checks = []
    }

    /// Whether a request may come under any name, because it asks for the allowed methods or for
    /// the server's state.
    func admitsAnyHost(_ method: String, _ target: RequestTarget) -> Bool {
        guard !target.isOutsidePrefix else { return false }
        return switch method {
        case "GET", "HEAD": target.path.count == 1 && checks.contains(target.path[0])
        case "OPTIONS": target.path.isEmpty
        default: false
        }
    }

    /// Whether a request for `authority` that came in at our port `localPort` is meant for us; on a
    /// unix socket, which has no port, any goes with a name.
    ///
    /// - Complexity: O(configured names) at worst; O(bytes) for loopback names.
    public func admits(_ authority: Authority, at localPort: UInt16?) -> Bool {
        let isOurPort =
            authority.port == nil || localPort == nil || authority.port == localPort
        if isOurPort, Self.isLoopback(authority.host) { return true }
        return allowed.contains {
            $0.host == authority.host && ($0.port == nil ? isOurPort : $0.port == authority.port)
        }
    }

    /// Whether a normalised host always means this machine: `localhost`, any name under it
    /// (RFC 6761 section 6.3), 127.0.0.0/8 as four decimals, `[::1]`.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "127.0.0.1" || host == "[::1]" { return true }
        if host.hasSuffix(".localhost") { return host.utf8.first != UInt8(ascii: ".") }
        return isLoopbackIPv4(host)
    }

    private static func isLoopbackIPv4(_ host: String) -> Bool {
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].elementsEqual("127".utf8) else { return false }
        return parts.allSatisfy { part in
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0"),
                part.allSatisfy({ $0.decimalValue != nil })
            else { return false }
            return part.reduce(0) { $0 * 10 + Int($1 & 0x0F) } <= 255
        }
    }
}
