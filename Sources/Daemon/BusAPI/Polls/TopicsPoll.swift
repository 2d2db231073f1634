internal import Access
internal import HTTPFront
internal import Topics

/// One request for the topics that changed, from its arrival to its answer.
///
/// Belongs to its loop. It waits as a reader of these topics does, and is no subscriber: no event is
/// for it. What changed is looked up and written beside the loop, by the turns of ``LongReads``.
final class TopicsPoll: HTTPSubscription, DetachedSocketOwner {
    var reader: LogReader
    var place: SubscriptionTable.Place?
    let caller: Caller
    var account: CallerAccount?
    var accessNumber: UInt32 = 0
    // The loop's handler owns every waiting poll through its table, and outlives them.
    private unowned let handler: BusHandler
    private let since: ListCursor?
    /// How long it waits, in microseconds.
    private let wait: Int64
    /// How it is answered; nil before it began and once it was.
    private var path: AnswerPath?
    /// Whose line its looks stand in.
    private var payer: CallerAccount?
    /// The look that is under way.
    private var look: Cancellation?
    /// Whether something changed since that began.
    private var looksAgain = false
    /// Whether it is answered by its next look, whatever that finds.
    private var isOver = false

    init(
        of selector: Selector, since: ListCursor?, within wait: Int64, by caller: Caller,
        on handler: BusHandler
    ) {
        self.since = since
        self.wait = wait
        self.caller = caller
        self.handler = handler
        reader = LogReader(
            selector, EventFilter(type: nil, key: nil), from: handler.log, handler.service.memory)
    }

    var form: DeliveryForm { .json }
    var origin: SocketOrigin? { path?.socket?.origin }

    var isSubscriber: Bool { false }

    /// Looks, and waits where nothing changed.
    func begin(_ exchange: Exchange) throws(Refusal) {
        let waits = wait > 0 && !exchange.isDraining
        if waits { try handler.refuseIfFull(reader.selector, for: exchange.account) }
        payer = exchange.account
        path = AnswerPath(to: exchange, for: self)
        if waits, let socket = path?.socket {
            handler.join(self, for: exchange.account)
            socket.setDeadline(milliseconds: Int(wait / 1_000))
        } else {
            isOver = true
            path?.socket?.setDeadline(milliseconds: Limits.madeMillisecondsMax)
        }
        lookUp()
    }

    /// Looks up what changed; where a look is under way, once more behind it.
    private func lookUp() {
        guard path != nil else { return }
        guard look == nil else {
            looksAgain = true
            return
        }
        looksAgain = false
        let cancellation = Cancellation()
        look = cancellation
        let (asked, bus, service) = (reader.selector, handler.bus, handler.service)
        let mark = service.mark(of: asked)
        let changes = bus.changes(since: since?.moment(of: mark), matching: asked)
        let bytes = service.answers.guess(bus.statistics.topics * Limits.listedTopicBytes)
        // Without a socket of its own nothing would end its wait for room.
        let room = service.answers.room(for: bytes, waits: path?.socket != nil)
        // This is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let poll = self
        service.longReads.add(for: payer, unless: cancellation, in: room) { [loop = handler.loop] in
            if bus.turn(of: changes) { return true }
            let answer = TopicsAnswer(changes, next: ListCursor(changes.next, mark))
            let isEmpty = changes.isEmpty
            let response = answer.response(in: room)
            loop.post { _ in
                guard !cancellation.isCancelled else { return }
                poll.found(response, isEmpty: isEmpty, of: asked)
            }
            return false
        }
    }

    private func found(_ response: Response, isEmpty: Bool, of asked: Selector) {
        look = nil
        // What new rules hide is not told, however long ago it was looked up.
        handler.judge(self)
        guard path != nil, look == nil else { return }
        guard reader.selector == asked else { return lookUp() }
        guard isEmpty, !isOver else { return finish(response) }
        if looksAgain { lookUp() }
    }

    func advance(_ news: LogNews?) {
        handler.judge(self)
        lookUp()
    }

    // It is told as any other change.
    func topicRemoved(at place: EventID) {}

    func fetched(_ read: Result<LogRead, BusError>, _ made: MadeAnswer?) {
        preconditionFailure("a list of topics reads no events")
    }

    func forbidden(_ refusal: Refusal) { finish(refusal.response) }

    func drain() { end() }

    func peerUncertain(_ socket: DetachedSocket) { end() }

    func timedOut(_ socket: DetachedSocket) {
        guard !isOver else {
            return finish(
                Refusal(
                    .limitBus,
                    "The topics were not looked at in time, because others are answered; try again in "
                        + "a moment."
                ).response)
        }
        socket.setDeadline(milliseconds: Limits.madeMillisecondsMax)
        end()
    }

    func closed(_ socket: DetachedSocket) { leave() }

    /// Waits no longer: answers with what has changed by now.
    private func end() {
        isOver = true
        if look == nil { lookUp() }
    }

    private func finish(_ response: Response) {
        let path = path
        leave()
        path?.send(response)
    }

    private func leave() {
        path = nil
        look?.cancel()
        look = nil
        if place != nil { handler.leave(self) }
    }
}
