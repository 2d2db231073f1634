/// A complete request, as the handler gets it.
public struct Request {
    /// Its line and headers, checked.
    public let head: RequestHead

    /// Its body, valid until the handler returns.
    public let body: RequestBody

    /// A request of these parts.
    public init(head: RequestHead, body: RequestBody) {
        self.head = head
        self.body = body
    }
}
