internal import HTTPFront
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
        /// Only the store has what comes next: ``fetch(_:for:)``.
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
    /// Whether the store was asked, and the answer is still to come. Do not step meanwhile.
    private(set) var isFetching = false
    /// Whether it has once told everything there was, so that what it reads since is news.
    private(set) var isLive = false
    /// Whether what it read last is news: it had told everything there was before.
    private(set) var hasNews = false
    private(set) var selector: Selector
    let filter: EventFilter
    /// How far the bus was when this began to wait; what became visible before is no news to it.
    private(set) var beganAt = EventID.zero
    private let bus: EventBus

    init(_ selector: Selector, _ filter: EventFilter, from bus: EventBus) {
        self.selector = selector
        self.filter = filter
        self.bus = bus
    }

    /// How far it is: everything wanted up to here was told.
    var cursor: EventID { position.after }

    /// Finds its place and looks there, both at one moment.
    mutating func begin(at start: StartPosition, _ limit: ReadLimit) -> Step {
        take(bus.read(from: start, matching: selector, filter: filter, limit: limit))
    }

    /// Looks at what comes next.
    mutating func next(_ limit: ReadLimit) -> Step {
        take(bus.read(position, matching: selector, filter: filter, limit: limit))
    }

    /// Looks at what comes next, together with whoever stands at the same place in this delivery,
    /// and goes on behind it.
    mutating func next(_ limit: ReadLimit, in reads: SharedReads) -> SharedRead {
        let read = reads.read(position, selector, filter, limit)
        pass(read.outcome)
        return read
    }

    /// Asks the store for what comes next; `owner` hears of it on its loop by `fetched`, with
    /// what ``take(_:)`` understands.
    mutating func fetch(_ limit: ReadLimit, for owner: any HTTPSubscription, on loop: LoopHandle) {
        isFetching = true
        // The owner is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let owner = owner
        let asked = selector
        bus.readStore(position, matching: asked, filter: filter, limit: limit) { result in
            loop.post { _ in
                owner.reader.isFetching = false
                // What was found for a selector that it no longer has may not be told: it asks anew.
                owner.fetched(
                    owner.reader.selector == asked
                        ? result : .success(.older(owner.reader.position)))
            }
        }
    }

    /// From now on it reads these topics: of the same terms, or the same in other memory.
    mutating func limit(to selector: Selector) {
        self.selector = selector
    }

    /// Goes on behind what was read.
    mutating func take(_ read: LogRead) -> Step {
        pass(read)
        return Step(read)
    }

    private mutating func pass(_ read: LogRead) {
        switch read {
        case .events(_, let next, let isCutShort):
            position = next
            hasNews = isLive
            if !isCutShort { isLive = true }
        case .caughtUp(let next):
            position = next
            isLive = true
        case .gap(_, let next), .older(let next):
            position = next
        }
    }

    /// Goes back to `id`, at or below the cursor, because what was read behind it was not told.
    mutating func rewind(to id: EventID) {
        assert(id <= position.after, "a reader rewinds to what it has passed")
        position.after = id
    }

    /// From now on it counts as waiting: it still gets what retention removed a moment ago.
    mutating func wait() {
        position.isWaiting = true
        beganAt = isLive ? position.after : bus.newest
    }
}

extension EventID {
    /// The cursor just before the event of this id.
    var predecessor: EventID { rawValue == 0 ? self : EventID(rawValue: rawValue - 1) }
}
