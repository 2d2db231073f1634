/// A read of a selector, from a start or a position, in turns. None holds the log's lock for more
/// than ``Limits/turnStepsMax`` steps, however many topics and patterns there are.
///
/// It tells the same as a read in one moment: each event once and with rising ids, or a gap in
/// place of events that went meanwhile. It can go on behind the events that it has told, and then
/// does not look at all topics again.
///
/// Belongs to one thread at a time, and is touched under the lock of the log alone.
// @unchecked: the thread that has it hands it on whole, and keeps nothing of it.
package final class SelectorRead: @unchecked Sendable {
    /// The outcome of one turn.
    package enum Turn {
        /// The next answer; never `.older`.
        case done(LogRead)
        /// Another turn is needed.
        case goOn
        /// The store has the next events: give its page to ``SelectorRead/take(_:)``.
        case ask(StoreRead)
    }

    private enum Stage {
        case scanning(TopicScan)
        case searching(BackwardSearch, StartResolver)
        case reading
    }

    /// Why taking events came to an end.
    private enum Stop {
        case full, steps, older, bound
    }

    private let selector: Selector
    private let filter: EventFilter
    private var limit: ReadLimit
    private var batch: ReadBatch
    private var stage: Stage
    /// The place that it has reached. Events before it may not have been told yet.
    package private(set) var position = LogPosition(after: .zero)
    /// The place where it began; nil until that is found.
    package private(set) var begin: LogPosition?
    /// The requested position, kept until its start is found: a gap told before is not told again.
    private var unresolved: LogPosition?
    /// The next event in memory of each topic that has one.
    private var heads = Heap<TopicHead>()
    /// The newest id when all topics were looked at: the heads are those of events up to here.
    private var through = EventID.zero
    /// The last id that only the store has.
    private var olderThrough = EventID.zero
    private var page: PageCursor?
    /// Whether the store was asked how far ids are given, as the position is beyond those known.
    private var isJudged = false
    /// The number of the last loss that was looked at.
    private var lossNumber: UInt64 = 0

    private init(
        _ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit, _ aim: TopicScan.Aim
    ) {
        self.selector = selector
        self.filter = filter
        self.limit = limit
        batch = ReadBatch(filter: filter, limit: limit)
        stage = .scanning(TopicScan(of: selector, aim))
    }

    /// A read of the events from `start` on.
    package convenience init(
        from start: StartPosition, _ selector: Selector, _ filter: EventFilter,
        _ limit: ReadLimit, now: Timestamp
    ) {
        let aim = TopicScan.Aim(start, now: now)
        self.init(selector, filter, limit, aim)
        if case .position(let known) = aim {
            position = known
        } else {
            // Until the start is found, a reader that comes back to this position begins anew.
            position.unresolved = aim.start
            position.stated = .zero
        }
    }

    /// A read of the events after `position`.
    package convenience init(
        from position: LogPosition, _ selector: Selector, _ filter: EventFilter,
        _ limit: ReadLimit, now: Timestamp
    ) {
        if let start = position.unresolved {
            self.init(selector, filter, limit, TopicScan.Aim(start, now: now))
            unresolved = position
        } else {
            self.init(selector, filter, limit, .position(position))
        }
        self.position = position
    }

    /// Bytes that it keeps from turn to turn.
    package var memoryBytes: Int {
        heads.count * MemoryLayout<TopicHead>.stride + batch.events.memoryBytes
            + (page?.memoryBytes ?? 0)
    }

    /// Whether it holds events that only the store has.
    package var hasPage: Bool { page != nil }

    /// Reads on if it has told everything up to `position`; false if it is elsewhere. Its reader
    /// may have begun to wait since.
    package func goesOn(at position: LogPosition, _ limit: ReadLimit) -> Bool {
        var here = self.position
        here.isWaiting = position.isWaiting
        guard begin != nil, position == here else { return false }
        self.position = position
        self.limit = limit
        batch = ReadBatch(filter: filter, limit: limit)
        return true
    }

    /// Takes the page that the store was asked for.
    package func take(_ page: StorePage) {
        if position.after > through, position.unresolved == nil {
            isJudged = true
            stage = .scanning(TopicScan(of: selector, .position(position)))
            return
        }
        self.page = PageCursor(page)
        guard let start = position.unresolved else { return }
        position.unresolved = nil
        unresolved = nil
        if case .time = start {
            position.after = min(page.after, position.after)
        } else {
            position.after = page.after
            stage = .scanning(TopicScan(of: selector, .position(position)))
        }
    }

    /// One turn, under the lock, of about so many steps; those that it took are subtracted.
    ///
    /// - Complexity: O(steps × log topics).
    func turn(_ log: inout EventLog, now: Timestamp, _ steps: inout Int) -> Turn {
        while true {
            switch stage {
            case .scanning(var scan):
                // The stage does not hold the heads meanwhile, which would copy them.
                stage = .reading
                let isOver = scan.goOn(in: &log, now: now, &steps)
                guard isOver else {
                    stage = .scanning(scan)
                    return .goOn
                }
                if let turn = settle(scan, in: log) { return turn }
            case .searching(var search, let start):
                stage = .reading
                let outcome = search.look(&steps)
                guard let outcome else {
                    stage = .searching(search, start)
                    return .goOn
                }
                settle(outcome, start)
            case .reading:
                if let turn = read(log, &steps) { return turn }
            }
        }
    }

    // MARK: Finding the place

    /// Goes on from a look at all topics. Returns the gap that comes first, if any, or asks how far
    /// ids are given.
    private func settle(_ scan: TopicScan, in log: EventLog) -> Turn? {
        heads = scan.heads
        through = scan.through
        olderThrough = scan.olderThrough
        guard scan.seesLosses else { return nil }
        var losses = scan.losses
        losses.rise(to: log.tombstones.floor)
        losses.rise(to: log.losses(of: selector, changedSince: scan.lossNumber))
        lossNumber = log.lossNumber
        let start = StartResolver(through: through, losses: losses)
        if case .last(let count) = scan.aim {
            stage = .searching(BackwardSearch(for: count, filter, from: scan.tails), start)
            return nil
        }
        place(at: start.position(from: scan, knowing: position, in: log))
        switch log.detectGap(position, losses, isJudged: isJudged) {
        case nil: return nil
        case .older: return .ask(storeRead(from: .after(position.after), through: position.after))
        case .some(let gap): return .done(pass(gap))
        }
    }

    /// Goes on from a search from the end, which began at `start`.
    private func settle(_ outcome: BackwardSearch.Outcome, _ start: StartResolver) {
        guard let found = start.position(from: outcome) else {
            stage = .scanning(TopicScan(of: selector, .oldest))
            return
        }
        place(at: found)
        // Only the store knows more of a place that is not resolved.
        if found.unresolved == nil {
            stage = .scanning(TopicScan(of: selector, .news(after: position)))
        }
    }

    private func place(at found: LogPosition) {
        position = found
        if let told = unresolved, told.stated == nil {
            position.stated = nil
            position.reportedThrough = max(position.reportedThrough, told.reportedThrough)
        }
        begin = begin ?? position
    }

    // MARK: Reading

    /// Reads on; nil where there is more to do in this turn.
    private func read(_ log: EventLog, _ steps: inout Int) -> Turn? {
        if let gap = newGap(in: log) {
            if let events = batch.soFar(at: position) { return .done(pass(events)) }
            lossNumber = log.lossNumber
            return .done(pass(gap))
        }
        lossNumber = log.lossNumber
        let older = min(olderThrough, through)
        if page == nil, position.unresolved != nil || position.after < older {
            if let events = batch.soFar(at: position) { return .done(pass(events)) }
            return .ask(
                storeRead(
                    from: position.unresolved ?? .after(position.after),
                    through: position.unresolved == nil ? older : through))
        }
        let bound = page?.through ?? through
        batch.beginTurn()
        switch merge(through: bound, in: log, &steps) {
        case .full: return .done(pass(batch.full(from: position)))
        case .steps:
            position.after = max(position.after, batch.lastExamined)
            return .goOn
        case .older:
            position.after = max(position.after, batch.lastExamined)
            return nil
        case .bound where page?.endsDamaged == true:
            page = nil
            return .done(pass(damaged(bound)))
        case .bound:
            page = nil
            position.after = max(position.after, bound)
            position.isWaiting = true
        }
        if bound < through { return nil }
        if log.newest == through { return .done(pass(batch.whole(at: position))) }
        stage = .scanning(TopicScan(of: selector, .news(after: position)))
        return nil
    }

    private func storeRead(from start: StartPosition, through: EventID) -> StoreRead {
        StoreRead(
            start: start, through: through, selector: selector, filter: filter, limit: limit)
    }

    /// The answer where the store cannot read an event. First come the events before it; when the
    /// store is asked again, its gap follows.
    private func damaged(_ id: EventID) -> LogRead {
        position.after = max(position.after, id.predecessor)
        position.isWaiting = true
        if let events = batch.soFar(at: position) { return events }
        let gap = Gap(after: position.after, through: id)
        position.after = id
        return .gap(gap, next: position)
    }

    /// Takes events up to `bound` into the batch, in the order of their ids.
    private func merge(through bound: EventID, in log: EventLog, _ steps: inout Int) -> Stop {
        while true {
            guard steps > 0 else { return .steps }
            steps -= 1
            let cursor = max(position.after, batch.lastExamined)
            let stored = page?.next(after: cursor, in: log)
            guard let head = heads.first, head.id <= stored?.id ?? bound else {
                guard let stored else { return .bound }
                guard batch.take(stored) else { return .full }
                continue
            }
            let record = head.record
            if let older = record.older, older.newest > cursor {
                olderThrough = max(olderThrough, older.newest)
                if page == nil { return .older }
            }
            let index = record.index(after: cursor, isWaiting: position.isWaiting)
            guard index < record.ring.count else {
                _ = heads.removeFirst()
                continue
            }
            let event = record.ring[index]
            if event.id == head.id {
                guard batch.take(event) else { return .full }
            }
            let next = event.id == head.id ? index + 1 : index
            if next < record.ring.count {
                heads.replaceFirst(with: TopicHead(id: record.ring[next].id, record: record))
            } else {
                _ = heads.removeFirst()
            }
        }
    }

    /// The gap of losses since the last look for them; nil where there is none.
    private func newGap(in log: EventLog) -> LogRead? {
        guard log.lossNumber != lossNumber else { return nil }
        return log.detectGap(
            position, log.losses(of: selector, changedSince: lossNumber), isJudged: true)
    }

    /// Goes on behind the answer that is told, and lets go of its events.
    private func pass(_ read: LogRead) -> LogRead {
        switch read {
        case .events(_, let next, _), .caughtUp(let next), .gap(_, let next), .older(let next):
            position = next
        }
        batch = ReadBatch(filter: filter, limit: limit)
        return read
    }
}
