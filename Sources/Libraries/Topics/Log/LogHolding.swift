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

    /// Has topics that are held be held from another id on; nil where their group is gone.
    mutating func setHeld(group: GroupNumber, from id: EventID?) {
        held[group] = id
        if id == nil, holders[group] != nil { isHolderGone = true }
    }

    /// Has a sweep look after all topics, where the group of some is gone.
    ///
    /// Once a second, however many groups end. A topic that somebody asks for or publishes to was
    /// looked after at once.
    mutating func lookForEndedHolds() {
        guard isHolderGone else { return }
        isHolderGone = false
        sweepPlace = 0
    }

    /// Counts what is held of a topic into what is held of all, and of its owner's.
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

    /// Counts out what is held of a topic that goes, and that it holds for a group.
    mutating func forgetHold(of record: TopicRecord) {
        note(HeldBytes(), of: record)
        noteHolder(from: record.settings.hold, to: nil)
    }

    /// Counts the topics that are held for each group.
    mutating func noteHolder(from oldHold: TopicHolder?, to newHold: TopicHolder?) {
        let (old, new) = (oldHold?.group, newHold?.group)
        guard old != new else { return }
        if let old {
            let left = (holders[old] ?? 1) - 1
            holders[old] = left == 0 ? nil : left
        }
        if let new { holders[new, default: 0] += 1 }
    }

    /// The group that a topic is held for; nil for none, and where the group is gone.
    func holder(of topic: TopicName) -> TopicHolder? {
        records[topic]?.settings.hold.flatMap { held[$0.group] == nil ? nil : $0 }
    }

    /// Refuses a batch for which a bound would have to take what a group has not settled.
    ///
    /// Retention catches up only later, so a topic may be over its bounds by what was on its way.
    mutating func checkHold(
        of record: TopicRecord, _ batch: PublishBatch, _ room: MemoryRoom
    ) throws(BusError) {
        guard record.settings.hold != nil else { return }
        followHold(of: record)
        noteSize(of: record)
        guard let group = record.settings.hold, let hold = record.hold else { return }
        let keep = record.settings.retention.keep ?? .max
        let bytes = record.settings.retention.bytes ?? .max
        let isOver =
            record.retainedCount + batch.payloads.count > keep
            || record.allRetainedBytes + batch.payloadBytes > bytes
        let isAlone = batch.payloads.count > keep || batch.payloadBytes > bytes
        if isOver, isAlone || record.oldestID.map(hold.holds) ?? true {
            throw .topicFull(
                "\(record.name) is full of events that the group \(group.name) has not settled: let its "
                    + "workers go on, widen the bounds of the topic, or end its hold")
        }
        try checkShare(of: record, batch, room)
    }

    /// Refuses a batch whose topic would hold more than half of what there is with all others, or more
    /// than three quarters of that with those of its owner.
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
    /// Has events of topics that are held for a group stay from an id on; nil lets them go.
    ///
    /// Retention of these topics follows within a second. What a store retained of groups is held as
    /// a whole until this is called. Holds for a group that is gone end, and no other group has its
    /// number: so this comes before a topic can be registered with the hold.
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

    /// The group that a topic is held for; nil for none.
    package func holder(of topic: TopicName) -> TopicHolder? {
        withLog { $0.holder(of: topic) }
    }
}
