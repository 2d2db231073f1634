/// One request between its request line and the end of its answer.
///
/// Confined to its loop's thread.
final class ActiveRequest {
    /// How far the request has come.
    enum Stage {
        /// The request line is there, the headers are not.
        case line
        /// The headers are there and judged; the body is arriving, if there is one.
        case body
        /// The handler runs.
        case handling
        /// The handler returned without an answer; the parser, if it has the request, will ask once
        /// more.
        case awaiting
        /// Suspended in the parser until the answer is there.
        case suspended
        /// Given back to the parser, which will ask once more.
        case resumed
        /// The parser has the answer.
        case answered
    }

    /// Unique within the loop; never 0.
    let number: UInt64
    /// The request line's target as it was sent; empty of one that is not parsed.
    let target: [UInt8]
    /// Where in the parser's memory the target ends, nil outside it; only compared, never read
    /// through.
    let targetEnd: UnsafeRawPointer?

    var stage = Stage.line
    /// Its line and headers, once checked.
    var head: RequestHead?
    /// What an answer has to know of it.
    var context = ResponseContext(keepsAlive: false)
    var body: BodyBuffer
    /// What it is answered instead of being handled.
    var refusal: Response?
    /// The answer to a body above its maximum.
    var oversize: (bytesMax: Int, answer: Response)?
    /// Bytes of body thrown away.
    var discarded: UInt64 = 0
    /// The answer that came after the handler returned.
    var answer: Response?
    /// Whether the handler returned without an answer, and none has come yet.
    var isPending = false
    /// Bytes of its line and headers.
    var headBytes = 0
    /// Whether the connection is to be closed without an answer.
    var isAbandoned = false
    /// The rules that its head was judged by.
    var rulesNumber: UInt64 = 0
    /// Whether its socket leaves the parser with its answer, so that the next head is looked at.
    var leavesParser = false

    /// How long its Content-Length says the body is; 0 without one.
    var declaredBytes: UInt64 {
        if case .counted(let bytes)? = head?.bodyLength { bytes } else { 0 }
    }

    /// One whose line the parser has read.
    init(number: UInt64, target: UnsafeRawBufferPointer, body: consuming BodyBuffer) {
        self.number = number
        self.target = Array(target)
        targetEnd = target.baseAddress! + target.count
        self.body = body
    }

    /// One whose head is known, which is not parsed.
    init(number: UInt64, of head: KnownHead, body: consuming BodyBuffer) {
        self.number = number
        target = []
        targetEnd = nil
        self.body = body
        context = head.context
        stage = .handling
    }
}
