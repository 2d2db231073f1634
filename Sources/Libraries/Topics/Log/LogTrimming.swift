extension EventLog {
    /// Applies retention and grace to one topic, as of `now`; it may vanish by that.
    ///
    /// At most `Limits.retiredEventsMax` events over the bounds go, the oldest first, so that
    /// nobody waits for the lock for long. The next sweep goes on with the rest. On a shared order the
    /// store decides which events go, and the log is told.
    ///
    /// - Returns: Whether there is more to go.
    @discardableResult
    mutating func applyRetention(to record: TopicRecord, at now: Timestamp) -> Bool {
        followHold(of: record)
        let overdue =
            isShared ? 0 : record.overdue(at: now, atMost: Limits.retiredEventsMax)
        if overdue > 0 {
            let stored = record.lose(overdue, at: now)
            statistics.retired += overdue
            statistics.retained -= overdue
            if keepsOlder, stored > 0 { askTrim(record, now) }
        } else if !isShared, !record.isTrimAsked, record.isOlderOverdue(at: now) {
            record.isTrimAsked = true
            askTrim(record, now)
        }
        let bytes = record.memoryBytes
        let released = deferredEffects.events.count
        record.endGrace(
            limits.graceMicroseconds, at: now, atMost: Limits.retiredEventsMax,
            into: &deferredEffects.events)
        eventBytes -= bytes - record.memoryBytes
        if overdue > 0 || bytes != record.memoryBytes { noteLosses(of: record) }
        steps += overdue + deferredEffects.events.count - released
        noteSize(of: record)
        let isMore = overdue == Limits.retiredEventsMax
        if isMore { schedule(record, at: now) }
        // A group that goes on does not look at its topics, so they are looked at again.
        if record.hold != nil, record.countedHeld != HeldBytes() || record.isOverBounds(at: now) {
            schedule(record, at: now.advanced(microseconds: Limits.heldLookMicroseconds))
        }
        schedule(record)
        vanishIfDone(record)
        return isMore
    }

    /// Notes the bytes of a topic that may be evicted, to choose the largest topic, and its held
    /// bytes.
    mutating func noteSize(of record: TopicRecord) {
        let bytes = record.evictableBytes
        let key = bytes == 0 ? nil : -bytes
        if sizes[record.node] != key { sizes[record.node] = key }
        noteHeld(of: record)
    }

    private mutating func askTrim(_ record: TopicRecord, _ now: Timestamp) {
        // The store counts its own events alone. So its bounds are those of the topic, less the
        // events that memory alone has.
        var retention = record.settings.retention
        let unstored = record.unstored
        retention.keep = retention.keep.map { max(0, $0 - (unstored.count - unstored.ofBus)) }
        retention.bytes = retention.bytes.map { max(0, $0 - unstored.bytes) }
        deferredEffects.trims.append(
            StoreTrim(
                topic: record.name, through: record.removedThrough, retention: retention,
                heldFrom: record.hold?.from, now: now))
    }

    /// Notes that the store removed events of a topic.
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
        let due = record.due(grace: limits.graceMicroseconds, ages: !isShared)
        if let due { schedule(record, at: due) }
    }

    private mutating func schedule(_ record: TopicRecord, at time: Timestamp) {
        if let due = dues[record.node], due <= time { return }
        dues[record.node] = time
    }

    /// Looks after topics that are due, some at a time. Returns whether there are more.
    ///
    /// After the clock was set back, topics that are due by the old time are never found. So all
    /// topics are looked after once.
    mutating func sweep(now: Timestamp) -> Bool {
        if now < swept.advanced(microseconds: -limits.graceMicroseconds) { sweepPlace = 0 }
        swept = now
        var topicsLeft = Limits.sweptTopicsMax
        let stepsMax = steps + Limits.retiredEventsMax
        while topicsLeft > 0, steps < stepsMax {
            topicsLeft -= 1
            guard let place = nextSwept(now) else { return false }
            guard let record = order[place] else { continue }
            dues[place] = nil
            applyRetention(to: record, at: now)
        }
        return true
    }

    /// The place of the topic to look after next; nil where there is none.
    private mutating func nextSwept(_ now: Timestamp) -> Int? {
        if let place = sweepPlace {
            sweepPlace = place + 1 < order.places ? place + 1 : nil
            if place < order.places { return place }
        }
        return dues.first.flatMap { $0.key <= now ? $0.place : nil }
    }

    // MARK: By memory

    /// Sees to it that `bytes` more fit, at the cost of the oldest events of the largest topics.
    mutating func makeRoom(for bytes: Int, in room: MemoryRoom) throws(BusError) {
        let missing = room.others + eventBytes + topicBytes + bytes - room.bytesMax
        guard missing > 0 else { return }
        let available = evictableBytes
        guard missing <= available else {
            throw .limit(
                .memory,
                "the batch needs \(bytes) bytes of memory, and only "
                    + "\(max(0, available - missing + bytes)) can be freed: publish less at a "
                    + "time, or raise the memory limit of \(room.bytesMax) bytes")
        }
        evict(min(available, missing + room.bytesMax / Limits.roomSlackDivisor))
    }

    /// Bytes that can be freed at most.
    var evictableBytes: Int { eventBytes - pendingBytes - heldBytes.memory }

    /// Lets go of the oldest events wherever more is held than a common level, which is chosen so
    /// that at least `bytes` become free.
    ///
    /// - Complexity: O(topics that lose something × log topics + events that go).
    mutating func evict(_ bytes: Int) {
        let (level, places) = largest(freeing: bytes)
        for place in places {
            if let record = order[place] { evict(record, downTo: level) }
        }
    }

    /// The common level that frees so many bytes, and the places of the topics above it.
    private mutating func largest(freeing bytes: Int) -> (level: Int, places: [Int]) {
        var looks = 0
        let falling = sizes.rising.lazy.map { entry in
            looks += 1
            return -entry.key
        }
        let level = CommonLevel.of(falling, freeing: bytes)
        steps += looks
        let above = sizes.rising.prefix { -$0.key > level }
        return (level, above.map(\.place))
    }

    private mutating func evict(_ record: TopicRecord, downTo level: Int) {
        let (bytes, retained) = (record.memoryBytes, record.retainedCount)
        while record.evictableBytes > level {
            deferredEffects.events.append(record.dropFirst())
            deferredEffects.evicted += 1
            statistics.evicted += 1
        }
        eventBytes -= bytes - record.memoryBytes
        statistics.forgotten += retained - record.retainedCount
        statistics.retained += record.retainedCount - retained
        noteLosses(of: record)
        noteSize(of: record)
        schedule(record)
        vanishIfDone(record)
    }
}
