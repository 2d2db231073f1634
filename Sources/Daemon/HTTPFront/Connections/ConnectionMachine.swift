/// The life of a connection as rules without I/O: the ``ConnectionPhase`` that it is in, and the
/// action that each event calls for.
///
/// The loop reports each event, and carries out the ``ConnectionAction`` that comes back
/// (`EventLoop.carryOut`). It also reports its own actions, such as ``park()``.
struct ConnectionMachine {
    private(set) var phase = ConnectionPhase.waiting(.init(isNew: true))
    /// Whether bytes or the end of the stream have arrived that nobody has looked at.
    private(set) var hasInput = false
    /// Whether the peer sends no more.
    private(set) var isReadClosed = false
    /// Whether the next answer must close the connection.
    private(set) var mustClose = false
    /// The part of the answered request that the peer is still sending.
    private(set) var inputLeft = InputLeft.nothing

    enum InputLeft {
        case nothing
        /// An unknown number of bytes.
        case unknown
        /// A body or a message. It has as long to come as any other.
        case body
    }

    /// Whether this socket belongs to a `DetachedSocket` or `WebSocket`.
    var isDetached: Bool {
        switch phase {
        case .parked, .streaming: true
        default: false
        }
    }

    /// Whether a stream has begun; asked at every write.
    var isStreaming: Bool { if case .streaming = phase { true } else { false } }

    /// Whether a request, or more of it, may be read next.
    private var isReading: Bool {
        switch phase {
        case .waiting, .receiving: true
        default: false
        }
    }

    /// Its state between two requests; nil in any other phase.
    var waiting: ConnectionPhase.Waiting? {
        if case .waiting(let waiting) = phase { waiting } else { nil }
    }
}

// Events of a connection.
extension ConnectionMachine {
    /// The poller reports an event of the socket.
    ///
    /// - Parameter hasUnread: Whether bytes wait in the kernel; asked only where it matters.
    mutating func happened(_ event: Poller.ReadyEvent, hasUnread: () -> Bool) -> ConnectionAction {
        if event.isReadClosed || event.isHungUp && isReading { isReadClosed = true }
        switch phase {
        case .waiting(let waiting): return requestBegan(event, waiting, hasUnread)
        case .receiving: return bodyCame(event, hasUnread)
        case .lingering: return .discard(isOver: event.isHungUp)
        case .closed: return .none
        case .handling, .parked, .streaming, .writing: break
        }
        if event.isReadable { hasInput = true }
        switch phase {
        case .streaming:
            if event.isHungUp { isReadClosed = true }
            return .tellStream
        case .handling: return event.isHungUp ? .lose : .none
        case .parked: return event.isHungUp ? .lose : event.isReadClosed ? .examinePeer : .none
        default: return event.isHungUp ? .close : event.isWritable ? .sendRest : .none
        }
    }

    private mutating func requestBegan(
        _ event: Poller.ReadyEvent, _ waiting: ConnectionPhase.Waiting, _ hasUnread: () -> Bool
    ) -> ConnectionAction {
        // Room to write may be late news, of a stream that has ended since the poller was asked.
        guard event.isReadable || event.isReadClosed || event.isHungUp, !hasInput else {
            return .none
        }
        // The end of the stream can be read too; a request that came before it is served.
        if event.isHungUp || event.isReadClosed || !event.isReadable, !hasUnread() { return .close }
        hasInput = true
        return waiting.isIdentifying ? .none : .serve
    }

    private mutating func bodyCame(
        _ event: Poller.ReadyEvent, _ hasUnread: () -> Bool
    ) -> ConnectionAction {
        if event.isHungUp, !hasUnread() { return .close }
        guard event.isReadable || event.isReadClosed || event.isHungUp, !hasInput else {
            return .none
        }
        hasInput = true
        return .serve
    }

    /// The deadline of the loop's wheel passed.
    mutating func deadlinePassed() -> ConnectionAction {
        switch phase {
        case .waiting(let waiting) where waiting.isIdentifying: return .giveUpGroups
        case .waiting(let waiting) where waiting.hasAwaitedBody:
            // The request is served with the part of its body that has come.
            guard !hasInput else { return .none }
            hasInput = true
            return .serve
        case .waiting(let waiting) where waiting.hasBegun: return .refuseLate
        case .waiting, .writing: return .timeOut
        case .receiving: return .refuseLate
        case .parked, .streaming: return .tellDeadline
        case .lingering: return .close
        case .handling, .closed: return .none
        }
    }

    /// The answer has been taken whole by the kernel.
    mutating func answerIsOut(closes: Bool, hasUnread: () -> Bool) -> ConnectionAction {
        let isInputLeft = inputLeft != .nothing || (closes || hasInput) && hasUnread()
        if closes { return isInputLeft ? .linger : .close }
        if isInputLeft {
            move(to: .waiting(.init()))
            hasInput = true
            return .serve
        }
        // The poller told of something to read, and there is nothing: the stream has ended.
        if hasInput || isReadClosed { return .close }
        move(to: .waiting(.init()))
        return .idle
    }

    /// The loop begins to drain.
    ///
    /// - Parameter hasTime: Whether a new connection may still make its first request.
    func drainBegan(hasTime: Bool, hasUnread: () -> Bool) -> ConnectionAction {
        switch phase {
        case .lingering: .linger
        // A request that is on its way in is served, or refused by the handler.
        case .waiting(let waiting) where !hasInput && !hasUnread():
            waiting.isNew && hasTime ? .expectFirstRequest : .close
        case .waiting, .receiving, .handling, .parked, .streaming, .writing, .closed: .none
        }
    }

    /// The time for draining is over.
    func drainEnded() -> ConnectionAction { phase == .closed ? .none : .close }
}

// Actions of the loop.
extension ConnectionMachine {
    private mutating func move(to next: ConnectionPhase) {
        assert(ConnectionPhase.allows(next, after: phase), "\(next) does not follow \(phase)")
        phase = next
    }

    /// The groups of its user are being looked up.
    mutating func identify() {
        guard case .waiting(var waiting) = phase else { return }
        waiting.isIdentifying = true
        phase = .waiting(waiting)
    }

    /// Its user's groups are known, or given up. A request that has begun meanwhile is served. Nil
    /// if it did not wait for the groups.
    mutating func identified() -> ConnectionAction? {
        guard case .waiting(var waiting) = phase, waiting.isIdentifying else { return nil }
        waiting.isIdentifying = false
        phase = .waiting(waiting)
        return hasInput ? .serve : ConnectionAction.none
    }

    /// Its request, or the head of it, was taken. `hasMore` says whether there is more to read
    /// behind that.
    mutating func takeInput(hasMore: Bool) {
        if case .waiting(var waiting) = phase {
            (waiting.isNew, waiting.hasBegun, waiting.hasAwaitedBody) = (false, false, false)
            phase = .waiting(waiting)
        }
        hasInput = hasMore
    }

    /// All input so far has been looked at, and more is to come.
    mutating func awaitMore() { hasInput = false }

    /// A piece of its request's head was seen. It stays in the socket until there is more. True for
    /// the first piece.
    mutating func awaitHead() -> Bool {
        hasInput = false
        guard case .waiting(var waiting) = phase, !waiting.hasBegun else { return false }
        waiting.hasBegun = true
        phase = .waiting(waiting)
        return true
    }

    /// The head of its request was seen, and its body is still to come. False if it was awaited
    /// already, or nothing more comes.
    mutating func awaitBody() -> Bool {
        guard case .waiting(var waiting) = phase, !waiting.hasAwaitedBody, !isReadClosed else {
            return false
        }
        waiting.hasAwaitedBody = true
        phase = .waiting(waiting)
        hasInput = false
        return true
    }

    /// The head of a request was taken without its body.
    mutating func beginBody() { move(to: .receiving) }

    /// A request awaits its turn or its answer.
    mutating func awaitAnswer() { move(to: .handling) }

    /// Its request waits for an owner of the socket to answer it.
    mutating func park() { move(to: .parked) }

    /// The head of a stream is sent.
    mutating func beginStream() { move(to: .streaming) }

    /// An answer was made, and is to be sent.
    mutating func answer() { move(to: .writing) }

    /// Its owner has let go of it; false when it had none.
    mutating func unpark() -> Bool {
        guard isDetached else { return false }
        move(to: .writing)
        return true
    }

    /// The next answer closes the connection.
    mutating func closeBehindAnswer(_ closes: Bool = true) { mustClose = closes }

    /// The peer is still sending `left` when its answer goes out.
    mutating func lingerBehindAnswer(for left: InputLeft) { inputLeft = left }

    /// Nothing more is sent, and all further input is thrown away.
    mutating func linger() { move(to: .lingering) }

    /// Its descriptor is closed.
    mutating func close() { move(to: .closed) }
}
