internal import Access
internal import HTTPFront
internal import Topics

/// One request for events, from its first look at the log to its answer.
///
/// Belongs to its loop. Answers at once when the log has something to tell; else it leaves the
/// parser with its socket, stands in the loop's table, and looks again when it is woken.
final class LongPoll: HTTPSubscription, DetachedSocketOwner {
    var reader: LogReader
    var place: SubscriptionTable.Place?
    var caller: Caller { request.caller }
    var account: CallerAccount?
    var accessNumber: UInt32 = 0
    private(set) var request: ReceiveRequest
    /// What its head was known by; nil when it was parsed.
    private let known: KnownPoll?
    // The loop's handler owns every waiting poll through its table, and outlives them.
    unowned let handler: BusHandler
    private var gap: Gap?
    private var socket: DetachedSocket?
    /// Where it stood in the loop's table last.
    private var group: SubscriptionGroup?
    /// Whether its time was up while the store was reading: what that finds is still told.
    private var isOverdue = false

    private enum Step {
        case answer(Response)
        case wait
        case fetch
    }

    init(_ request: ReceiveRequest, of known: KnownPoll? = nil, on handler: BusHandler) {
        self.request = request
        self.known = known
        self.handler = handler
        reader = LogReader(
            request.selector, request.filter, from: handler.bus, handler.service.memory)
    }

    var form: DeliveryForm { request.form.delivery }

    /// Whether it can begin anew for a request with this head and this name, empty for its own.
    func isRepeated(by known: KnownPoll, _ name: UnsafeRawBufferPointer) -> Bool {
        self.known === known
            && (name.isEmpty || request.selector.singleName?.text.utf8.elementsEqual(name) == true)
    }

    /// Begins anew, after an earlier wait was answered, where `text` says.
    func begin(at text: String, _ exchange: Exchange) throws(Refusal) {
        assert(socket == nil && !reader.isFetching, "a poll begins anew once it was answered")
        try request.begin(at: text)
        try handler.admit(request, exchange)
        reader = LogReader(
            request.selector, request.filter, from: handler.bus, handler.service.memory)
        gap = nil
        isOverdue = false
        try begin(exchange)
    }

    /// Answers, or begins to wait.
    func begin(_ exchange: Exchange) throws(Refusal) {
        let first = reader.begin(at: request.start, limit)
        switch take(first) ?? step() {
        case .answer(let response): exchange.respond(response)
        case .wait where wait == 0 || exchange.isDraining: exchange.respond(nothing())
        case .wait: try park(exchange)
        case .fetch:
            try park(exchange)
            fetch()
        }
    }

    func advance(_ news: LogNews?) {
        handler.judge(self)
        guard socket != nil, !reader.isFetching else { return }
        if let news { reader.skip(to: news.after) }
        switch step(news) {
        case .answer(let response): finish(response)
        case .wait: break
        case .fetch: fetch()
        }
    }

    /// Ends the wait, unless it began behind the place of the removal in the order.
    func topicRemoved(at place: EventID) {
        guard reader.beganAt < place else { return }
        finish(PollAnswer(request: request, cursor: reader.cursor, gap: gap).deleted())
    }

    func fetched(_ read: Result<LogRead, BusError>) {
        handler.judge(self)
        guard socket != nil else { return }
        switch read {
        case .failure(let error): finish(Refusal(error).response)
        case .success(let read):
            if case .answer(let response)? = take(reader.take(fetched: read)) {
                finish(response)
            } else {
                advance(nil)
            }
        }
        if isOverdue, socket != nil, !reader.isFetching { finish(nothing()) }
    }

    func drain() { answerWithCursor() }

    func forbidden(_ refusal: Refusal) { finish(refusal.response) }

    func timedOut(_ socket: DetachedSocket) {
        guard reader.isFetching, !isOverdue else { return answerWithCursor() }
        isOverdue = true
        socket.setDeadline(milliseconds: Limits.fetchMillisecondsMax)
    }

    func peerUncertain(_ socket: DetachedSocket) { answerWithCursor() }

    func closed(_ socket: DetachedSocket) { leave() }

    /// Ends the wait without an event: its time is up, or the bus is leaving.
    private func answerWithCursor() {
        handler.skip(self)
        guard socket != nil else { return }
        if !reader.isFetching, case .answer(let response) = step() {
            finish(response)
        } else {
            finish(nothing())
        }
    }

    private func park(_ exchange: Exchange) throws(Refusal) {
        try handler.refuseIfFull(request.selector, for: exchange.account)
        guard let socket = exchange.detach(self) else {
            exchange.respond(nothing())
            return
        }
        self.socket = socket
        reader.wait()
        group = handler.join(self, for: exchange.account, near: group)
        socket.setDeadline(milliseconds: Int(wait / 1_000))
    }

    private func step(_ news: LogNews? = nil) -> Step {
        while true {
            if handler.reads.isForOne || reader.isCatchingUp {
                if let step = take(reader.next(limit, of: news)) { return step }
            } else {
                let read = reader.next(limit, of: news, in: handler.reads)
                if let step = take(LogReader.Step(read.outcome), of: read) { return step }
            }
        }
    }

    /// What follows from a step; `nil` where the log is to be read again.
    ///
    /// - Parameter read: The read that the step is of, where others may have had it too.
    private func take(_ step: LogReader.Step, of read: SharedRead? = nil) -> Step? {
        switch step {
        case .events(let events, _):
            let lag = reader.hasNews ? handler.bus.lag(of: events[0]) : nil
            handler.meters.countDelivery(of: events.count, in: form, lag: lag)
            return .answer(response(of: events, read))
        case .caughtUp: return gap == nil ? .wait : .answer(nothing())
        case .gap(let told):
            handler.meters.gaps.add()
            gap = gap?.joined(with: told) ?? told
            guard request.isStrict else { return nil }
            return .answer(
                PollAnswer(request: request, cursor: told.through, gap: gap).gone(told))
        case .older: return .fetch
        }
    }

    private func fetch() {
        guard socket != nil else { return }
        reader.fetch(limit, for: self, by: handler.service.longReads, on: handler.loop)
    }

    private var wait: Int64 { request.wait ?? handler.configuration.waitDefault }

    private var limit: ReadLimit {
        request.form == .raw
            ? ReadLimit(events: 1, bytes: .max)
            : ReadLimit(
                events: request.eventsMax ?? Limits.pollEventsDefault,
                bytes: Limits.pollPayloadBytesMax)
    }

    private var answer: PollAnswer {
        PollAnswer(request: request, cursor: reader.cursor, gap: gap)
    }

    private func nothing() -> Response { answer.nothing() }

    /// The answer of these events, which others who read the same may have had.
    private func response(of events: [Event], _ read: SharedRead?) -> Response {
        guard let read, gap == nil else {
            return answer.events(events, isNews: reader.isLive, handler.encodings)
        }
        return read.response(to: request) {
            answer.events(events, isNews: reader.isLive, handler.encodings)
        }
    }

    private func finish(_ response: Response) {
        let socket = self.socket
        leave()
        socket?.finish(response)
    }

    private func leave() {
        guard socket != nil else { return }
        socket = nil
        handler.leave(self)
    }
}
