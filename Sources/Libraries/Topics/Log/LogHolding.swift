extension EventLog {
    /// Lets the hold of a topic follow its group, and end with it.
    mutating func followHold(of record: TopicRecord) {
        guard record.settings.hold != nil || record.hold != nil else { return }
        let from = record.settings.hold.flatMap { held[$0.group] }
        if from == nil, let gone = record.settings.hold {
            noteHolder(from: gone, to: nil)
            record.settings.hold = nil
            noteChange(of: record)
        }
        steps += record.follow(from)
    }

    /// Sets the first id that a group needs of the topics held for it; nil where the group is gone.
    mutating func setHeld(group: GroupNumber, from id: EventID?) {
        held[group] = id
        if id == nil, holders[group] != nil { isHolderGone = true }
    }

    /// Has the next sweep look after all topics, if a group ended that topics were held for.
    ///
    /// This happens once a second, however many groups end. A topic that somebody asks for or
    /// publishes to was looked after at once.
    mutating func lookForEndedHolds() {
        guard isHolderGone else { return }
        isHolderGone = false
        sweepPlace = 0
    }

    /// Counts the held bytes of a topic in the sums of all topics and of its owner.
    mutating func noteHeld(of record: TopicRecord) { note(record.heldBytes, of: record) }

    private mutating func note(_ now: HeldBytes, of record: TopicRecord) {
        guard now != record.countedHeld else { return }
        heldBytes.change(from: record.countedHeld, to: now)
        if let owner = record.owner {
            var own = heldByOwner[owner] ?? HeldBytes()
            own.change(from: record.countedHeld, to: now)
            heldByOwner[owner] = own == HeldBytes() ? nil : own
        }
        record.countedHeld = now
    }

    /// Takes a topic that goes out of the sums of held bytes, and out of the count of its group.
    mutating func forgetHold(of record: TopicRecord) {
        note(HeldBytes(), of: record)
        noteHolder(from: record.settings.hold, to: nil)
    }

    /// Counts a topic for its new group, and no more for its old one.
    mutating func noteHolder(from oldHold: TopicHolder?, to newHold: TopicHolder?) {
        let (old, new) = (oldHold?.group, newHold?.group)
        guard old != new else { return }
        if let old {
            let left = (holders[old] ?? 1) - 1
            holders[old] = left == 0 ? nil : left
        }
        if let new { holders[new, default: 0] += 1 }
    }

    /// Refuses a batch if the bounds of its topic would have to take events that a group has not
    /// settled.
    ///
    /// Batches that wait for the store are not counted, so their events may take a topic over its
    /// bounds. Retention catches up only later.
    mutating func checkHold(
        of record: TopicRecord, _ batch: PublishBatch, _ room: MemoryRoom
    ) throws(BusError) {
        guard record.settings.hold != nil else { return }
        followHold(of: record)
        noteSize(of: record)
        guard let group = record.settings.hold, let hold = record.hold else { return }
        let retention = record.settings.retention
        var sum = EventSum(batch)
        let isAlone = retention.isExceeded(by: sum)
        sum += record.sum
        if retention.isExceeded(by: sum), isAlone || record.oldestID.map(hold.holds) ?? true {
            throw .topicFull(
                "\(record.name) is full of events that the group \(group.name) has not settled: let its "
                    + "workers go on, widen the bounds of the topic, or end its hold")
        }
        try checkShare(of: record, batch, room)
    }

    /// Refuses a batch if held events would then fill more than half of the memory or the store, or
    /// those of the topic's owner more than three quarters of that half.
    private func checkShare(
        of record: TopicRecord, _ batch: PublishBatch, _ room: MemoryRoom
    ) throws(BusError) {
        let isStored = keepsOlder && record.settings.persists
        guard let all = isStored ? storeBytesMax : room.bytesMax else { return }
        func exceeds(_ held: HeldBytes, _ share: Int) -> Bool {
            batch.memoryBytes + (isStored ? held.store : held.memory) > share
        }
        let place = isStored ? "store" : "memory"
        guard !exceeds(heldBytes, all / 2) else {
            throw .topicFull(
                "half of the \(place) is full of events that groups have not settled: let their "
                    + "workers go on, or end the hold of a topic")
        }
        guard let owner = record.owner, let own = heldByOwner[owner],
            exceeds(own, all / 8 * 3)
        else { return }
        throw .topicFull(
            "three eighths of the \(place) are full of events of your topics that groups have not "
                + "settled, which is a user's share: let their workers go on, or end the hold of a "
                + "topic")
    }
}

extension EventBus {
    /// Has topics that are held for a group keep their events from an id on; nil lets them go.
    ///
    /// Retention of these topics follows within a second. For groups that a store retained, all
    /// events of their topics are held until this is called. The hold of a group that is gone ends,
    /// and no other group gets its number. So call this before a topic can be registered with the
    /// hold.
    ///
    /// - Complexity: O(1).
    package func setHeld(group: GroupNumber, from id: EventID?) {
        held[group] = id
        withLog { $0.setHeld(group: group, from: id) }
    }

    /// Whether a topic is held for a group.
    package func isHolding(for group: GroupNumber) -> Bool {
        withLog { $0.holders[group] != nil }
    }
}
