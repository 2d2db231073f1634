extension EventBus {
    /// A topic whose name differs from this one only in the case of letters. Three usual spellings are looked up.
    package func namesake(of topic: TopicName) -> TopicName? {
        withLog { $0.namesake(of: topic) }
    }

    /// Whether a restart keeps topics, their settings, and the events of those that persist.
    package var outlivesRestarts: Bool { withLog { $0.keepsOlder } }
}

extension EventLog {
    func describe(_ record: TopicRecord) -> TopicDescription {
        TopicDescription(
            name: record.name, isRegistered: record.isRegistered, events: record.retainedCount,
            published: record.publishedCount, bytes: record.sum.bytes,
            oldest: record.oldestID, newest: record.newestID, newestTime: record.newestTime,
            subscribers: subscribers.matching(record), retention: record.settings.retention,
            persists: record.settings.persists, hold: record.settings.hold?.name,
            expect: record.settings.expect, silentSince: record.silence?.since,
            owner: record.owner)
    }

    /// One topic as it is now; nil if there is none.
    mutating func description(of name: TopicName, now: Timestamp) -> TopicDescription? {
        guard let record = records[name] else { return nil }
        applyRetention(to: record, at: now)
        return records[name].map(describe)
    }

    /// Calls `body` with each topic of a selector, or with all for nil, as it is now: some at a time,
    /// from a place of the order on. Returns the place to go on from; nil at the end.
    mutating func visit(
        _ selector: Selector?, from place: Int, now: Timestamp, _ steps: inout Int,
        _ body: (TopicRecord) -> Void
    ) -> Int? {
        func visit(_ record: TopicRecord) {
            applyRetention(to: record, at: now)
            if records[record.name] === record { body(record) }
        }
        if let name = selector?.singleName {
            if let record = records[name] { visit(record) }
            return nil
        }
        var place = place
        while place < order.places {
            guard steps > 0 else { return place }
            steps -= selector?.terms.count ?? 1
            if let record = order[place], selector?.matches(record.name) ?? true {
                steps -= Limits.topicVisitSteps
                visit(record)
            }
            place += 1
        }
        return nil
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
            // Losses up to now are no gap in front of it: behind a restored backup all ids of the
            // life before count as lost. Losses from now until it is read are one.
            return .older(
                LogPosition(
                    after: id.predecessor,
                    reportedThrough: max(id, losses(of: record).removedThrough)))
        }
        return id <= losses(of: record).removedThrough ? .removed : .unknown
    }

    /// Notes that a dead letter was published again; the store has noted it already.
    mutating func noteRevived(_ letter: WorkChange.Letter) {
        records[letter.topic]?.noteRevived(letter.id)
    }

    /// Counts of everything that the bus has done and holds.
    var counts: BusStatistics {
        var counts = statistics
        counts.topics = records.count
        counts.tombstones = tombstones.count
        counts.subscribers = subscribers.total
        counts.pendingBytes = pendingBytes
        return counts
    }
}
