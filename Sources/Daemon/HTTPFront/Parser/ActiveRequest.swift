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
        /// The handler returned without an answer, or is yet to see the request; the parser, if it
        /// has the request, will ask once more.
        case awaiting
        /// Suspended in the parser until the answer is there, or its turn has come.
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
    /// Whether the handler returned without an answer, and none has come yet; or has not seen the
    /// request yet.
    var isPending = false
    /// Whether it is complete and waits for a turn of the loop that has room for it.
    var isPostponed = false
    /// Bytes of its line and headers.
    var headBytes = 0
    /// Whether the connection is to be closed without an answer.
    var isAbandoned = false
    /// The rules that its head was judged by.
    var rulesNumber: UInt64 = 0
    /// Whether its socket leaves the parser with its answer, so that the next head is looked at.
    var leavesParser = false

    /// What its handler foresees of what it takes of a turn, beside its bytes.
    var foreseenSteps = 0

    /// What it takes of a turn, once it is complete.
    var steps: Int {
        Self.steps(targetBytes: target.count, bodyBytes: body.count) + foreseenSteps
    }

    /// What a request takes of a turn: its work grows with its target, which may be a list of patterns,
    /// and with its body.
    static func steps(targetBytes: Int, bodyBytes: Int) -> Int {
        HTTPFrontLimits.requestSteps + targetBytes / HTTPFrontLimits.targetBytesPerStep
            + bodyBytes / HTTPFrontLimits.bodyBytesPerStep
    }

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

// How it arrives.
extension ActiveRequest {
    /// Takes its head from its line and headers, or refuses it.
    func judge(_ line: ParsedLine, _ intake: HeaderIntake, by rules: RequestRules, from peer: Peer)
    {
        let method = line.methodBytes
        let version = HTTPVersion(line.versionBytes) ?? .http11
        do throws(Problem) {
            guard !intake.isCut || intake.isFolded else {
                throw .malformed(UnreadHead.nulByte)
            }
            let head = try target.withUnsafeBytes { target in
                Result { () throws(Problem) in
                    try rules.head(
                        method: method, target: target, version: version,
                        headers: intake.fields, isFolded: intake.isFolded, peer: peer)
                }
            }.get()
            self.head = head
            context = head.responseContext
        } catch {
            context = ResponseContext(
                version: version, isHead: method.elementsEqual("HEAD".utf8))
            refusal = error.response
        }
    }

    /// Goes by what the handler says of its body.
    func admit(_ admission: BodyAdmission, length: RequestHead.BodyLength) {
        switch admission {
        case .refuse(let response):
            refusal = response
        case .upTo(let bytesMax, var answer):
            answer.closesConnection = true
            oversize = (bytesMax, answer)
            guard case .counted(let bytes) = length else { return }
            if bytes > UInt64(bytesMax) {
                refusal = answer
            } else if !body.hasRoom(for: Int(bytes)) {
                refusal = Self.noRoom
            }
        }
    }

    /// Takes a piece of its body, or refuses it; one that is refused is thrown away.
    func take(_ data: UnsafeRawBufferPointer) {
        if refusal == nil, let oversize {
            if body.count + data.count > oversize.bytesMax {
                refuse(oversize.answer)
            } else if !body.hasRoom(for: data.count) {
                refuse(Self.noRoom)
            }
        }
        guard refusal == nil else {
            discarded += UInt64(data.count)
            return
        }
        let isCounted = declaredBytes > 0
        body.append(data, bytesMax: isCounted ? Int(declaredBytes) : oversize?.bytesMax ?? 0)
    }

    private func refuse(_ answer: Response) {
        discarded = UInt64(body.count)
        body.clear()
        refusal = answer
    }

    private static var noRoom: Response {
        Problem.overloaded("Bodies fill their share of memory.").response
    }
}
