internal import HTTPFront
internal import Topics

/// One request for events, from its first look at the log to its answer.
///
/// Belongs to its loop. Answers at once when the log has something to tell; else it leaves the
/// parser with its socket, stands in the loop's table, and looks again when it is woken.
final class LongPoll: DetachedSocketOwner {
    let selector: Selector
    /// Where the table keeps it; `nil` while it is in none.
    var place: Int?
    private let request: PollRequest
    // The loop's handler owns every waiting poll through its table, and outlives them.
    private unowned let handler: BusHandler
    private var position: LogPosition
    /// How far it had looked when its wait began; what became visible before is no news to it.
    private var beganAt = EventID.zero
    private var gap: Gap?
    private var socket: DetachedSocket?
    private var isFetching = false

    private enum Step {
        case answer(Response)
        case wait
        case fetch
    }

    init(_ request: PollRequest, on handler: BusHandler) {
        self.request = request
        self.handler = handler
        selector = request.selector
        position = LogPosition(after: .zero)
    }

    /// Answers, or begins to wait.
    func begin(_ exchange: Exchange) throws(Refusal) {
        let first = handler.bus.read(
            from: request.start, matching: selector, filter: request.filter, limit: limit)
        switch take(first) ?? step() {
        case .answer(let response): exchange.respond(response)
        case .wait where request.wait == 0 || exchange.isDraining: exchange.respond(nothing())
        case .wait: try park(exchange)
        case .fetch:
            try park(exchange)
            fetch()
        }
    }

    /// Looks again: something was admitted that may concern it. Must not be in the table.
    func advance() {
        guard socket != nil else { return }
        guard !isFetching else { return handler.subscriptions.insert(self) }
        switch step() {
        case .answer(let response): finish(response)
        case .wait: handler.subscriptions.insert(self)
        case .fetch:
            handler.subscriptions.insert(self)
            fetch()
        }
    }

    /// Ends the wait because its topic was deleted, unless it began behind the place of that in
    /// the order. Must not be in the table.
    func topicRemoved(at place: EventID) {
        guard beganAt < place else { return handler.subscriptions.insert(self) }
        finish(PollAnswer(request: request, cursor: position.after, gap: gap).deleted())
    }

    /// Ends the wait without an event: its time is up, or the bus is leaving.
    func answerWithCursor() {
        handler.subscriptions.remove(self)
        if !isFetching, case .answer(let response) = step() {
            finish(response)
        } else {
            finish(nothing())
        }
    }

    func timedOut(_ socket: DetachedSocket) { answerWithCursor() }

    func peerUncertain(_ socket: DetachedSocket) { answerWithCursor() }

    func closed(_ socket: DetachedSocket) {
        handler.subscriptions.remove(self)
        leave()
    }

    private func park(_ exchange: Exchange) throws(Refusal) {
        let waitingMax = handler.configuration.subscribersMax
        guard handler.service.waiting.value < waitingMax else {
            throw Refusal(
                .limitBus, "\(waitingMax) requests wait already; try again later.")
        }
        guard let socket = exchange.detach(self) else {
            exchange.respond(nothing())
            return
        }
        self.socket = socket
        position.isWaiting = true
        beganAt = position.after
        handler.service.waiting.add(1)
        handler.bus.beginSubscription(selector)
        handler.subscriptions.insert(self)
        socket.setDeadline(milliseconds: Int(request.wait / 1_000))
    }

    private func step() -> Step {
        while true {
            let read = handler.bus.read(
                position, matching: selector, filter: request.filter, limit: limit)
            if let step = take(read) { return step }
        }
    }

    /// What follows from a read; `nil` where the log is to be read again.
    private func take(_ read: LogRead) -> Step? {
        switch read {
        case .events(let events, let next, _):
            position = next
            return .answer(answer.events(events, handler.encodings))
        case .caughtUp(let next):
            position = next
            return gap == nil ? .wait : .answer(nothing())
        case .gap(let told, let next):
            position = next
            gap = Gap(after: gap?.after ?? told.after, through: told.through)
            guard request.isStrict else { return nil }
            return .answer(
                PollAnswer(request: request, cursor: told.through, gap: gap).gone(told))
        case .older(let next):
            position = next
            return .fetch
        }
    }

    private func fetch() {
        guard socket != nil else { return }
        isFetching = true
        // The poll is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let poll = self
        let loop = handler.loop
        handler.bus.readStore(
            position, matching: selector, filter: request.filter, limit: limit
        ) { result in
            loop.post { _ in poll.fetched(result) }
        }
    }

    private func fetched(_ result: Result<LogRead, BusError>) {
        isFetching = false
        guard socket != nil else { return }
        handler.subscriptions.remove(self)
        switch result {
        case .failure(let error): finish(Refusal(error).response)
        case .success(let read):
            if case .answer(let response)? = take(read) { finish(response) } else { advance() }
        }
    }

    private var limit: ReadLimit {
        switch request.form {
        case .raw: ReadLimit(events: 1, bytes: .max)
        case .json: ReadLimit(events: request.eventsMax, bytes: Limits.pollPayloadBytesMax)
        }
    }

    private var answer: PollAnswer {
        PollAnswer(request: request, cursor: position.after, gap: gap)
    }

    private func nothing() -> Response { answer.nothing(handler.encodings) }

    private func finish(_ response: Response) {
        let socket = self.socket
        leave()
        socket?.finish(response)
    }

    private func leave() {
        guard socket != nil else { return }
        socket = nil
        handler.service.waiting.add(-1)
        handler.bus.endSubscription(selector)
    }
}

extension BusHandler {
    /// `GET /topics/{selector}`: waits for events, and answers with those that there are.
    func poll(_ call: borrowing Call) throws(Refusal) {
        let request = try PollRequest(call, configuration)
        do throws(BusError) {
            try bus.checkSubscribable(request.selector)
        } catch {
            throw Refusal(error)
        }
        try LongPoll(request, on: self).begin(call.exchange)
    }
}
