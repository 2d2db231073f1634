/// A look at every topic of a selector, each once, in turns.
///
/// A topic that comes, or gets an event, while the look is under way may be missed: its events lie
/// behind ``through``. Losses of topics meanwhile have numbers above ``lossNumber``.
struct TopicScan {
    /// The aim of a look: the position or the events that it is to find.
    enum Aim {
        /// The events after a position.
        case position(LogPosition)
        /// The same, for a reader that knows the losses.
        case news(after: LogPosition)
        case newest
        case oldest
        case time(Timestamp)
        case last(Int)

        init(_ start: StartPosition, now: Timestamp) {
            switch start {
            case .after(let id): self = id == .zero ? .oldest : .position(LogPosition(after: id))
            case .now: self = .newest
            case .earliest: self = .oldest
            case .latest: self = .last(1)
            case .last(let count): self = count > 0 ? .last(count) : .newest
            case .ago(let microseconds):
                self = .time(now.advanced(microseconds: -max(0, microseconds)))
            case .time(let time): self = .time(time)
            }
        }

        /// The start that this aim looks for; nil where the position is known.
        var start: StartPosition? {
            switch self {
            case .position, .news: nil
            case .newest: .now
            case .oldest: .earliest
            case .time(let time): .time(time)
            case .last(let count): .last(count)
            }
        }
    }

    private enum Stage {
        case beginning
        /// Topics, from this place of the order on.
        case topics(Int)
        /// Tombstones behind this number.
        case tombstones(UInt64)
    }

    let aim: Aim
    /// The newest id when it began.
    private(set) var through = EventID.zero
    /// The number of the last loss when it began.
    private(set) var lossNumber: UInt64 = 0
    /// The first event in memory that the look is for, of each topic that has one.
    private(set) var heads = Heap<TopicHead>()
    /// The last event of each topic.
    private(set) var tails = Heap<TopicTail>()
    private(set) var oldest: EventID?
    /// The losses of the topics, as far as they matter.
    private(set) var losses = Losses()
    /// The last id that only the store has.
    private(set) var olderThrough = EventID.zero
    /// Whether only the store has the time that is looked for.
    private(set) var isOlderWanted = false
    private let selector: Selector
    /// Steps that it takes to compare a name with the selector.
    private let matchSteps: Int
    private var stage = Stage.beginning

    init(of selector: Selector, _ aim: Aim) {
        self.selector = selector
        self.aim = aim
        matchSteps = selector.terms.count
    }

    /// Whether it looks for losses.
    var seesLosses: Bool {
        switch aim {
        case .news: false
        default: true
        }
    }

    /// The cursor; only topics with something newer matter. Nil where all topics do.
    private var cursor: EventID? {
        switch aim {
        case .position(let position):
            // A reader with a cursor of another life is told the losses of all topics.
            position.after > through ? .zero : position.after
        case .news(let position): position.after
        default: nil
        }
    }

    /// Looks on; true when it is over.
    mutating func goOn(in log: inout EventLog, now: Timestamp, _ steps: inout Int) -> Bool {
        if case .beginning = stage {
            through = log.newest
            lossNumber = log.lossNumber
            if case .newest = aim { return true }
            if isShort(in: &log, now: now, &steps) { return true }
            stage = .topics(0)
        }
        if case .topics(let place) = stage {
            guard lookAtTopics(from: place, in: &log, now: now, &steps) else { return false }
        }
        if case .tombstones(let number) = stage {
            return lookAtTombstones(after: number, in: log, &steps)
        }
        return true
    }

    /// Looks at the topics that are named, or at those that changed, if they are few.
    private mutating func isShort(
        in log: inout EventLog, now: Timestamp, _ steps: inout Int
    ) -> Bool {
        if let names = selector.singleName.map({ [$0] }) ?? selector.names.map(Array.init) {
            steps -= names.count
            for name in names {
                if let record = log.records[name] { look(at: record, in: &log, now: now) }
                losses.rise(to: log.losses(of: name))
            }
            return true
        }
        if case .position(let position) = aim, log.mayMiss(position) { return false }
        guard let cursor else { return false }
        var changed: [TopicRecord] = []
        let isAll = log.order.visit(newerThan: cursor, atMost: steps / matchSteps) { record in
            steps -= matchSteps
            if selector.matches(record.name) { changed.append(record) }
        }
        guard isAll else { return false }
        for record in changed { look(at: record, in: &log, now: now) }
        return true
    }

    private mutating func lookAtTopics(
        from place: Int, in log: inout EventLog, now: Timestamp, _ steps: inout Int
    ) -> Bool {
        var place = place
        while place < log.order.places {
            guard steps > 0 else {
                stage = .topics(place)
                return false
            }
            steps -= 1
            if let record = log.order[place], matters(record) {
                steps -= matchSteps
                if selector.matches(record.name) { look(at: record, in: &log, now: now) }
            }
            place += 1
        }
        stage = .tombstones(0)
        return true
    }

    private func matters(_ record: TopicRecord) -> Bool {
        guard let cursor else { return true }
        if record.newest > cursor { return true }
        guard case .position(let position) = aim else { return false }
        return record.removedThrough > min(cursor, position.stated ?? cursor)
    }

    private mutating func lookAtTombstones(
        after number: UInt64, in log: EventLog, _ steps: inout Int
    ) -> Bool {
        guard seesLosses else { return true }
        var number = number
        while let stone = log.tombstones.next(after: number) {
            guard steps > 0 else {
                stage = .tombstones(number)
                return false
            }
            number = stone.number
            steps -= matchSteps
            if selector.matches(stone.name) { losses.rise(to: stone.losses) }
        }
        return true
    }

    private mutating func look(
        at record: TopicRecord, in log: inout EventLog, now: Timestamp
    ) {
        log.applyRetention(to: record, at: now)
        losses.rise(to: record)
        let index: Int
        switch aim {
        case .position, .news:
            let cursor = cursor ?? .zero
            note(older: record.older, after: cursor)
            index = record.index(after: cursor, isWaiting: isWaiting)
        case .newest, .oldest:
            note(older: record.older, after: .zero)
            if let first = record.oldestID { oldest = min(oldest ?? first, first) }
            index = record.graced
        case .time(let time):
            if let older = record.older, time <= older.newestTime { isOlderWanted = true }
            note(older: record.older, after: .zero)
            index = record.index(since: time)
        case .last:
            if let tail = TopicTail(record) { tails.insert(tail) }
            return
        }
        guard index < record.ring.count else { return }
        heads.insert(TopicHead(id: record.ring[index].id, record: record))
    }

    private var isWaiting: Bool {
        switch aim {
        case .position(let position), .news(let position): position.isWaiting
        default: false
        }
    }

    private mutating func note(older: OlderEvents?, after cursor: EventID) {
        guard let older, older.newest > cursor else { return }
        olderThrough = max(olderThrough, older.newest)
    }
}
