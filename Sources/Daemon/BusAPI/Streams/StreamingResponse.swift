internal import Access
internal import HTTPFront
internal import Topics

/// The answer that goes on, in any form, to one request for events: it pulls from the log into a
/// socket.
///
/// It belongs to its loop. While the socket takes its bytes, it reads the log on, a batch at a
/// time. A reader that does not keep up costs its cursor and the batch that is on its way. If
/// events that it missed are removed meanwhile, it is told a gap like any other reader. It is in
/// the loop's table from its beginning to its end.
final class StreamingResponse: HTTPSubscription {
    // The properties that every delivery looks at lie together, in front: with thousands of streams
    // they are not in the processor's cache.
    var reader: LogReader
    var socket: (any StreamSink)?
    // unowned(unsafe): the loop has every stream in its tables, and outlives them;
    // to have that checked costs each delivery two more atomic instructions.
    unowned(unsafe) let loop: BusLoop
    /// The beginning that it has yet to send; nil once it is sent.
    var opening: StreamOpening?
    /// The last bytes that it has to send; nil as long as nothing ends it.
    var farewell: StreamOutput?
    let encoding: EventEncoding
    let form: DeliveryForm
    let eventsSayCursor: Bool
    let isStrict: Bool
    /// Whether nothing has told the cursor, and the first event will. A gap before that event tells
    /// it.
    var owesCursor = false
    var accessNumber: UInt32 = 0
    /// The last cursor that was told, by an event or without one.
    var told = EventID.zero
    /// Events left until it has told as many as it was asked for; nil for no end.
    var left: Int?
    /// Whether it ends as soon as it has told everything there is.
    let endsCaughtUp: Bool
    var timer: StreamTimer
    var place: SubscriptionTable.Place?

    let caller: Caller
    var account: CallerAccount?
    let writing: any StreamForm

    init(_ request: ReceiveRequest, in writing: any StreamForm, on loop: BusLoop) {
        form = request.form.delivery
        self.writing = writing
        encoding = writing.encoding
        eventsSayCursor = writing.eventsSayCursor
        self.loop = loop
        caller = request.caller
        isStrict = request.isStrict
        endsCaughtUp = request.wait == 0
        left = request.eventsMax
        timer = StreamTimer(wait: endsCaughtUp ? nil : request.wait.map { Int($0 / 1_000) })
        opening = StreamOpening(request)
        reader = LogReader(
            request.selector, request.filter, from: loop.log, loop.service.memory)
    }

    /// Begins the stream, or refuses a request that cannot be met.
    ///
    /// - Parameter take: Takes the socket of the request for this stream; `nil` if that cannot be.
    func begin(
        _ exchange: Exchange,
        _ take: (StreamingResponse, Exchange) throws(Refusal) -> (any StreamSink)?
    ) throws(Refusal) {
        guard let opening else { return }
        try loop.waits.refuseIfFull(
            opening.request.selector, opening.request.filter, for: exchange.account)
        let first = behindGaps(
            reader.begin(at: opening.request.start, limit, within: inlineLimit), opening)
        if isStrict, let gap = opening.gap { return exchange.respond(opening.gone(gap)) }
        guard let socket = try take(self, exchange) else {
            throw Refusal(.limitBus, "No stream can be opened now; try again in a second.")
        }
        self.socket = socket
        reader.wait()
        loop.waits.subscribe(self, for: exchange.account)
        if case .older = first { socket.setDeadline(milliseconds: Limits.madeMillisecondsMax) }
        open(first)
    }

    var origin: SocketOrigin? { socket?.source }

    // MARK: Events

    func advance(_ news: LogNews?) {
        if let news { reader.skip(to: news.after) }
        reader.fallBehind()
        if opening == nil, farewell == nil { pump(news) }
    }

    func fetched(_ read: Result<LogRead, BusError>, _ made: MadeAnswer?) {
        loop.waits.reauthorize(self)
        guard let socket else { return }
        if farewell != nil { return sayFarewell() }
        switch read {
        case .success(let read) where opening != nil: open(reader.take(fetched: read), made)
        case .success(let read):
            // If not, it is asked for again, once the socket takes it.
            guard socket.isWritable else { return }
            _ = tell(reader.take(fetched: read), made, loop, socket)
            pump()
        case .failure(let error) where opening != nil:
            refuse(Refusal(error))
        case .failure: end(.failed)
        }
    }

    func reauthorize() { loop.waits.reauthorize(self) }

    func writable() {
        if farewell == nil { pump() } else { sayFarewell() }
    }

    func timedOut() {
        if opening != nil { return refuseLate() }
        let due = timer.pass(heartbeat: heartbeat)
        if farewell == nil {
            loop.waits.skip(self)
            if !reader.isCaughtUp { pump() }
            if due.wait, isCaughtUp { return end(.finished) }
            // Also while it waits for events that another thread reads, or for room for them.
            if due.heartbeat, socket?.isWritable == true { beat() }
        }
        socket?.setDeadline(milliseconds: timer.arm())
    }

    // MARK: The beginning

    /// Sends the head and the first events, in one write. If the beginning needs a longer read,
    /// that comes first.
    private func open(_ first: LogReader.Step, _ made: MadeAnswer? = nil) {
        guard let socket, let opening else { return }
        let step = behindGaps(first, opening)
        if isStrict, let gap = opening.gap {
            leave()
            return socket.finish(opening.gone(gap))
        }
        if case .older = step {
            _ = fetch()
            return
        }
        var output = StreamOutput(socket.framing)
        var events: [Event] = []
        if case .events(let found, _) = step { events = found }
        let eventsFollow = !events.isEmpty && (made != nil || hasTurn(on: socket))
        told = opening.cursor(before: events.first, at: reader.cursor)
        let head = opening.head(in: writing, cursor: told)
        output.add { text in
            writing.begin(
                at: told, opening.gap, eventsFollow: eventsFollow,
                retryMilliseconds: loop.service.retryMilliseconds(), to: &text)
        }
        if events.isEmpty {
            addCursor(to: &output)
        } else if !eventsFollow {
            reader.rewind(to: events[0].id.predecessor)
        } else if made == nil {
            tellFirst(events, in: &output)
        }
        self.opening = nil
        socket.beginStream(head, first: output.piece)
        // Telling an event clears this.
        owesCursor = made != nil || !writing.saysCursors && !eventsFollow && opening.gap == nil
        if let made { tell(made, of: events, socket) }
        timer.restart(heartbeat: heartbeat)
        socket.setDeadline(milliseconds: timer.arm())
        if left == 0 || endsCaughtUp, case .caughtUp = step { return end(.finished) }
        if case .caughtUp = step, reader.isCaughtUp { return }
        pump()
    }

    /// The first step behind the gaps that come first. These are added to the opening.
    private func behindGaps(
        _ first: LogReader.Step, _ opening: StreamOpening
    ) -> LogReader.Step {
        var step = first
        while case .gap(let gap) = step {
            loop.meters.gaps.add()
            opening.add(gap)
            step = reader.next(limit, within: inlineLimit)
        }
        return step
    }

    /// Whether everything there is was written, or nearly everything.
    var isCaughtUp: Bool { socket?.isWritable == true && !reader.isFetching }

    var heartbeat: Int { Int(loop.configuration.heartbeat / 1_000) }

    /// The bytes that the loop itself writes: news is written once for all readers that wait for
    /// it.
    var inlineLimit: InlineLimit {
        reader.isLive ? .all : InlineLimit(bytesMax: Limits.toldAtOnceBytesMax)
    }

    var limit: ReadLimit {
        ReadLimit(
            events: min(left ?? .max, Limits.streamBatchEventsMax), bytes: Limits.streamWriteBytes)
    }
}

extension StreamingResponse: StreamSocketOwner {
    func writable(_ socket: DetachedSocket) { writable() }
    func timedOut(_ socket: DetachedSocket) { timedOut() }
    func stalled(_ socket: DetachedSocket) { stalled() }
    func peerUncertain(_ socket: DetachedSocket) { peerUncertain() }
    func closed(_ socket: DetachedSocket) { closed() }
}
