internal import HTTPFront
internal import Telemetry
internal import Topics

/// Steps through the log for one subscription, in whatever form it is delivered.
///
/// Promises that what its steps told, one after the other, is everything that the subscription
/// wants up to ``cursor``, each event once and with rising ids, or a gap in its place. Does not
/// wait: whoever owns it asks again when the loop's table says that something came.
///
/// Belongs to a loop, through the ``HTTPSubscription`` that owns it.
struct LogReader {
    /// What one look at the log found.
    enum Step {
        /// Events, at least one; cut short if there may be more already.
        case events([Event], isCutShort: Bool)
        /// Something may be missing before what comes next: tell it, then step on.
        case gap(Gap)
        /// Nothing more for now.
        case caughtUp
        /// What comes next takes longer: only the store has it, there are many topics to look at, or
        /// it is much to write. Go on with ``fetch(_:of:for:by:_:)``.
        case older

        /// The step of what was found.
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
    /// Whether it has once told everything there was, so that what it reads since is news.
    private(set) var isLive = false
    /// Whether what it read last is news: it had told everything there was before.
    private(set) var hasNews = false
    private(set) var selector: Selector
    let filter: EventFilter
    /// How far the bus was when this began to wait; what became visible before is no news to it.
    private(set) var beganAt = EventID.zero
    /// From where on the news of its loop have all that it waits for.
    private var countedFrom = EventID.zero
    /// The read of many topics that goes on at its position.
    private var kept: KeptRead?
    /// The same read where a turn of it did not come to an end.
    private var unfinished: SelectorRead?
    /// About what the events take that were too much; 0 where none were.
    private(set) var largeBytes = 0
    private let log: LoopReads
    private let memory: MemoryBudget

    init(_ selector: Selector, _ filter: EventFilter, from log: LoopReads, _ memory: MemoryBudget) {
        self.selector = selector
        self.filter = filter
        self.log = log
        self.memory = memory
    }

    /// Whether a longer read is under way, and the answer is still to come. Do not step meanwhile.
    var isFetching: Bool { fetching != nil }

    /// Whether its place is known: else its cursor means nothing.
    var isPlaced: Bool { position.isResolved }

    /// How far it is: everything wanted up to here was told.
    var cursor: EventID { position.after }

    /// Finds its place and looks there, both at one moment.
    mutating func begin(
        at start: StartPosition, _ limit: ReadLimit, within atOnce: AtOnce
    ) -> Step {
        if selector.singleName != nil, case .after(let id) = start, id != .zero {
            position = LogPosition(after: id)
            return next(limit, within: atOnce)
        }
        let long = log.bus.longRead(
            from: start, matching: selector, filter: filter, limit: limit)
        var read = look(long)
        // It begins at the moment of the request, however long the look takes.
        if case .older = read, case .now = start, let begin = long.begin { read = .older(begin) }
        return take(read, within: atOnce)
    }

    /// Looks at what comes next.
    mutating func next(
        _ limit: ReadLimit, of news: LogNews? = nil, within atOnce: AtOnce
    ) -> Step {
        if unfinished != nil {
            unfinished = nil
            kept = nil
        }
        if let read = kept?.read {
            if read.goesOn(at: position, limit) { return take(look(read), within: atOnce) }
            kept = nil
        }
        let read = log.look(position, matching: selector, of: known(news), filter, limit)
        return take(read, within: atOnce)
    }

    /// Whether it reads on where a longer read has come to, which is its own.
    var isCatchingUp: Bool { kept != nil }

    /// One turn of a read. What a new one found is dropped if it needs another turn: many may wait.
    private mutating func look(_ read: SelectorRead) -> LogRead {
        let before = read.position
        guard case .done(let found) = log.turn(of: read) else {
            if kept?.read === read {
                // It may hold more by now.
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
        kept = KeptRead(read, in: memory)
    }

    /// Looks at what comes next, together with whoever stands at the same place in this delivery,
    /// and goes on behind it; nil stands for ``Step/older``, where it is too much.
    mutating func next(
        _ limit: ReadLimit, of news: LogNews? = nil, in reads: SharedReads, within atOnce: AtOnce
    ) -> SharedRead? {
        let read = reads.read(position, selector, filter, limit, of: known(news))
        if passes(before: read.outcome, atOnce) { return nil }
        pass(read.outcome)
        return read
    }

    private func known(_ news: LogNews?) -> LogNews? { position.after < countedFrom ? nil : news }

    /// Goes on to where its loop has delivered, if it has told everything that it was woken for:
    /// nothing in between was for it.
    mutating func skip(to delivered: EventID) {
        if isCaughtUp, position.after < delivered { position.after = delivered }
    }

    /// Whether what it has looked at ends before `newest`, from where on it is counted: what came in between
    /// is in no news, and it has to look once more.
    mutating func isBehind(from newest: EventID) -> Bool {
        countedFrom = newest
        guard isCaughtUp, position.after < newest else { return false }
        isCaughtUp = false
        return true
    }

    /// There may be something behind its cursor, which it cannot tell now.
    mutating func fallBehind() { isCaughtUp = false }

    /// Reads what comes next, however long that takes, and has `make` write it, once there is room;
    /// `owner` hears of it on its loop by `fetched`, with what ``take(fetched:)`` understands.
    ///
    /// - Parameters:
    ///   - bytes: About what the answer takes in memory.
    ///   - waitsForRoom: Whether it begins only when there is room; false where nothing would end
    ///     the wait.
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
        let long = LongRead(
            read, from: log.bus, by: beside.lines, for: owner.account,
            unless: cancellation, in: room, make
        ) { result, made in
            loop.post { _ in
                // What was read counts until its owner has done with it, and then only what was made.
                defer { room.settle(madeOf: made?.body.count ?? 0) }
                // What new rules hide is not told, however long ago it was read.
                if !cancellation.isCancelled { owner.judge() }
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
        // What was found for a selector that it no longer has may not be told: it asks anew.
        guard selector == asked else { return nil }
        keep(read)
        return result
    }

    /// Nobody is left to be told: a longer read that is under way stops, and is not told either.
    mutating func cancel() {
        fetching?.cancel()
        fetching = nil
        kept = nil
    }

    /// From now on it reads these topics: of the same terms, or the same in other memory.
    mutating func limit(to selector: Selector) {
        if !selector.isCopy(of: self.selector), selector != self.selector {
            isCaughtUp = false
            kept = nil
        }
        self.selector = selector
    }

    /// Goes on behind what was read, unless that is too much.
    private mutating func take(_ read: LogRead, within atOnce: AtOnce) -> Step {
        if passes(before: read, atOnce) { return .older }
        pass(read)
        return Step(read)
    }

    /// Whether a read was too much: then it stands before the first of its events.
    private mutating func passes(before read: LogRead, _ atOnce: AtOnce) -> Bool {
        guard case .events(let events, var next, let isCutShort) = read,
            atOnce.isLess(than: events, isCutShort)
        else { return false }
        // What lies between here and there was not wanted, and is not lost.
        next.after = events[0].id.predecessor
        position = next
        largeBytes = events.wireBytes
        isCaughtUp = false
        kept = nil
        return true
    }

    /// Goes on behind what the store has read. What came meanwhile has woken nobody, so that there
    /// may be more.
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

    /// Goes back to `id`, at or below the cursor, because what was read behind it was not told.
    mutating func rewind(to id: EventID) {
        assert(id <= position.after, "a reader rewinds to what it has passed")
        position.after = id
        kept = nil
        isCaughtUp = false
    }

    /// From now on it counts as waiting: it still gets what retention removed a moment ago.
    mutating func wait() {
        position.isWaiting = true
        beganAt = isLive ? position.after : log.bus.newest
    }
}
