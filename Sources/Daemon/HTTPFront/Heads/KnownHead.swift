/// A request's line and headers that the parser has read, and what they mean: enough to answer the
/// same request without parsing it, on any connection of the loop.
///
/// It says nothing of the peer but the port that the request came in at, by which Host is judged.
final class KnownHead {
    let pattern: HeadPattern
    /// Our port that it was sent to; nil for a unix socket. Another port has other hosts.
    let port: UInt16?
    /// What an answer has to know of it.
    let context: ResponseContext
    /// Bytes of body that it is allowed.
    let bodyBytesMax: Int
    /// What the handler made of it.
    let handled: any KnownRequest
    /// The hash of all that does not differ.
    let hash: UInt32

    /// The head of a request that was parsed, whose pattern is `pattern`.
    init?(_ pattern: HeadPattern, of request: ActiveRequest, handled: any KnownRequest) {
        guard let head = request.head, let hash = pattern.hash else { return nil }
        self.pattern = pattern
        self.handled = handled
        self.hash = hash
        port = head.peer.localPort
        context = request.context
        bodyBytesMax = request.oversize?.bytesMax ?? 0
    }
}
