/// A complete request, as the handler gets it.
public struct Request {
    /// Its line and headers, checked.
    public let head: RequestHead

    /// Its body, valid until the handler returns.
    public let body: RequestBody

    /// The length of its body, as it announced it.
    public let bodyLength: RequestHead.BodyLength

    /// A request of these parts.
    public init(head: RequestHead, body: RequestBody, bodyLength: RequestHead.BodyLength) {
        self.head = head
        self.body = body
        self.bodyLength = bodyLength
    }
}
