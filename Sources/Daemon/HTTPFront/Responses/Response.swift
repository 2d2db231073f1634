/// An answer, as a handler makes it.
///
/// The common fields (`Cache-Control`, `Vary`, the headers for a configured Origin) and those of
/// framing (`Date`, `Content-Length`, `Connection`) are added when it is sent.
public struct Response: Sendable {
    /// The status code, 100 to 599.
    public var status: Int

    /// Its own header fields, in order.
    public var headers: HeaderLines

    /// Its body; for HEAD, the body that GET would have got, of which only the length is sent.
    public var body: ResponseBody

    /// Whether clients may keep it, and ask with its `ETag` whether it still holds; nobody may keep
    /// other answers.
    public var isRevalidated = false

    /// Whether the connection closes behind this answer, even if the client asked to keep it.
    public var closesConnection: Bool

    /// Whether the connection ends in place of the answer.
    public private(set) var isWithheld = false

    /// The code of the problem that it tells; nil for an answer that tells none.
    public internal(set) var problemCode: String?

    /// An answer of these parts.
    public init(
        status: Int, headers: HeaderLines = [], body: ResponseBody = .empty,
        closesConnection: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.closesConnection = closesConnection
    }

    /// No answer: the connection ends, as it does where a server goes away. For a request that may have
    /// been done or not, so that no program in between takes an answer for the outcome.
    public static let withheld: Response = {
        var response = Response(status: 500)
        response.isWithheld = true
        return response
    }()

    /// Whether the status forbids a body and its length (RFC 9110 section 6.4.1).
    public var forbidsBody: Bool { status < 200 || status == 204 || status == 304 }
}
