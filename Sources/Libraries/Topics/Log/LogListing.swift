extension EventLog {
    func describe(_ record: TopicRecord) -> TopicDescription {
        TopicDescription(
            name: record.name, isRegistered: record.isRegistered, events: record.retainedCount,
            bytes: record.allRetainedBytes, oldest: record.oldestID, newest: record.newestID,
            subscribers: subscribers.matching(record), retention: record.settings.retention,
            persists: record.settings.persists, owner: record.owner)
    }

    /// One topic as it is now; nil if there is none.
    mutating func description(of name: TopicName, now: Timestamp) -> TopicDescription? {
        guard let record = records[name] else { return nil }
        applyRetention(to: record, at: now)
        return records[name].map(describe)
    }

    /// All topics, or those a pattern matches, at one moment, in no order.
    mutating func descriptions(
        matching pattern: TopicPattern?, now: Timestamp
    ) -> [TopicDescription] {
        let matching = records.values.filter { pattern?.matches($0.name) ?? true }
        for record in matching { applyRetention(to: record, at: now) }
        return matching.compactMap { records[$0.name].map(describe) }
    }

    mutating func summary(of selector: Selector, now: Timestamp) -> SelectorSummary {
        var exists = false
        var count = 0
        var oldest: EventID?
        for record in members(of: selector) {
            applyRetention(to: record, at: now)
            guard records[record.name] != nil else { continue }
            exists = true
            count += record.retainedCount
            if let first = record.oldestID { oldest = min(oldest ?? first, first) }
        }
        return SelectorSummary(exists: exists, cursor: newest, oldest: oldest, count: count)
    }

    private func members(of selector: Selector) -> [TopicRecord] {
        if let name = selector.singleName { return records[name].map { [$0] } ?? [] }
        return records.values.filter { selector.matches($0.name) }
    }

    mutating func event(_ id: EventID, in name: TopicName, now: Timestamp) -> EventLookup {
        guard id > unusedThrough else { return .unknown }
        guard let record = records[name] else {
            return id <= losses(of: name).removedThrough ? .removed : .unknown
        }
        applyRetention(to: record, at: now)
        let index = record.index(before: id)
        if index < record.ring.count, record.ring[index].id == id {
            return .found(record.ring[index])
        }
        if let older = record.older, id >= older.oldest, id <= older.newest {
            return .older(LogPosition(after: id.predecessor, reportedThrough: id))
        }
        return id <= losses(of: record).removedThrough ? .removed : .unknown
    }

    /// What there is, by count.
    var counts: BusStatistics {
        var counts = statistics
        counts.topics = records.count
        counts.tombstones = tombstones.count
        counts.subscribers = subscribers.total
        counts.pendingBytes = pendingBytes
        return counts
    }
}
