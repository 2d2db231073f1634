/// A configured Origin whose page may read an answer.
///
/// An object, since every request that waits keeps a reference to one, or nil.
public final class CrossOrigin: Sendable, Equatable {
    /// The Origin as the browser sent it, which it compares byte for byte.
    public let origin: String

    /// The headers of an answer that the page may read.
    public let exposed: ExposedHeaders

    /// Whether the page may read and nothing else.
    public let mayOnlyRead: Bool

    /// An Origin with the headers it may read.
    public init(origin: String, exposed: ExposedHeaders, mayOnlyRead: Bool = false) {
        self.origin = origin
        self.exposed = exposed
        self.mayOnlyRead = mayOnlyRead
    }

    /// Whether both have the same values.
    public static func == (left: CrossOrigin, right: CrossOrigin) -> Bool {
        left.origin == right.origin && left.exposed == right.exposed
            && left.mayOnlyRead == right.mayOnlyRead
    }

    /// The methods of those that may only read.
    public static let readingMethods = ["GET", "HEAD", "OPTIONS"]

    /// The refusal of anything else to a page that may only read.
    public var readingProblem: Problem {
        Problem(403, "ORIGIN_FORBIDDEN", detail: Self.mayOnlyRead(origin))
    }

    static func mayOnlyRead(_ origin: String) -> String {
        "Pages of \(origin) may only read (http.origins_read). If they should publish and delete "
            + "too, add it to http.origins in belfryd.conf, and run `systemctl reload belfryd`."
    }
}

/// The headers of answers that pages of other origins may read.
public struct ExposedHeaders: Sendable, Equatable {
    /// Their names, separated by commas; empty for none.
    public let names: String
    /// The beginning of more of them, in the case in which answers have it; nil for none.
    public let prefix: String?

    /// Headers of these names, and those that begin with a prefix.
    public init(names: String, prefix: String? = nil) {
        self.names = names
        self.prefix = prefix
    }

    /// None but those that every page may read.
    public static let none = ExposedHeaders(names: "")
}

/// The question a browser asks before it lets a page send a request to another origin.
public struct Preflight: Sendable, Equatable {
    /// The method the page wants to use.
    public let method: String

    /// The headers the page wants to send, as one list, or nil for none beyond the usual.
    public let headers: String?

    /// Whether the page is of a more public network than the bus, and the browser asks for that too
    /// (Private Network Access).
    public var asksForPrivateNetwork = false

    /// The answer that allows these methods and headers, each a list separated by commas. It also
    /// allows a private network, if that was asked for.
    public func response(allowingMethods methods: String, headers: String) -> Response {
        var response = Response(status: 204)
        response.headers.add("Access-Control-Allow-Methods", methods)
        response.headers.add("Access-Control-Allow-Headers", headers)
        if asksForPrivateNetwork {
            response.headers.add("Access-Control-Allow-Private-Network", "true")
        }
        response.headers.add("Access-Control-Max-Age", "600")
        return response
    }
}
