internal import Access
internal import HTTPFront
internal import Topics

/// One request for events, from its first look at the log to its answer.
///
/// Belongs to its loop. Answers at once when the log has something to tell; else it takes
/// its socket, stands in the loop's table, and looks again when it is woken.
final class LongPoll: WaitingExchange, HTTPSubscription {
    var reader: LogReader
    var place: SubscriptionTable.Place?
    var caller: Caller { request.caller }
    var account: CallerAccount?
    private let request: ReceiveRequest
    private var gap: Gap?
    /// Whether its time was up during a read beside the loop. The events of that read are still
    /// told.
    private var isOverdue = false
    /// Whether the events that it reads are too much for the loop.
    private var isMaking = false

    private enum Step {
        case answer(Response)
        case wait
        case fetch
    }

    init(_ request: ReceiveRequest, on loop: BusLoop) {
        self.request = request
        reader = LogReader(request.selector, request.filter, from: loop.log, loop.service.memory)
        super.init(on: loop)
    }

    var form: DeliveryForm { request.form.delivery }
    var origin: SocketOrigin? { socket?.origin }

    /// Answers, or begins to wait.
    func begin(_ exchange: Exchange) throws(Refusal) {
        let first = reader.begin(at: request.start, limitAtOnce, within: inlineLimit)
        switch take(first) ?? step() {
        case .answer(let response): exchange.respond(response)
        case .wait where wait == 0 || exchange.isDraining: exchange.respond(nothing())
        case .wait: if try !park(exchange) { exchange.respond(nothing()) }
        case .fetch:
            if try !park(exchange) { reply(by: exchange) }
            fetch()
        }
    }

    func advance(_ news: LogNews?) {
        reauthorize()
        guard isWaiting, !reader.isFetching else { return }
        if let news { reader.skip(to: news.after) }
        switch step(news) {
        case .answer(let response): finish(response)
        case .wait: break
        case .fetch: fetch()
        }
    }

    /// Ends the wait, unless it began behind the place of the removal in the order.
    func topicRemoved(at place: EventID) {
        guard reader.beganAt < place, !isMakingAnswer else { return }
        finish(PollAnswer(request: request, cursor: reader.cursor, gap: gap).deleted())
    }

    func fetched(_ read: Result<LogRead, BusError>, _ made: MadeAnswer?) {
        reauthorize()
        guard isWaiting else { return }
        switch read {
        case .failure(let error): finish(Refusal(error).response)
        case .success(let read):
            let step = reader.take(fetched: read)
            if let made {
                count(read.events)
                finish(answer.made(made.body))
            } else if case .answer(let response)? = take(step) {
                finish(response)
            } else {
                advance(nil)
            }
        }
        // Its time was up, or it has no place to wait.
        if isWaiting, isOverdue || socket == nil, !reader.isFetching { finish(nothingYet()) }
    }

    /// Answers with the events that are there. A read under way is waited for, as long as its
    /// answer can still be sent then.
    override func drain() {
        guard reader.isFetching else { return answerWithCursor() }
        guard let socket, !isOverdue else { return }
        awaitRead(on: socket, atMost: (socket.drainMillisecondsLeft ?? .max) / 2)
    }

    func deny(_ refusal: Refusal) { finish(refusal.response) }

    override func timedOut(_ socket: DetachedSocket) {
        if !reader.isFetching, case .fetch = lookAgain() { fetch() }
        guard isWaiting else { return }
        guard reader.isFetching, !isOverdue else { return finish(nothingYet()) }
        awaitRead(on: socket)
    }

    /// Ends the wait with the result of the read under way, unless that takes too long.
    private func awaitRead(on socket: DetachedSocket, atMost milliseconds: Int = .max) {
        isOverdue = true
        let most = isMaking ? Limits.madeMillisecondsMax : Limits.fetchMillisecondsMax
        socket.setDeadline(milliseconds: min(most, max(0, milliseconds)))
    }

    override func peerUncertain(_ socket: DetachedSocket) {
        if !isMakingAnswer { answerWithCursor() }
    }

    override func reauthorize() { loop.waits.reauthorize(self) }

    /// Ends the wait after a last look: the bus is leaving, or the client may have left.
    private func answerWithCursor() {
        if !reader.isFetching { _ = lookAgain() }
        finish(nothingYet())
    }

    /// The answer without an event. It is a refusal if events were not read in time, or its place
    /// was not found: to say that there is nothing would be wrong then.
    private func nothingYet() -> Response {
        guard reader.isFetching, isMaking || !reader.isPlaced else { return nothing() }
        return Refusal(
            .limitBus,
            "The events were not read in time, because others are answered; try again in a moment."
        ).response
    }

    /// Takes one last look, and answers with the result if there is one.
    private func lookAgain() -> Step {
        loop.waits.skip(self)
        guard isWaiting else { return .wait }
        let step = step()
        if case .answer(let response) = step { finish(response) }
        return step
    }

    /// Begins the wait; false if its socket cannot be detached.
    private func park(_ exchange: Exchange) throws(Refusal) -> Bool {
        try loop.waits.refuseIfFull(request.selector, request.filter, for: exchange.account)
        guard let socket = detach(exchange) else { return false }
        reader.wait()
        loop.waits.subscribe(self, for: exchange.account)
        socket.setDeadline(milliseconds: Int(wait / 1_000))
        return true
    }

    private func step(_ news: LogNews? = nil) -> Step {
        while true {
            if loop.reads.isForOne || reader.isCatchingUp {
                let next = reader.next(limitAtOnce, of: news, within: inlineLimit)
                if let step = take(next) { return step }
            } else if let read = reader.next(
                limitAtOnce, of: news, in: loop.reads, within: inlineLimit)
            {
                if let step = take(LogReader.Step(read.outcome), of: read) { return step }
            } else {
                return .fetch
            }
        }
    }

    /// The step that follows a step of the reader; `nil` if the log is to be read again.
    ///
    /// - Parameter read: The read with that step, if others may have had it too.
    private func take(_ step: LogReader.Step, of read: CoalescedRead? = nil) -> Step? {
        switch step {
        case .events(let events, _):
            count(events)
            return .answer(response(of: events, read))
        case .caughtUp: return gap == nil ? .wait : .answer(nothing())
        case .gap(let told):
            loop.meters.gaps.add()
            gap = gap?.joined(with: told) ?? told
            guard request.isStrict else { return nil }
            return .answer(
                PollAnswer(request: request, cursor: told.through, gap: gap).gone(told))
        case .older: return .fetch
        }
    }

    private func count(_ events: [Event]) {
        let lag = reader.hasNews ? loop.bus.lag(of: events[0]) : nil
        loop.meters.countDelivery(of: events.count, in: form, lag: lag)
    }

    private func fetch() {
        guard isWaiting else { return }
        isMaking = reader.largeBytes > 0
        let (form, gap) = (request.form, gap)
        let bytes = min(limit.bytes, Limits.pollPayloadBytesMax)
        reader.fetch(
            limit, of: bytes, for: self, by: loop.beside, waitsForRoom: socket != nil
        ) { read in
            guard form == .json, case .events(let events, let next, _) = read else {
                return nil
            }
            return (PollAnswer.body(of: events, cursor: next.after, gap: gap), events.count)
        }
    }

    private var wait: Int64 { request.wait ?? loop.configuration.waitDefault }

    private var limit: ReadLimit {
        request.form == .raw
            ? ReadLimit(events: 1, bytes: .max)
            : ReadLimit(
                events: request.eventsMax ?? Limits.pollEventsDefault,
                bytes: Limits.pollPayloadBytesMax)
    }

    /// The limit of a look by the loop itself. A look that many polls share reads for all of them.
    private var limitAtOnce: ReadLimit {
        guard request.form == .json, !loop.reads.areShared else { return limit }
        return ReadLimit(
            events: min(limit.events, Limits.answeredAtOnceEventsMax),
            bytes: Limits.answeredAtOnceBytesMax)
    }

    /// The bytes that the loop itself writes of such a look.
    private var inlineLimit: InlineLimit {
        guard request.form == .json, !loop.reads.areShared else { return .all }
        let bytesMax = loop.budget.isLeft(for: .encodings) ? Limits.answeredAtOnceBytesMax : 0
        return InlineLimit(bytesMax: bytesMax, eventsMax: limit.events)
    }

    private var answer: PollAnswer {
        PollAnswer(request: request, cursor: reader.cursor, gap: gap)
    }

    private func nothing() -> Response { answer.nothing() }

    /// The answer with these events. Other polls that read the same may have had it too.
    private func response(of events: [Event], _ read: CoalescedRead?) -> Response {
        guard let read, gap == nil else { return written(events) }
        return loop.reads.response(of: read, events, before: reader.cursor, to: request) {
            written(events)
        }
    }

    private func written(_ events: [Event]) -> Response {
        let response = answer.events(events, isNews: reader.isLive, loop.encodings)
        if request.form == .json {
            let steps = 1 + response.body.count / Limits.encodedBytesPerStep
            // An answer that others may get as well belongs to their delivery.
            if loop.reads.areShared {
                loop.budget.add(steps)
            } else {
                loop.budget.count(.encodings, steps)
            }
        }
        return response
    }

    /// Whether its events were found, and its answer is being made beside the loop.
    private var isMakingAnswer: Bool { isMaking && reader.isFetching }

    override func forget() { if place != nil { loop.waits.unsubscribe(self) } }
}
