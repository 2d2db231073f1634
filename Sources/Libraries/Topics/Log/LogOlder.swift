/// What only the store has: finding it, and joining it with memory.
extension EventLog {
    /// What a reader at an `.older` position needs next.
    enum OlderStep {
        case ask(StoreRead)
        /// Memory can answer by now.
        case read(LogPosition)
    }

    mutating func olderStep(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit,
        now: Timestamp
    ) -> OlderStep {
        let isResolved = position.unresolved == nil
        let topics = collect(selector, newerThan: isResolved ? position.after : .zero, now: now)
        let through = topics.compactMap(\.older?.newest).max()
        guard let through, !isResolved || through > position.after else {
            return .read(resolve(position, selector, filter, now))
        }
        return .ask(
            StoreRead(
                start: position.unresolved ?? .after(position.after),
                through: isResolved ? through : newest, selector: selector, filter: filter,
                limit: limit))
    }

    /// The position once the store has nothing more of the selector. What was told stays told.
    private mutating func resolve(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter, _ now: Timestamp
    ) -> LogPosition {
        var search = BackwardSearch(filter: filter, examinedMax: .max)
        guard let start = position.unresolved,
            var found = self.start(start, selector, &search, now: now)
        else { return position }
        if position.stated == nil {
            found.stated = nil
            found.reportedThrough = max(found.reportedThrough, position.reportedThrough)
        }
        return found
    }

    /// Joins what the store read with what never was in it, and with what went meanwhile.
    mutating func join(
        _ page: StorePage, at position: LogPosition, _ selector: Selector, _ filter: EventFilter,
        _ limit: ReadLimit, now: Timestamp
    ) -> LogRead {
        var start = position
        start.unresolved = nil
        if let unresolved = position.unresolved {
            start.after = page.after
            if case .time(let time) = unresolved {
                start.after = min(page.after, after(time, touchAll(selector, now)))
            }
        }
        let topics = collect(selector, newerThan: start.after, now: now)
        for record in topics { applyRetention(to: record, at: now) }
        if let gap = detectGap(start, losses(of: selector, now: now)) { return gap }
        var batch = ReadBatch(filter: filter, limit: limit)
        let merged =
            memoryOnly(topics, start, through: page.through) + page.events.filter(isRetained)
        var last = EventID.zero
        for event in merged.sorted(by: { $0.id < $1.id }) where event.id > last {
            guard batch.take(event) else { break }
            last = event.id
        }
        if let read = batch.cutShort(from: start) { return read }
        // Memory goes on where the store ends, so that one answer has all there is.
        start.after = page.through
        start.isWaiting = true
        switch read(start, selector, &batch, now: now) {
        case .done(let read): return read
        case .goOn(let next): return batch.goingOn(at: next)
        }
    }

    /// Whether the log still retains an event that the store read: a trim may be on its way.
    private func isRetained(_ event: Event) -> Bool {
        records[event.topic].map { event.id > $0.removedThrough } ?? false
    }

    /// Events that never were in the store, or may be gone from it while they are graced.
    private func memoryOnly(
        _ topics: [TopicRecord], _ position: LogPosition, through: EventID
    ) -> [Event] {
        var events: [Event] = []
        for record in topics {
            var index = record.index(after: position.after, isWaiting: position.isWaiting)
            while index < record.ring.count, record.ring[index].id <= through {
                let event = record.ring[index]
                if !event.isStored || index < record.graced { events.append(event) }
                index += 1
            }
        }
        return events
    }
}
