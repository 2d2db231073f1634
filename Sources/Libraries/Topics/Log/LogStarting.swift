extension EventLog {
    /// Where a reader of `selector` begins.
    ///
    /// Returns nil when `search`, which only a filtered or merged `last` needs, has looked at
    /// enough for one hold of the lock: call again with the same values.
    mutating func start(
        _ start: StartPosition, _ selector: Selector, _ search: inout BackwardSearch,
        now: Timestamp
    ) -> LogPosition? {
        switch start {
        case .after(let id):
            return id == .zero ? startAtOldest(selector, now) : LogPosition(after: id)
        case .now:
            return LogPosition(after: newest, reportedThrough: newest)
        case .earliest:
            return startAtOldest(selector, now)
        case .latest:
            return startBack(1, selector, &search, now)
        case .last(let count):
            return startBack(count, selector, &search, now)
        case .ago(let microseconds):
            return startSince(now.advanced(microseconds: -max(0, microseconds)), selector, now)
        case .time(let time):
            return startSince(time, selector, now)
        }
    }

    /// Every topic of the selector, with retention applied.
    mutating func touchAll(_ selector: Selector, _ now: Timestamp) -> [TopicRecord] {
        let topics = collect(selector, newerThan: .zero, now: now)
        for record in topics { applyRetention(to: record, at: now) }
        return topics
    }

    private mutating func startAtOldest(_ selector: Selector, _ now: Timestamp) -> LogPosition {
        let oldest = touchAll(selector, now).compactMap(\.oldestID).min()
        let after = oldest?.predecessor ?? newest
        return LogPosition(
            after: after, reportedThrough: losses(of: selector, now: now).removedThrough)
    }

    private mutating func startSince(
        _ time: Timestamp, _ selector: Selector, _ now: Timestamp
    ) -> LogPosition {
        let topics = touchAll(selector, now)
        let losses = losses(of: selector, now: now)
        var position = LogPosition(after: after(time, topics))
        if topics.contains(where: { $0.older.map { time <= $0.newestTime } ?? false }) {
            position.unresolved = .time(time)
        }
        // The floor of the first life of all reaches up to its start, and nothing was below it.
        if time <= losses.removedTime, losses.removedThrough > unusedThrough {
            position.stated = .zero
        } else {
            position.reportedThrough = losses.removedThrough
        }
        return position
    }

    /// The cursor before the first event in memory of this time or later.
    func after(_ time: Timestamp, _ topics: [TopicRecord]) -> EventID {
        var first: EventID?
        for record in topics {
            let index = record.index(since: time)
            guard index < record.ring.count else { continue }
            first = min(first ?? .max, record.ring[index].id)
        }
        return first?.predecessor ?? newest
    }

    private mutating func startBack(
        _ count: Int, _ selector: Selector, _ search: inout BackwardSearch, _ now: Timestamp
    ) -> LogPosition? {
        guard count > 0 else { return LogPosition(after: newest, reportedThrough: newest) }
        let topics = touchAll(selector, now)
        let told = losses(of: selector, now: now).removedThrough
        switch search.look(count, back: topics) {
        case .found(let id):
            return LogPosition(after: id.predecessor, reportedThrough: told)
        case .older:
            var position = LogPosition(after: newest, reportedThrough: told)
            position.unresolved = .last(count)
            return position
        case .exhausted:
            return startAtOldest(selector, now)
        case .goOn:
            return nil
        }
    }
}
