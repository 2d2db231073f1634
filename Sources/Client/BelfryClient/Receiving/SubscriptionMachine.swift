internal import Topics
internal import Wire

/// The state machine of a subscription: the rules of one stream after another, without any I/O.
///
/// | phase     | it waits for | ended by |
/// |-----------|--------------|----------|
/// | idle      | to connect   | ``step()`` |
/// | opening   | the head     | 200: streaming; else refused; a break: idle |
/// | refused   | the body     | the end: idle where it passes, else ended |
/// | streaming | lines        | the end or a break: idle, or ended at the last id that is wanted |
/// | ended     | nothing      | |
struct SubscriptionMachine {
    /// The next action of its owner.
    enum Step {
        /// Hands this on.
        case deliver(Delivery)
        /// Opens a stream from here, after so many milliseconds.
        case connect(since: String, afterMilliseconds: Int)
        /// Waits for the next piece of the stream.
        case read
        /// Says that it has ended.
        case end
        /// Says why it failed, once; then it has ended.
        case fail(ClientError)
    }

    private enum Phase {
        case idle(attempt: Int)
        case opening(attempt: Int)
        case refused(AnswerHead, [UInt8], attempt: Int)
        case streaming
        case failed(ClientError)
        case ended
    }

    /// Why the last connection brought no stream; nil if none was tried, or it brought one.
    private(set) var trouble: ClientError?
    private let start: StartPosition
    /// The last id that is wanted; nil for a subscription that goes on.
    private let through: EventID?
    private var phase = Phase.idle(attempt: 0)
    private var lines = LineBuffer()
    private var reader = StreamLineReader()
    /// Everything up to here was delivered, told, or is not wanted; nil before the bus said where
    /// the start is.
    private(set) var cursor: EventID?
    /// Returns a random number from 0 up to the given one. Delays come from it.
    private let random: @Sendable (Int) -> Int

    init(
        from start: StartPosition, through: EventID?, random: @escaping @Sendable (Int) -> Int
    ) {
        self.start = start
        self.through = through
        self.random = random
    }

    /// The bytes that it holds.
    var heldBytes: Int {
        guard case .refused(_, let body, _) = phase else { return lines.count }
        return body.count
    }

    /// Whether it is over.
    var hasEnded: Bool { if case .ended = phase { true } else { false } }

    mutating func step() -> Step {
        switch phase {
        case .ended: return .end
        case .failed(let error):
            phase = .ended
            return .fail(error)
        case .idle(let attempt):
            phase = .opening(attempt: attempt)
            return .connect(
                since: Since.text(cursor.map { .after($0) } ?? start),
                afterMilliseconds: attempt == 0 ? 0 : random(Self.delayMilliseconds(attempt)))
        case .opening, .refused: return .read
        case .streaming:
            if let delivery = ready() { return .deliver(delivery) }
            if case .streaming = phase { return .read }
            return step()
        }
    }

    /// The most that the `attempt`th reconnection is put off.
    static func delayMilliseconds(_ attempt: Int) -> Int {
        min(
            Limits.reconnectMillisecondsFirst << min(attempt - 1, 20),
            Limits.reconnectMillisecondsMax)
    }

    /// The next event or gap in the lines that came; nil if there is none. A line that ends or
    /// breaks the subscription changes the phase.
    mutating func ready() -> Delivery? {
        guard case .streaming = phase else { return nil }
        while let line = nextLine() {
            switch line {
            case .heartbeat: continue
            case .unknown:
                phase = .failed(.malformedAnswer("a line of a stream says nothing known"))
                return nil
            case .cursor(let id): cursor = id
            case .gap(let gap): return .gap(gap)
            case .event(let event):
                if let through, event.id > through {
                    phase = .ended
                    return nil
                }
                cursor = event.id
                return .event(event)
            }
        }
        if lines.count > Limits.lineBytesMax {
            phase = .failed(.malformedAnswer("a line does not end"))
        }
        return nil
    }

    private mutating func nextLine() -> StreamLine? {
        // Taken out, so that the bytes are not copied while both are used.
        var reader = reader
        defer { self.reader = reader }
        return lines.withLine { reader.read($0) }
    }

    // MARK: Input from the stream

    mutating func take(_ head: AnswerHead) {
        guard case .opening(let attempt) = phase else { return }
        guard head.status == 200 else {
            phase = .refused(head, [], attempt: attempt)
            return
        }
        guard let text = head["event-cursor"], let id = EventID(decimal: text) else {
            phase = .failed(.malformedAnswer("a stream begins without Event-Cursor"))
            return
        }
        if cursor == nil { cursor = id }
        trouble = nil
        phase = .streaming
    }

    mutating func take(_ bytes: [UInt8]) {
        switch phase {
        case .streaming: lines.append(bytes)
        case .refused(let head, let body, let attempt):
            let rest = bytes.prefix(Limits.refusalBytesMax - body.count)
            phase = .refused(head, body + rest, attempt: attempt)
        case .idle, .opening, .failed, .ended: break
        }
    }

    /// The stream is over; everything of it was taken and stepped through before.
    mutating func take(_ end: TransferEnd) {
        lines.clear()
        switch phase {
        case .ended, .failed, .idle: break
        case .streaming:
            if end == .complete, let through, let cursor, cursor >= through {
                phase = .ended
            } else {
                phase = .idle(attempt: 1)
            }
        case .refused(let head, let body, let attempt):
            let refusal = WholeAnswer(head: head, body: body).refusal
            retry(.refused(refusal), attempt, mayPass: refusal.isPassing)
        case .opening(let attempt):
            switch end {
            case .untrusted(let detail): phase = .failed(.untrusted(detail))
            case .uncertified(let detail): retry(.uncertified(detail), attempt)
            case .broken(let detail, _): retry(.unreachable(detail), attempt)
            case .complete: retry(.malformedAnswer("it has no head"), attempt)
            case .cancelled:
                phase = cursor == nil ? .ended : .idle(attempt: attempt + 1)
            }
        }
    }

    /// Once it has begun, it waits for a bus that does not answer.
    private mutating func retry(
        _ error: ClientError, _ attempt: Int, mayPass: Bool = true
    ) {
        guard cursor != nil, mayPass else { return phase = .failed(error) }
        trouble = error
        phase = .idle(attempt: attempt + 1)
    }

    /// The trouble to tell before the next connection, once for an interruption; else nil.
    var interruption: ClientError? {
        guard case .idle(Limits.toldAttempt) = phase else { return nil }
        return trouble
    }

    mutating func cancel() {
        phase = .ended
        lines.clear()
    }
}
