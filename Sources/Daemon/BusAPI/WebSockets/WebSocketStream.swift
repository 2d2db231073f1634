internal import HTTPFront
internal import Protection
internal import Topics

/// One WebSocket: a stream of events goes out of it, and its client's messages come in.
///
/// Belongs to its loop. Answers to published messages go between the events, in the order of the
/// messages. When the stream ends nothing more is read. The socket closes when every message that
/// was read before has its answer.
final class WebSocketStream: StreamSink, WebSocketOwner {
    private var socket: WebSocket?
    private let publisher: MessagePublisher
    // The loop outlives its sockets.
    private unowned let loop: BusLoop
    private let handle: LoopHandle
    private let meters: BusMeters
    private let account: CallerAccount
    /// The stream of events; nil once it has ended.
    private var stream: StreamingResponse?
    private var ending: StreamEnd?
    /// Whether the last beat was one without a ping.
    private var owesPing = false
    private var answers = PublishAcknowledgements()
    /// Nil until the client publishes, which most do not.
    private var outcomes: PublishCompletionQueue?

    /// Takes the socket of a request for `stream`; nil if that cannot be.
    init?(
        _ exchange: Exchange, for stream: StreamingResponse, _ publisher: MessagePublisher,
        on loop: BusLoop
    ) throws(Refusal) {
        self.publisher = publisher
        self.loop = loop
        handle = loop.handle
        meters = loop.meters
        account = exchange.account
        self.stream = stream
        do throws(Problem) {
            socket = try exchange.detachWebSocket(
                self, messageBytesMax: publisher.messageBytesMax(loop.configuration))
        } catch {
            throw Refusal(error)
        }
        guard socket != nil else { return nil }
    }

    // MARK: The stream

    var framing: StreamFraming { .messages }

    var source: SocketOrigin? { socket?.origin }

    var isWritable: Bool { socket?.isWritable == true }

    var hasTurn: Bool { socket?.hasTurn == true }
    var hasTurnForMuch: Bool { socket?.hasTurnForMuch == true }

    func rest() { socket?.rest() }

    func finish(_ answer: Response) {
        stream = nil
        socket?.refuse(answer)
        socket = nil
    }

    func beginStream(_ head: Response, first: ResponseBody) {
        socket?.open(headers: head.headers, first: first)
    }

    func write(_ piece: ResponseBody) -> Bool { socket?.write(piece) == true }

    /// Pings at every second beat: every 30 s by default.
    func beat() {
        if owesPing { socket?.ping() }
        owesPing.toggle()
    }

    func setDeadline(milliseconds: Int?) { socket?.setDeadline(milliseconds: milliseconds) }

    func end(_ reason: StreamEnd) {
        stream = nil
        ending = reason
        socket?.pauseReading()
        goOn()
    }

    // MARK: The socket

    func received(_ message: WebSocketMessage, on socket: WebSocket) {
        guard ending == nil else { return }
        if outcomes == nil { outcomes = PublishCompletionQueue() }
        var ref: MessageRef?
        do throws(Refusal) {
            let batch = try publisher.batch(of: message, ref: &ref, loop.configuration)
            let number = answers.await(ref, bytes: batch.payloads[0].count)
            publish(batch, number)
        } catch {
            refuse(answers.await(ref, bytes: 0), error)
        }
        if answers.isFull { socket.pauseReading() }
    }

    func writable(_ socket: WebSocket) {
        goOn()
        stream?.writable()
    }

    func timedOut(_ socket: WebSocket) { stream?.timedOut() }

    func stalled(_ socket: WebSocket) {
        if let stream { stream.stalled() } else { close(.stalled) }
    }

    func closed(_ socket: WebSocket) {
        self.socket = nil
        stream?.closed()
        stream = nil
    }

    // MARK: Answers

    private func publish(_ batch: PublishBatch, _ number: Int) {
        // The thread that commits touches `outcomes`, `meters` and `handle`, which are Sendable; all
        // else is touched on the loop.
        nonisolated(unsafe) let socket = self
        let queued: QueuedBytes
        do throws(Refusal) {
            queued = try loop.queue(batch.queuedBytes, for: account)
        } catch {
            return refuse(number, error)
        }
        loop.bus.publish(batch) { result in
            queued.end()
            switch result {
            case .success(let receipt): socket.settle(number, .success(receipt.last))
            case .failure(let error): socket.refuse(number, Refusal(error))
            }
        }
    }

    /// Notes that a message was not published, from any thread.
    private func refuse(_ number: Int, _ refusal: Refusal) {
        meters.refusals.add(refusal.problem.code)
        settle(number, .failure(refusal))
    }

    /// Notes the outcome of a message, from any thread. The loop answers once for many.
    private func settle(_ number: Int, _ outcome: PublishAcknowledgements.Outcome) {
        guard outcomes?.add(number, outcome) == true else { return }
        // The job runs on the loop.
        nonisolated(unsafe) let socket = self
        handle.post { _ in socket.answer() }
    }

    private func answer() {
        for (number, outcome) in outcomes?.take() ?? [] { answers.settle(number, outcome) }
        goOn()
    }

    /// Sends the answers that are there, reads more messages, or closes behind the last answer.
    private func goOn() {
        guard let socket else { return }
        if socket.isWritable {
            let wasFull = answers.isFull
            let frames = answers.take()
            if !frames.isEmpty { socket.write(.bytes(frames)) }
            if wasFull, !answers.isFull, ending == nil { socket.resumeReading() }
        }
        if let ending, ending == .stalled || answers.isEmpty { close(ending) }
    }

    private func close(_ reason: StreamEnd) {
        switch reason {
        case .finished: socket?.close(.normal, "")
        case .deleted: socket?.close(.deleted, "The topic was deleted.")
        case .draining: socket?.close(.restart, "The bus is shutting down.")
        case .stalled: socket?.close(.tryLater, "Nothing was read for too long.")
        case .uncertain: socket?.close(.leaving, "")
        case .forbidden: socket?.close(.forbidden, "This may not be received any more.")
        case .failed: socket?.close(.failed, "The store did not answer.")
        }
        socket = nil
    }
}

/// The outcomes of the messages that one WebSocket published. The threads that commit add them, and
/// the loop is woken once for all.
///
/// Safe from any thread.
final class PublishCompletionQueue: Sendable {
    typealias Settled = (number: Int, outcome: PublishAcknowledgements.Outcome)

    private let settled = Protected<[Settled]>([])

    /// Adds the outcome of a message; true if it is the first since they were taken.
    func add(_ number: Int, _ outcome: PublishAcknowledgements.Outcome) -> Bool {
        settled.write { settled in
            settled.append((number, outcome))
            return settled.count == 1
        }
    }

    /// Hands over the outcomes since the last call.
    func take() -> [Settled] {
        settled.write { settled in
            let taken = settled
            settled = []
            return taken
        }
    }
}
