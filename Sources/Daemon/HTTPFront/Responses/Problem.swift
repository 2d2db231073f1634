internal import JSON

/// An error answer in RFC 9457's form. It names the problem by a stable code, and says how to solve
/// it.
public struct Problem: Error, Sendable {
    /// The status code, 400 to 599.
    public let status: Int

    /// The stable name that programs look at, such as `HOST_UNKNOWN`.
    public let code: String

    /// The kind of problem in a few words.
    public let title: String

    /// The problem in this case and its remedy, in sentences.
    public let detail: String

    /// Header fields that the answer carries besides, such as `Allow` or `Retry-After`.
    public var headers: HeaderLines

    /// Whether the connection closes behind the answer.
    public var closesConnection: Bool

    /// A problem; without a title, its status's own phrase, as RFC 9457 section 4.2.1 says.
    public init(
        _ status: Int, _ code: String, title: String? = nil, detail: String,
        headers: HeaderLines = [], closesConnection: Bool = false
    ) {
        self.status = status
        self.code = code
        self.title = title ?? StatusCode.reason(for: status).description
        self.detail = detail
        self.headers = headers
        self.closesConnection = closesConnection
    }

    /// The problem as JSON, ending in LF.
    public var json: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(64 + title.utf8.count + code.utf8.count + detail.utf8.count)
        text.append(contentsOf: #"{"status":"#.utf8)
        text.append(contentsOf: String(status).utf8)
        text.append(contentsOf: #","title":"#.utf8)
        JSONText.append(title, to: &text)
        text.append(contentsOf: #","code":"#.utf8)
        JSONText.append(code, to: &text)
        text.append(contentsOf: #","detail":"#.utf8)
        JSONText.append(detail, to: &text)
        text.append(contentsOf: "}\n".utf8)
        return text
    }

    /// The problem as an answer of `application/problem+json`.
    public var response: Response {
        var fields: HeaderLines = [("Content-Type", "application/problem+json")]
        fields.add(contentsOf: headers)
        var response = Response(
            status: status, headers: fields, body: .bytes(json), closesConnection: closesConnection)
        response.problemCode = code
        return response
    }
}
