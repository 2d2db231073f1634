internal import Queues

/// Short reads: of one topic, and of events that became visible since a reader looked last.
extension EventLog {
    /// Reads the events after `position` in one topic into `batch`; nil where the filter skipped as
    /// much as one hold of the lock has room for.
    mutating func read(
        _ position: LogPosition, _ name: TopicName, _ batch: inout ReadBatch, now: Timestamp
    ) -> LogRead? {
        let record = records[name]
        if let record { applyRetention(to: record, at: now) }
        let losses = record.map(losses(of:)) ?? losses(of: name)
        if let outcome = detectGap(position, losses) ?? older(position, record) { return outcome }
        if let record { gather(record, position, through: newest, &batch) }
        return batch.outcome(from: position, newest: newest)
    }

    /// Reads the events of `news` for a reader that had everything before them; nil as above.
    mutating func read(
        _ position: LogPosition, of news: LogNews, _ batch: inout ReadBatch, now: Timestamp
    ) -> LogRead? {
        let topics = news.topics.compactMap { records[$0] }.filter { $0.newest > position.after }
        for record in topics { applyRetention(to: record, at: now) }
        guard mayMiss(position) else {
            return read(topics, position, nil, through: news.through, &batch)
        }
        var losses = tombstones.floor
        for name in news.topics { losses.rise(to: self.losses(of: name)) }
        return read(
            topics, position, detectGap(position, losses), through: news.through, &batch)
    }

    private func read(
        _ topics: [TopicRecord], _ position: LogPosition, _ gap: LogRead?, through: EventID,
        _ batch: inout ReadBatch
    ) -> LogRead? {
        let outcome = gap ?? topics.lazy.compactMap { older(position, $0) }.first
        if let outcome { return outcome }
        if topics.count == 1 {
            gather(topics[0], position, through: through, &batch)
        } else {
            merge(topics, position, through: through, &batch)
        }
        return batch.outcome(from: position, newest: through)
    }

    private func older(_ position: LogPosition, _ record: TopicRecord?) -> LogRead? {
        guard let older = record?.older, older.newest > position.after else { return nil }
        return .older(position)
    }

    private func gather(
        _ record: TopicRecord, _ position: LogPosition, through: EventID,
        _ batch: inout ReadBatch
    ) {
        var index = record.index(after: position.after, isWaiting: position.isWaiting)
        while index < record.ring.count {
            let event = record.ring[index]
            guard event.id <= through, batch.take(event) else { return }
            index += 1
        }
    }

    private func merge(
        _ topics: [TopicRecord], _ position: LogPosition, through: EventID,
        _ batch: inout ReadBatch
    ) {
        var heads = Heap(
            topics.compactMap { record -> TopicHead? in
                let index = record.index(after: position.after, isWaiting: position.isWaiting)
                guard index < record.ring.count else { return nil }
                return TopicHead(id: record.ring[index].id, record: record)
            })
        while let head = heads.first, head.id <= through {
            let ring = head.record.ring
            let index = ring.partition(0..<ring.count) { $0.id >= head.id }
            guard batch.take(ring[index]) else { return }
            if index + 1 < ring.count {
                heads.replaceFirst(
                    with: TopicHead(id: ring[index + 1].id, record: head.record))
            } else {
                _ = heads.removeFirst()
            }
        }
    }
}
