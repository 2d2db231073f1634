/// A batch that was checked and has its room in memory.
struct PreparedBatch: Sendable {
    let batch: PublishBatch
    let persists: Bool
    /// The user that made the topic, or makes it by this batch. The store is told this owner, and
    /// the log keeps to it even if the topic vanishes meanwhile.
    let owner: UInt32?
    /// Whether a place was taken for the topic, as it did not exist.
    let isReserved: Bool
}

/// The bound of the memory, and the part of it that others than the log hold, in bytes.
struct MemoryRoom {
    let bytesMax: Int
    let others: Int
}

extension EventLog {
    /// Checks a batch, makes room for it and counts it in, before the store sees it.
    ///
    /// The topic and the fields of the returned batch are the log's own copies of equal ones,
    /// so that a million events do not hold a million names.
    ///
    /// - Parameter isRevival: Whether the bus publishes a dead letter again, which has the type that it had.
    mutating func prepare(
        _ batch: PublishBatch, room: MemoryRoom, isRevival: Bool = false
    ) throws(BusError) -> PreparedBatch {
        try check(batch, isRevival: isRevival)
        let record = records[batch.topic]
        let retention = record?.settings.retention ?? defaults
        try Self.check(batch, eventBytesMax: retention.bytes ?? .max)
        if let record { try checkHold(of: record, batch, room) }
        if record == nil { try checkNewTopic(batch.topic, by: batch.sender.uid) }
        let isNew = record == nil && !coming.has(batch.topic)
        let topicBytes = isNew ? Overhead.topicBytes : 0
        try makeRoom(for: batch.memoryBytes + topicBytes, in: room)
        eventBytes += batch.memoryBytes
        pendingBytes += batch.memoryBytes
        guard let record else {
            coming.reserve(batch.topic, for: batch.sender.uid)
            return PreparedBatch(
                batch: batch, persists: true, owner: batch.sender.uid, isReserved: true)
        }
        return PreparedBatch(
            batch: Self.sharing(record, batch), persists: record.settings.persists,
            owner: record.owner, isReserved: false)
    }

    /// The batch with the topic's own name and fields.
    private static func sharing(_ record: TopicRecord, _ batch: PublishBatch) -> PublishBatch {
        let isSame = record.metadata == batch.metadata
        let metadata = isSame ? record.metadata : batch.metadata
        if batch.topic.isCopy(of: record.name), batch.metadata.isCopy(of: metadata) {
            return batch
        }
        return PublishBatch(batch, topic: record.name, metadata: metadata)
    }

    func check(_ batch: PublishBatch, isRevival: Bool = false) throws(BusError) {
        try checkOpen(batch.topic)
        if batch.metadata.isOfBus, !isRevival {
            throw .typeReserved(batch.metadata.type ?? "")
        }
        try Self.check(batch, eventBytesMax: limits.eventBytesMax)
        guard batch.payloads.count <= limits.batchEventsMax,
            batch.payloadBytes <= limits.batchBytesMax
        else {
            throw .batchTooLarge(
                eventsMax: limits.batchEventsMax, bytesMax: limits.batchBytesMax)
        }
    }

    static func check(
        _ batch: PublishBatch, eventBytesMax bytesMax: Int
    ) throws(BusError) {
        guard batch.payloadBytes > bytesMax,
            let index = batch.payloads.firstIndex(where: { $0.count > bytesMax })
        else { return }
        throw .eventTooLarge(bytesMax: bytesMax, index: index)
    }

    private func checkOpen(_ topic: TopicName) throws(BusError) {
        if isDraining { throw .draining }
        if topic.isReserved { throw .topicReserved(topic) }
    }

    func checkNewTopic(_ name: TopicName, by uid: UInt32?) throws(BusError) {
        guard autocreate else { throw .topicUnknown(name) }
        try checkTopicCount(with: name, by: uid)
    }

    private func checkTopicCount(with name: TopicName, by uid: UInt32?) throws(BusError) {
        guard !coming.has(name, of: uid) else { return }
        let count = records.count + coming.count
        guard count < limits.topicsMax || coming.has(name) else {
            throw .limit(
                .topics,
                "there are \(count) topics, and no more are allowed: remove some, or raise the "
                    + "limit of topics")
        }
        let own = topicsByOwner[uid, default: 0] + coming.count(of: uid)
        if let ownMax = limits.topicsPerUIDMax, own >= ownMax {
            throw .callerTopics(uid: uid, count: own, vanishes: nextVanishing(of: uid))
        }
    }

    /// The time at which the first of a user's topics vanishes with its last event. Nil where that
    /// topic is not among those that were quiet longest.
    ///
    /// - Complexity: O(`Limits.vanishingLooksMax`): a caller that meets the limit may retry at
    ///   once.
    private func nextVanishing(of uid: UInt32?) -> Timestamp? {
        var next: Timestamp?
        order.visitQuiet(atMost: Limits.vanishingLooksMax) { record in
            guard !record.isRegistered, record.owner == uid, let time = record.vanishes else {
                return
            }
            next = min(next ?? time, time)
        }
        return next
    }

    /// Counts a batch out again that waited for the store, whether or not the store took it.
    mutating func settle(_ prepared: PreparedBatch) {
        if prepared.isReserved { release(prepared.batch.topic, by: prepared.owner) }
        eventBytes -= prepared.batch.memoryBytes
        pendingBytes -= prepared.batch.memoryBytes
    }

    /// Gives back the place of a topic that the store has made, or has refused to make.
    mutating func release(_ name: TopicName, by uid: UInt32?) {
        coming.release(name, for: uid, isThere: records[name] != nil)
    }

    /// Makes the events of one batch visible that the order has, of this host or another one, and
    /// never refuses. `owner` is the user that made the topic, or makes it by them. Returns how many
    /// subscriptions match their topic, and the namesake of the topic if they make it.
    mutating func arrive(
        _ events: [Event], owner: UInt32?, now: Timestamp
    ) -> (subscribers: Int, namesake: TopicName?) {
        let topic = events[0].topic
        let found = records[topic]
        let namesake = found == nil ? namesake(of: topic) : nil
        let record = found ?? make(topic, settings: nil, owner: owner, inFront: true)
        record.metadata = events[0].metadata
        let bytes = record.memoryBytes
        for event in events {
            record.append(event)
            statistics.publishedBytes += event.payload.count
        }
        eventBytes += record.memoryBytes - bytes
        record.publishedCount += events.count
        order.moveToFront(record.node)
        rise(to: record.newest)
        statistics.batches += 1
        statistics.published += events.count
        statistics.retained += events.count
        let count = subscribers.matching(record)
        applyRetention(to: record, at: now)
        return (count, namesake)
    }

    /// A topic whose name differs from that of a new one only in the case of letters. Three usual
    /// spellings are looked up, not all that there are.
    func namesake(of topic: TopicName) -> TopicName? {
        let small = topic.text.lowercased()
        for text in [small, small.prefix(1).uppercased() + small.dropFirst(), small.uppercased()]
        where text != topic.text {
            if let name = try? TopicName(text), let record = records[name] { return record.name }
        }
        return nil
    }

    // MARK: Settings and removal

    /// Checks that a topic may be registered. Returns whether a place was taken for it, which is
    /// to be released when the store has answered.
    mutating func prepareRegistration(
        _ topic: TopicName, by uid: UInt32?
    ) throws(BusError) -> Bool {
        try checkOpen(topic)
        guard records[topic] == nil else { return false }
        try checkTopicCount(with: topic, by: uid)
        coming.reserve(topic, for: uid)
        return true
    }

    /// Applies settings to a new topic or an old one. Returns the topic, and whether it is new.
    mutating func register(
        _ topic: TopicName, _ change: SettingsChange, owner: UInt32?, now: Timestamp
    ) -> (topic: TopicDescription, isNew: Bool) {
        // Events that the old settings removed by now must not come back under the new ones.
        if let record = records[topic] { applyRetention(to: record, at: now) }
        let found = records[topic]
        let isNew = found == nil
        let settings = change.applied(to: found.flatMap { $0.isRegistered ? $0.settings : nil })
        let record = found ?? make(topic, settings: settings, owner: owner, inFront: false)
        noteHolder(from: isNew ? nil : record.settings.hold, to: settings.hold)
        record.isRegistered = true
        record.settings = settings
        noteChange(of: record)
        applyRetention(to: record, at: now)
        return (topic: describe(record), isNew: isNew)
    }

    /// Checks that there is a topic to remove.
    func prepareRemoval(_ topic: TopicName) throws(BusError) {
        try checkOpen(topic)
        guard records[topic] != nil || later.table.holdsAny(for: topic) else {
            throw .topicUnknown(topic)
        }
    }

    /// Removes everything that is visible of a topic, at the place `id` of the order; false where it is
    /// gone already.
    @discardableResult
    mutating func remove(_ topic: TopicName, at id: EventID) -> Bool {
        rise(to: id)
        guard let record = records[topic] else {
            tombstones.set(newest: .zero, of: topic)
            return false
        }
        statistics.deleted += record.retainedCount
        statistics.retained -= record.retainedCount
        eventBytes -= record.memoryBytes
        deferredEffects.rings.append(record.surrender())
        noteLosses(of: record)
        bury(record, newest: .zero)
        return true
    }
}
