/// The facts about a request that its answer needs.
public struct ResponseContext: Sendable, Equatable {
    /// The version of the request, which decides how a body may be framed.
    public let version: HTTPVersion

    /// Whether the client wants the connection kept after the answer.
    public let keepsAlive: Bool

    /// Whether the request was HEAD, so that no body follows.
    public let isHead: Bool

    /// The configured Origin the request came from, else nil.
    public let crossOrigin: CrossOrigin?

    /// A context of these parts.
    public init(
        version: HTTPVersion = .http11, keepsAlive: Bool = true, isHead: Bool = false,
        crossOrigin: CrossOrigin? = nil
    ) {
        self.version = version
        self.keepsAlive = keepsAlive
        self.isHead = isHead
        self.crossOrigin = crossOrigin
    }
}
