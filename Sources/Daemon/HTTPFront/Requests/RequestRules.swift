/// The rules that every request must keep to before any handler sees it.
///
/// libmicrohttpd is lenient where another program on the way might read the same bytes as another
/// request; here they mean one thing or are refused. The rules are pure: the same request, peer and
/// policies always give the same outcome.
final class RequestRules: Sendable {
    private let hosts: HostPolicy
    private let origins: OriginPolicy
    /// The prefix in front of every path.
    private let prefix: PathPrefix

    init(hosts: HostPolicy, origins: OriginPolicy, prefix: PathPrefix = PathPrefix()) {
        self.hosts = hosts
        self.origins = origins
        self.prefix = prefix
    }

    /// Makes the head of a request, or throws the problem with it.
    ///
    /// - Parameters:
    ///   - method: The request line's method.
    ///   - target: The request line's target, before any decoding.
    /// - Throws: 400 `REQUEST_MALFORMED`, 405 `METHOD_NOT_ALLOWED` for CONNECT, 417
    ///   `EXPECTATION_UNKNOWN`, 421 `HOST_UNKNOWN`, 403 `ORIGIN_FORBIDDEN`, in this order.
    /// - Complexity: O(bytes).
    func read(
        method: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer, version: HTTPVersion,
        headers: HeaderFields, peer: Peer
    ) throws(Problem) -> (head: RequestHead, bodyLength: RequestHead.BodyLength) {
        guard !method.isEmpty, method.allSatisfy(\.isTokenCharacter) else {
            throw .malformed("The method is not a word of HTTP.")
        }
        let facts = try HeaderFacts(headers)
        let bodyLength = try facts.bodyLength(in: version)
        let method = String(decoding: method, as: UTF8.self)
        let target = try self.target(target, of: method)
        let host = try authority(of: target, by: method, facts, version: version, peer: peer)
        guard !facts.expectsUnknown else {
            throw Problem(
                417, "EXPECTATION_UNKNOWN",
                detail: "Expect may only say 100-continue; leave the header out.",
                closesConnection: true)
        }
        let crossOrigin =
            facts.comesFromPage ? try origins.evaluate(headers, method: method, host: host) : nil
        // It is then a page of our own, by its Host alone. A proxy in front of a unix socket may
        // pass on the name of a page that was made to point to it (DNS rebinding).
        if facts.comesFromPage, crossOrigin == nil {
            guard isForUs(host, at: peer.localPort) else { throw Self.hostUnknown }
        }
        let head = RequestHead(
            method: method, target: target, version: version,
            headers: headers.removing("content-length"), host: host,
            isForUs: peer.localPort == nil || isForUs(host, at: peer.localPort),
            keepsAlive: facts.keepsAlive(in: version), crossOrigin: crossOrigin)
        return (head, bodyLength)
    }

    /// Makes the head of a request that differs from one which was read in its target, and in
    /// headers that no rule looks at. Throws the problem with it if there is one.
    ///
    /// - Parameters:
    ///   - target: Its target, where that is another one; nil for the same.
    ///   - headers: Its headers, where they are others; nil for the same.
    func head(
        like known: RequestHead, target: UnsafeRawBufferPointer?, headers: HeaderFields?, peer: Peer
    ) throws(Problem) -> RequestHead {
        guard let target else {
            return headers.map {
                RequestHead(like: known, target: nil, headers: $0)
            } ?? known
        }
        let headers = headers ?? known.headers
        let meant = try self.target(target, of: known.method)
        // For ordinary targets it does not matter for which host the request is.
        let isOrdinary =
            meant.form == .origin && known.target.form == .origin
            && !hosts.admitsAnyHost(known.method, meant)
            && !hosts.admitsAnyHost(known.method, known.target)
        guard !isOrdinary else {
            return RequestHead(like: known, target: meant, headers: headers)
        }
        var method = known.method
        return try method.withUTF8 { method in
            Result { () throws(Problem) in
                try read(
                    method: UnsafeRawBufferPointer(method), target: target,
                    version: known.version, headers: headers, peer: peer)
            }
        }.get().head
    }

    /// The problem by which a head is refused before libmicrohttpd has read it; nil if nothing is
    /// wrong with its form.
    func problem(with head: RequestHeadReader, from peer: Peer) -> Problem? {
        switch head.finding {
        case .nothing: return nil
        case .otherVersion: return .versionUnknown
        case .tooMany: return .headTooLong
        case .broken(let detail): return .malformed(detail)
        case .doubtful:
            do throws(Problem) {
                _ = try read(
                    method: head.method, target: head.target, version: head.version,
                    headers: head.fields, peer: peer)
                return nil
            } catch {
                return error
            }
        }
    }

    private func target(
        _ raw: UnsafeRawBufferPointer, of method: String
    ) throws(Problem) -> RequestTarget {
        guard method != "CONNECT" else {
            throw Problem(
                405, "METHOD_NOT_ALLOWED",
                detail: "This server is no proxy; CONNECT leads nowhere.",
                headers: [("Allow", "GET, HEAD, POST, PUT, DELETE, OPTIONS")],
                closesConnection: true)
        }
        let target: RequestTarget
        do throws(TargetError) {
            target = try RequestTarget(raw, below: prefix)
        } catch {
            throw .malformed(error.detail)
        }
        guard target.form != .asterisk || method == "OPTIONS" else {
            throw .malformed("The target * goes with OPTIONS only.")
        }
        return target
    }

    /// The checked authority; nil where none is needed, or on a unix socket when it is unreadable.
    private func authority(
        of target: RequestTarget, by method: String, _ facts: HeaderFacts, version: HTTPVersion,
        peer: Peer
    ) throws(Problem) -> Authority? {
        guard facts.hosts <= 1 else { throw .malformed("Host is repeated.") }
        let admitsAny = hosts.admitsAnyHost(method, target)
        guard facts.hosts == 1 || version == .http10 && (peer.localPort == nil || admitsAny) else {
            throw .malformed("Host is missing.")
        }
        var authority = facts.host
        var isUnreadable = facts.isHostUnreadable
        if case .absolute(let own) = target.form {
            authority = own
            isUnreadable = false
        }
        guard let localPort = peer.localPort else { return authority }
        guard !isUnreadable || admitsAny else {
            throw .malformed("Host is neither a name nor an address, with or without a port.")
        }
        guard isForUs(authority, at: localPort) || admitsAny else { throw Self.hostUnknown }
        return authority
    }

    private func isForUs(_ authority: Authority?, at localPort: UInt16?) -> Bool {
        authority.map { hosts.admits($0, at: localPort) } ?? false
    }

    private static let hostUnknown = Problem(
        421, "HOST_UNKNOWN",
        detail:
            "This server does not answer for the host of this request; use localhost, 127.0.0.1 or "
            + "[::1], or add the name to http.hosts in belfryd.conf and run "
            + "`systemctl reload belfryd`.")
}

extension Problem {
    /// A target that fills all the room of a head.
    static let targetTooLong = Problem(
        414, "HEAD_TOO_LARGE",
        detail:
            "The target of the request is too long; http.header_bytes in belfryd.conf sets the room "
            + "for line and headers together.",
        closesConnection: true)

    /// Headers that have no room.
    static let headTooLong = Problem(
        431, "HEAD_TOO_LARGE",
        detail: "The headers of the request are too long or too many; http.header_bytes in "
            + "belfryd.conf sets the room for line and headers together.",
        closesConnection: true)

    /// A version of HTTP that is not spoken here.
    static let versionUnknown = Problem(
        505, "VERSION_UNKNOWN", detail: "This server speaks HTTP/1.1 and HTTP/1.0.",
        closesConnection: true)

    /// A head that libmicrohttpd reads in another way than we do.
    static let unreadable = malformed("The line and headers are not those of a request.")

    /// A request that breaks HTTP. The end of its body is unsure, so the connection closes.
    static func malformed(_ detail: String) -> Problem {
        Problem(400, "REQUEST_MALFORMED", detail: detail, closesConnection: true)
    }
}
