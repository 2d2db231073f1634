internal import Telemetry

/// One request between its head and the end of its answer.
///
/// Confined to its loop's thread.
final class ActiveRequest {
    /// Unique within the loop; never 0.
    let number: UInt64
    /// Bytes of the request line's target.
    var targetBytes = 0
    /// Its line and headers, once checked.
    var head: RequestHead?
    /// The facts about it that an answer needs.
    var context = ResponseContext(keepsAlive: false)
    /// The length of its body as it announces it, also if its head was refused.
    var bodyLength = RequestHead.BodyLength.none
    var body: BodyBuffer
    /// Bytes of its body that have arrived, those thrown away included, without chunk framing.
    private(set) var arrivedBytes: UInt64 = 0
    private var chunks = ChunkDecoder()
    /// The answer that it gets instead of being handled.
    var refusal: Response?
    /// The limit of its body; nil if its head was refused.
    var bodyLimit: BodyLimit?
    /// Bytes of body thrown away.
    private(set) var discarded: UInt64 = 0
    /// Whether its handler runs.
    var isHandled = false
    /// The answer that its handler gave before it returned.
    var response: Response?
    /// Whether its handler took its socket, to answer later or to write a stream.
    var isDetached = false
    /// Whether its answer is still to come: the handler returned without one, or has not seen the
    /// request yet.
    var isPending = false
    /// Whether it is complete and waits for a turn of the loop that has room for it.
    var isPostponed = false
    /// Bytes of its line and headers.
    var headBytes = 0
    /// Steps of a turn that its handler foresees for it, beside those of its bytes.
    var foreseenSteps = 0

    init(number: UInt64, memory: MemoryBudget) {
        self.number = number
        body = BodyBuffer(memory: memory)
    }

    /// Steps that it takes of a turn, once it is complete.
    var steps: Int { steps(bodyBytes: body.count) }

    /// The same with a body of so many bytes.
    ///
    /// They grow with its target, which may be a list of patterns, and with its body.
    func steps(bodyBytes: Int) -> Int {
        HTTPFrontLimits.requestSteps + targetBytes / HTTPFrontLimits.targetBytesPerStep
            + bodyBytes / HTTPFrontLimits.bodyBytesPerStep + foreseenSteps
    }

    /// The length of its body by its Content-Length; 0 without one.
    var declaredBytes: UInt64 { if case .counted(let bytes) = bodyLength { bytes } else { 0 } }
}

// The arrival of its body.
extension ActiveRequest {
    /// Follows the decision of the handler about its body.
    func admit(_ policy: BodyPolicy) {
        switch policy {
        case .refuse(let response):
            refusal = response
        case .upTo(let limit):
            bodyLimit = limit
            guard case .counted(let bytes) = bodyLength else { return }
            if bytes > UInt64(limit.bytesMax) {
                refusal = limit.answer
            } else if !body.hasRoom(for: Int(bytes)) {
                refusal = Self.noRoom
            }
        }
    }

    /// Takes a piece of its body, or refuses it; one that is refused is thrown away.
    func take(_ data: UnsafeRawBufferPointer) {
        arrivedBytes += UInt64(data.count)
        if refusal == nil, let bodyLimit {
            if body.count + data.count > bodyLimit.bytesMax {
                refuse(bodyLimit.answer)
            } else if !body.hasRoom(for: data.count) {
                refuse(Self.noRoom)
            }
        }
        guard refusal == nil else {
            discarded += UInt64(data.count)
            return
        }
        let isCounted = declaredBytes > 0
        body.append(data, bytesMax: isCounted ? Int(declaredBytes) : bodyLimit?.bytesMax ?? 0)
    }

    /// Takes the part of a chunked body that is in `input`, or refuses it.
    ///
    /// - Returns: How many bytes belong to the body, and how far that has come.
    func takeChunks(
        _ input: UnsafeRawBufferPointer
    ) -> (count: Int, progress: ChunkDecoder.Progress) {
        let (count, progress) = chunks.decode(input) { take($0) }
        switch progress {
        case .open, .ended: break
        case .broken(let detail): if refusal == nil { refuse(Problem.malformed(detail).response) }
        case .tooLong: if refusal == nil { refuse(bodyLimit?.answer ?? Self.noRoom) }
        }
        return (count, progress)
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
