/// An answer, as a handler makes it.
///
/// What every answer carries (`Cache-Control`, `Vary`, the headers for a configured Origin) and
/// what frames it (`Date`, `Content-Length`, `Connection`) is added when it is sent.
public struct Response: Sendable {
    /// The status code, 100 to 599.
    public var status: Int

    /// Its own header fields, in order.
    public private(set) var headers: [(name: String, value: String)]

    /// Its body; for HEAD, the body that GET would have got, of which only the length is sent.
    public var body: ResponseBody

    /// Whether the connection closes behind this answer, whatever the client asked for.
    public var closesConnection: Bool

    /// An answer of these parts.
    public init(
        status: Int, headers: [(name: String, value: String)] = [], body: ResponseBody = .empty,
        closesConnection: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.closesConnection = closesConnection
    }

    /// Adds a header field behind the others.
    public mutating func add(_ name: String, _ value: String) {
        headers.append((name, value))
    }

    /// Whether a field of this name, compared byte for byte, was added.
    public func has(_ name: String) -> Bool {
        headers.contains { $0.name == name }
    }

    /// Whether the status forbids a body and its length (RFC 9110 section 6.4.1).
    public var forbidsBody: Bool { status < 200 || status == 204 || status == 304 }
}
