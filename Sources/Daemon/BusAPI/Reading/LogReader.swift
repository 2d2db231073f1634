internal import HTTPFront
internal import Telemetry
internal import Topics

/// Steps through the log for one subscription, in any form of delivery.
///
/// Promises that its steps, one after the other, tell everything that the subscription wants up to
/// ``cursor``, each event once and with rising ids, or a gap in its place. Does not wait: its owner
/// asks again when the loop's table wakes it.
///
/// Belongs to a loop, through the ``HTTPSubscription`` that owns it.
struct LogReader {
    /// The result of one look at the log.
    enum Step {
        /// Events, at least one. Cut short if there may be more already.
        case events([Event], isCutShort: Bool)
        /// Something may be missing before the next event: tell the gap, then step on.
        case gap(Gap)
        /// Nothing more for now.
        case caughtUp
        /// The next read takes longer: only the store has the events, there are many topics to look
        /// at, or there is much to write. Go on with ``fetch(_:of:for:by:_:)``.
        case older

        /// The step for the result of a read.
        init(_ read: LogRead) {
            self =
                switch read {
                case .events(let events, _, let isCutShort):
                    .events(events, isCutShort: isCutShort)
                case .caughtUp: .caughtUp
                case .gap(let gap, _): .gap(gap)
                case .older: .older
                }
        }
    }

    private var position = LogPosition(after: .zero)
    /// Cancels the longer read that is under way, whose answer is still to come.
    private var fetching: Cancellation?
    /// Whether it has told everything that its loop has delivered.
    private(set) var isCaughtUp = false
    /// Whether it has once told everything there was. The events that it reads since then are news.
    private(set) var isLive = false
    /// Whether the events of its last read are news: it had told everything there was before.
    private(set) var hasNews = false
    private(set) var selector: Selector
    let filter: EventFilter
    /// Position of the bus when this began to wait. Events up to here are no news to it.
    private(set) var beganAt = EventID.zero
    /// Id from which on the loop's news include everything that this reader waits for.
    private var countedFrom = EventID.zero
    /// The read of many topics that goes on at its position.
    private var kept: ResumableRead?
    /// The same read, if a turn of it did not come to an end.
    private var unfinished: SelectorRead?
    /// Bytes on the wire, about, of events that were too much for the loop; 0 for none.
    private(set) var largeBytes = 0
    private let log: LoopLog
    private let memory: MemoryBudget

    init(_ selector: Selector, _ filter: EventFilter, from log: LoopLog, _ memory: MemoryBudget) {
        self.selector = selector
        self.filter = filter
        self.log = log
        self.memory = memory
    }

    /// Whether a longer read is under way, and the answer is still to come. Do not step meanwhile.
    var isFetching: Bool { fetching != nil }

    /// Whether its place is known; if not, its cursor means nothing.
    var isPlaced: Bool { position.isResolved }

    /// Its position: everything wanted up to here was told.
    var cursor: EventID { position.after }

    /// Finds its place and looks at the events there, both at one moment.
    mutating func begin(
        at start: StartPosition, _ limit: ReadLimit, within inlineLimit: InlineLimit
    ) -> Step {
        if selector.singleName != nil, case .after(let id) = start, id != .zero {
            position = LogPosition(after: id)
            return next(limit, within: inlineLimit)
        }
        let long = log.bus.longRead(
            from: start, matching: selector, filter: filter, limit: limit)
        var read = look(long)
        // The wait begins at the moment of the request, however long the look takes.
        if case .older = read, case .now = start, let begin = long.begin { read = .older(begin) }
        return take(read, within: inlineLimit)
    }

    /// Looks at the events behind its position.
    mutating func next(
        _ limit: ReadLimit, of news: LogNews? = nil, within inlineLimit: InlineLimit
    ) -> Step {
        if unfinished != nil {
            unfinished = nil
            kept = nil
        }
        if let read = kept?.read {
            if read.goesOn(at: position, limit) { return take(look(read), within: inlineLimit) }
            kept = nil
        }
        let read = log.look(position, matching: selector, of: known(news), filter, limit)
        return take(read, within: inlineLimit)
    }

    /// Whether it goes on with a kept read of many topics, which is its own and not shared.
    var isCatchingUp: Bool { kept != nil }

    /// Takes one turn of a read. A new read that needs another turn is dropped, since many readers
    /// may wait: it begins anew beside the loop.
    private mutating func look(_ read: SelectorRead) -> LogRead {
        let before = read.position
        guard case .done(let found) = log.turn(of: read) else {
            if kept?.read === read {
                // The read may take more memory by now.
                keep(read)
                unfinished = kept?.read
            }
            return .older(before)
        }
        keep(read)
        return found
    }

    private mutating func keep(_ read: SelectorRead) {
        unfinished = nil
        kept = nil
        kept = ResumableRead(read, in: memory)
    }

    /// Looks at the next events, in one read with the readers at the same place in this delivery,
    /// and goes on behind them. Nil stands for ``Step/older``: they are too much for the loop.
    mutating func next(
        _ limit: ReadLimit, of news: LogNews? = nil, in reads: ReadCoalescer,
        within inlineLimit: InlineLimit
    ) -> CoalescedRead? {
        let read = reads.read(position, selector, filter, limit, of: known(news))
        if passes(before: read.outcome, inlineLimit) { return nil }
        pass(read.outcome)
        return read
    }

    private func known(_ news: LogNews?) -> LogNews? { position.after < countedFrom ? nil : news }

    /// Moves the cursor to where its loop has delivered, if it has told everything that it was
    /// woken for: no event in between was for it.
    mutating func skip(to delivered: EventID) {
        if isCaughtUp, position.after < delivered { position.after = delivered }
    }

    /// Whether its last look ended before `newest`, from which on the bus counts it as a
    /// subscriber. Events in between are in no news, so it has to look once more.
    mutating func isBehind(from newest: EventID) -> Bool {
        countedFrom = newest
        guard isCaughtUp, position.after < newest else { return false }
        isCaughtUp = false
        return true
    }

    /// Notes that there may be events behind its cursor that it cannot tell now.
    mutating func fallBehind() { isCaughtUp = false }

    /// Reads the next events once there is room for them, however long that takes, and has `make`
    /// write them. `owner` gets the read on its loop by `fetched`, for ``take(fetched:)``.
    ///
    /// - Parameters:
    ///   - bytes: Bytes of the answer in memory, about.
    ///   - waitsForRoom: Whether it begins only when there is room; false if nothing would end the
    ///     wait.
    mutating func fetch(
        _ limit: ReadLimit, of bytes: Int, for owner: any HTTPSubscription,
        by beside: ReadsBeside, waitsForRoom: Bool = true, _ make: @escaping MadeAnswer.Maker
    ) {
        let cancellation = Cancellation()
        fetching = cancellation
        // The owner is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let owner = owner
        let (asked, loop) = (selector, beside.loop)
        let read =
            unfinished ?? log.bus.longRead(position, matching: asked, filter: filter, limit: limit)
        unfinished = nil
        let wanted = largeBytes > 0 ? largeBytes : beside.space.guess(bytes)
        let room = beside.space.room(for: wanted, waits: waitsForRoom)
        largeBytes = 0
        let long = BackgroundRead(
            read, from: log.bus, by: beside.lines, for: owner.account,
            unless: cancellation, in: room, make
        ) { result, made in
            loop.post { _ in
                // The room counts the events until the owner has handled them, then only the made
                // bytes.
                defer { room.settle(madeOf: made?.body.count ?? 0) }
                // Events that new rules hide are not told, however long ago they were read.
                if !cancellation.isCancelled { owner.reauthorize() }
                guard !cancellation.isCancelled else { return }
                let found = owner.reader.end(read, of: asked, with: result)
                if let found {
                    owner.fetched(found, made)
                } else {
                    owner.fetched(.success(.older(owner.reader.position)), nil)
                }
            }
        }
        long.goOn()
    }

    private mutating func end(
        _ read: SelectorRead, of asked: Selector, with result: Result<LogRead, BusError>
    ) -> Result<LogRead, BusError>? {
        fetching = nil
        // Events found for a selector that it no longer has may not be told: it asks anew.
        guard selector == asked else { return nil }
        keep(read)
        return result
    }

    /// Cancels a longer read that is under way: it stops, and its events are not told.
    mutating func cancel() {
        fetching?.cancel()
        fetching = nil
        kept = nil
    }

    /// Replaces its selector: by one of the same terms with other visible topics, or by an equal
    /// one in other memory.
    mutating func limit(to selector: Selector) {
        if !selector.isCopy(of: self.selector), selector != self.selector {
            isCaughtUp = false
            kept = nil
        }
        self.selector = selector
    }

    /// Goes on behind the events that were read, unless they are too much for the loop.
    private mutating func take(_ read: LogRead, within inlineLimit: InlineLimit) -> Step {
        if passes(before: read, inlineLimit) { return .older }
        pass(read)
        return Step(read)
    }

    /// Whether a read was too much for the loop. Then the reader stands before the first of its
    /// events.
    private mutating func passes(before read: LogRead, _ inlineLimit: InlineLimit) -> Bool {
        guard case .events(let events, var next, let isCutShort) = read,
            inlineLimit.isLess(than: events, isCutShort)
        else { return false }
        // Events before the first one were not wanted, and are not lost.
        next.after = events[0].id.predecessor
        position = next
        largeBytes = events.wireBytes
        isCaughtUp = false
        kept = nil
        return true
    }

    /// Goes on behind a read that was done beside the loop. Wake-ups meanwhile were passed over, so
    /// there may be more events.
    mutating func take(fetched read: LogRead) -> Step {
        pass(read)
        isCaughtUp = false
        return Step(read)
    }

    private mutating func pass(_ read: LogRead) {
        switch read {
        case .events(_, let next, let isCutShort):
            position = next
            hasNews = isLive
            isCaughtUp = !isCutShort
            if isCaughtUp {
                isLive = true
                kept = nil
            }
        case .caughtUp(let next):
            position = next
            isCaughtUp = true
            isLive = true
            kept = nil
        case .gap(_, let next), .older(let next):
            position = next
            isCaughtUp = false
        }
    }

    /// Goes back to `id`, at or below the cursor, because events read behind it were not told.
    mutating func rewind(to id: EventID) {
        assert(id <= position.after, "a reader rewinds to what it has passed")
        position.after = id
        kept = nil
        isCaughtUp = false
    }

    /// Counts it as waiting from now on: it still gets events that retention removed a moment ago.
    mutating func wait() {
        position.isWaiting = true
        beganAt = isLive ? position.after : log.bus.newest
    }
}
