extension EventLog {
    /// Applies retention and grace to one topic, as of `now`; it may vanish by that.
    mutating func applyRetention(to record: TopicRecord, at now: Timestamp) {
        let overdue = record.overdue(at: now)
        if overdue > 0 {
            let stored = record.lose(overdue, at: now)
            statistics.retired += overdue
            statistics.retained -= overdue
            if keepsOlder, stored > 0 { askTrim(record, now) }
        } else if !record.isTrimAsked, record.isOlderOverdue(at: now) {
            record.isTrimAsked = true
            askTrim(record, now)
        }
        let bytes = record.memoryBytes
        record.endGrace(limits.graceMicroseconds, at: now, into: &leftovers.events)
        eventBytes -= bytes - record.memoryBytes
        if overdue > 0 || bytes != record.memoryBytes { noteLosses(of: record) }
        schedule(record)
        vanishIfDone(record)
    }

    private mutating func askTrim(_ record: TopicRecord, _ now: Timestamp) {
        // The store counts what it has, and of the bounds it has what memory alone leaves of them.
        var retention = record.settings.retention
        retention.keep = retention.keep.map { max(0, $0 - record.unstoredCount) }
        retention.bytes = retention.bytes.map { max(0, $0 - record.unstoredBytes) }
        leftovers.trims.append(
            StoreTrim(
                topic: record.name, through: record.removedThrough, retention: retention, now: now))
    }

    /// The store removed something of a topic.
    mutating func applyStoreLoss(_ topic: TopicName, _ loss: StoreLoss, now: Timestamp) {
        guard let record = records[topic] else { return }
        let retained = record.retainedCount
        record.applyStoreLoss(loss, at: now)
        statistics.storeRemoved += retained - record.retainedCount
        statistics.retained += record.retainedCount - retained
        noteLosses(of: record)
        applyRetention(to: record, at: now)
    }

    // MARK: By time

    /// Notes when a topic wants to be looked after next.
    mutating func schedule(_ record: TopicRecord) {
        guard let due = record.due(grace: limits.graceMicroseconds) else { return }
        if let scheduled = record.scheduled, scheduled <= due { return }
        record.scheduled = due
        dues.insert(Due(time: due, record: record))
        if dues.count > 2 * records.count + 64 { forgetStaleDues() }
    }

    private mutating func forgetStaleDues() {
        dues = Heap(
            records.values.compactMap { record in
                record.scheduled.map { Due(time: $0, record: record) }
            })
    }

    /// Looks after topics that are due, some at a time. Returns whether there are more.
    ///
    /// After the clock was set back, what is due by the old time is never found: all topics are
    /// looked after once.
    mutating func sweep(now: Timestamp) -> Bool {
        if now < swept.advanced(microseconds: -limits.graceMicroseconds) {
            for record in Array(records.values) { applyRetention(to: record, at: now) }
        }
        swept = now
        for _ in 0..<Limits.sweptTopicsMax {
            guard let due = dues.first, due.time <= now else { return false }
            _ = dues.removeFirst()
            guard due.record.scheduled == due.time else { continue }
            due.record.scheduled = nil
            applyRetention(to: due.record, at: now)
        }
        return true
    }

    // MARK: By memory

    /// Sees to it that `bytes` more fit, at the cost of the oldest events of the largest topics.
    mutating func makeRoom(for bytes: Int, in room: MemoryRoom) throws(BusError) {
        let missing = room.others + eventBytes + topicBytes + bytes - room.bytesMax
        guard missing > 0 else { return }
        let available = eventBytes - pendingBytes
        guard missing <= available else {
            throw .limit(
                .memory,
                "the batch needs \(bytes) bytes of memory, and only "
                    + "\(max(0, available - missing + bytes)) can be freed: publish less at a "
                    + "time, or raise the memory limit of \(room.bytesMax) bytes")
        }
        evict(min(available, missing + room.bytesMax / Limits.roomSlackDivisor))
    }

    /// Lets go of the oldest events wherever more is held than a common level, which is chosen so
    /// that at least `bytes` become free.
    ///
    /// - Complexity: O(topics × log topics + events that go).
    mutating func evict(_ bytes: Int) {
        let largest = records.values.filter { $0.memoryBytes > 0 }
            .sorted { $0.memoryBytes > $1.memoryBytes }
        let level = CommonLevel.of(largest.map(\.memoryBytes), freeing: bytes)
        for record in largest {
            guard record.memoryBytes > level else { break }
            evict(record, downTo: level)
        }
    }

    private mutating func evict(_ record: TopicRecord, downTo level: Int) {
        let (bytes, retained) = (record.memoryBytes, record.retainedCount)
        while record.memoryBytes > level {
            leftovers.events.append(record.dropFirst())
            leftovers.evicted += 1
            statistics.evicted += 1
        }
        eventBytes -= bytes - record.memoryBytes
        statistics.forgotten += retained - record.retainedCount
        statistics.retained += record.retainedCount - retained
        noteLosses(of: record)
        schedule(record)
        vanishIfDone(record)
    }
}
