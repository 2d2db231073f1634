/// A request's line and headers, after every check that needs no handler.
///
/// Requests whose heads say the same share one object. Nothing in it is about the connection that
/// they came over, nor about the length of their bodies.
public final class RequestHead: Sendable {
    /// The length of a body, as a request announces it before sending it.
    public enum BodyLength: Sendable, Equatable {
        /// It says nothing: there is none.
        case none
        /// A Content-Length, in bytes; 0 too.
        case counted(UInt64)
        /// Chunks, in a number that nobody knows yet.
        case chunked

        /// Whether there is no body.
        public var isEmpty: Bool { self == .none || self == .counted(0) }
    }

    /// The method as it was sent; methods are case-sensitive.
    public let method: String

    /// The target that is asked for.
    public let target: RequestTarget

    /// The version of the request line.
    public let version: HTTPVersion

    /// All header fields, in order, but for Content-Length.
    public let headers: HeaderFields

    /// The checked authority of the request: the absolute target's, else Host's; nil when there is
    /// none, or on a unix socket when it cannot be read.
    public let host: Authority?

    /// Whether its Host is one of ours; always so on a unix socket. With another one, or none, a
    /// request may ask for the server's state: a page that came by such a name must learn no more.
    public let isForUs: Bool

    /// Whether the client wants the connection kept after the answer.
    public let keepsAlive: Bool

    /// The configured Origin the request comes from, whose page may read the answer; else nil.
    public let crossOrigin: CrossOrigin?

    /// A note of the handler about the line of a request.
    final class LineNote {
        var value: AnyObject?
    }

    /// The place of a note; nil where no later request will have the same line.
    // A head belongs to the loop that has read it, and the loop's thread alone touches this.
    nonisolated(unsafe) private var lineNote: LineNote?

    /// Whether a note about its line is kept, since the loop remembers the line.
    public var keepsNote: Bool { lineNote != nil }

    /// A note of the handler about its line, for later requests with the same method and target. Their headers may differ.
    ///
    /// Confined to the loop's thread, as the handler is.
    public var note: AnyObject? {
        get { lineNote?.value }
        set { lineNote?.value = newValue }
    }

    /// Keeps a note about its line from now on, since the loop remembers it.
    func keepNote() { lineNote = LineNote() }

    /// A head of these parts; the front makes them by `RequestRules`, tests by hand.
    public init(
        method: String, target: RequestTarget, version: HTTPVersion = .http11,
        headers: HeaderFields = HeaderFields(), host: Authority? = nil,
        isForUs: Bool = true, keepsAlive: Bool = true, crossOrigin: CrossOrigin? = nil
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
        self.host = host
        self.isForUs = isForUs
        self.keepsAlive = keepsAlive
        self.crossOrigin = crossOrigin
    }

    /// A head that differs from another in these parts.
    ///
    /// - Parameter target: Its target; nil for the same.
    init(like other: RequestHead, target: RequestTarget?, headers: HeaderFields) {
        method = other.method
        self.target = target ?? other.target
        if target == nil { lineNote = other.lineNote }
        version = other.version
        self.headers = headers
        host = other.host
        isForUs = other.isForUs
        keepsAlive = other.keepsAlive
        crossOrigin = other.crossOrigin
    }

    /// The facts about this request that an answer needs.
    public var responseContext: ResponseContext {
        ResponseContext(
            version: version, keepsAlive: keepsAlive, isHead: method == "HEAD",
            crossOrigin: crossOrigin)
    }

    /// The problem of a link to it on a page of another site, unless the handler has something for
    /// people there. Nil for all other requests, which were let in.
    public var problemOfLink: Problem? {
        OriginPolicy.isFollowedLink(headers, method: method) ? OriginPolicy.unnamedSite : nil
    }

    /// The question that a browser asks before it sends a configured Origin's request; nil for
    /// other requests.
    public var preflight: Preflight? {
        guard crossOrigin != nil, method == "OPTIONS",
            let method = headers.first("access-control-request-method")
        else { return nil }
        return Preflight(
            method: method, headers: headers.first("access-control-request-headers"),
            asksForPrivateNetwork:
                headers.first("access-control-request-private-network") == "true")
    }
}
