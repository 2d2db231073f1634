internal import Access
internal import HTTPFront
internal import Topics

/// One request for the topics that changed, from its arrival to its answer.
///
/// Belongs to its loop. It waits as a reader of these topics does, and is no subscriber: no event
/// is for it. The changes are looked up and written beside the loop, by the turns of ``BackgroundReads``.
final class TopicsPoll: WaitingExchange, HTTPSubscription {
    var reader: LogReader
    var place: SubscriptionTable.Place?
    let caller: Caller
    var account: CallerAccount?
    private let since: ListCursor?
    /// How long it waits, in microseconds.
    private let wait: Int64
    /// The account in whose line its looks wait.
    private var payer: CallerAccount?
    /// The look that is under way.
    private var look: Cancellation?
    /// Whether something changed since that began.
    private var looksAgain = false
    /// Whether its next look is its answer, even if that finds no change.
    private var isOver = false

    init(
        of selector: Selector, since: ListCursor?, within wait: Int64, by caller: Caller,
        on loop: BusLoop
    ) {
        self.since = since
        self.wait = wait
        self.caller = caller
        reader = LogReader(
            selector, EventFilter(type: nil, key: nil), from: loop.log, loop.service.memory)
        super.init(on: loop)
    }

    var form: DeliveryForm { .json }
    var origin: SocketOrigin? { socket?.origin }

    var isSubscriber: Bool { false }

    /// Looks, and waits if nothing changed.
    func begin(_ exchange: Exchange) throws(Refusal) {
        let waits = wait > 0 && !exchange.isDraining
        if waits { try loop.waits.refuseIfFull(reader.selector, .all, for: exchange.account) }
        payer = exchange.account
        park(exchange, for: waits ? wait : Int64(Limits.madeMillisecondsMax) * 1_000)
        if waits, socket != nil {
            loop.waits.subscribe(self, for: exchange.account)
        } else {
            isOver = true
        }
        lookUp()
    }

    /// Looks up the changes. If a look is under way, it looks once more behind that.
    private func lookUp() {
        guard isWaiting else { return }
        guard look == nil else {
            looksAgain = true
            return
        }
        looksAgain = false
        let cancellation = Cancellation()
        look = cancellation
        let (asked, bus, service) = (reader.selector, loop.bus, loop.service)
        let mark = service.mark(of: asked)
        let changes = bus.changes(since: since?.moment(of: mark), matching: asked)
        let bytes = service.answers.guess(bus.statistics.topics * Limits.listedTopicBytes)
        // Without a socket of its own nothing would end its wait for room.
        let room = service.answers.room(for: bytes, waits: socket != nil)
        // This is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let poll = self
        service.backgroundReads.add(for: payer, unless: cancellation, in: room) {
            [handle = loop.handle] in
            if bus.turn(of: changes) { return true }
            let answer = TopicsAnswer(changes, next: ListCursor(changes.next, mark))
            let isEmpty = changes.isEmpty
            let response = answer.response(in: room)
            handle.post { _ in
                guard !cancellation.isCancelled else { return }
                poll.found(response, isEmpty: isEmpty, of: asked)
            }
            return false
        }
    }

    private func found(_ response: Response, isEmpty: Bool, of asked: Selector) {
        look = nil
        // Changes that new rules hide are not told, however long ago they were looked up.
        reauthorize()
        guard isWaiting, look == nil else { return }
        guard reader.selector == asked else { return lookUp() }
        guard isEmpty, !isOver else { return finish(response) }
        if looksAgain { lookUp() }
    }

    func advance(_ news: LogNews?) {
        reauthorize()
        lookUp()
    }

    // It is told as any other change.
    func topicRemoved(at place: EventID) {}

    func fetched(_ read: Result<LogRead, BusError>, _ made: MadeAnswer?) {
        preconditionFailure("a list of topics reads no events")
    }

    func deny(_ refusal: Refusal) { finish(refusal.response) }

    override func reauthorize() { loop.waits.reauthorize(self) }

    override func timedOut(_ socket: DetachedSocket) {
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

    /// Waits no longer: answers with the changes until now.
    override func end() {
        isOver = true
        if look == nil { lookUp() }
    }

    override func forget() {
        look?.cancel()
        look = nil
        if place != nil { loop.waits.unsubscribe(self) }
    }
}
