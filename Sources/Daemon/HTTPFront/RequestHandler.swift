/// Answers the requests of one loop. Each loop has its own handler, made and used on that loop's
/// thread alone.
///
/// A handler owns its state without locks: everything that reaches it (`admit`, `handle`, `drain`,
/// jobs posted by `LoopHandle`, the callbacks of its detached sockets) runs on the loop's thread,
/// one after the other. It must not block: the whole loop waits with it.
public protocol RequestHandler: AnyObject {
    /// Decides about a request's body before it is read; called once for every request that
    /// passed the strict checks, bodyless ones included, and always before `handle`.
    func admit(_ head: RequestHead, _ length: RequestHead.BodyLength) -> BodyPolicy

    /// Steps of a turn that a request will count with `TurnBudget.add`, as far as its head tells. A
    /// request that takes long waits for its turn apart from short ones.
    func steps(of head: RequestHead) -> Int

    /// Answers a complete request.
    ///
    /// Before it returns it may `respond`, `detach` the socket, or neither: then the request is
    /// answered by `exchange.reply` later, from any thread. `request.body` is valid until it
    /// returns. Requests that were refused never come here.
    func handle(_ request: Request, _ exchange: Exchange)

    /// Answers all waiting requests; called once, when the server begins to drain.
    ///
    /// Requests go on arriving on connections that were open, each answered with
    /// `Connection: close`.
    func drain()
}

/// Makes the handler of a loop, on that loop's thread. The loop's budget bounds the tasks of the
/// handler in a turn beyond answering requests.
public typealias RequestHandlerMaker = @Sendable (LoopHandle, TurnBudget) -> any RequestHandler

/// The handler's decision about a request's body.
public enum BodyPolicy: Sendable {
    /// The body is collected and handed over whole, if it keeps to a limit.
    case upTo(BodyLimit)

    /// The request gets this answer, and `handle` is not called. A body is thrown away; the
    /// connection stays unless the answer closes it.
    case refuse(Response)

    /// A body of at most so many bytes; see ``BodyLimit``.
    public static func upTo(bytes: Int, orElse answer: Response) -> BodyPolicy {
        .upTo(BodyLimit(bytesMax: bytes, orElse: answer))
    }
}

/// The maximum of a request's body, with the answer to a longer one. A longer body is read and
/// thrown away up to `HTTPServerConfiguration.discardBytesMax`. The request then gets this answer,
/// and the connection closes. A client that waits for `100 Continue` gets this answer instead.
public final class BodyLimit: Sendable {
    /// The largest number of bytes.
    let bytesMax: Int
    /// The answer to more.
    let answer: Response

    /// At most so many bytes, and this answer to more.
    public init(bytesMax: Int, orElse answer: Response) {
        var answer = answer
        answer.closesConnection = true
        self.bytesMax = bytesMax
        self.answer = answer
    }
}
