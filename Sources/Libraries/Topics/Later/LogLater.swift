/// The events that are held until they are due, as the bus shows them.
struct LaterIndex {
    /// Those that the store holds.
    var table = LaterTable()
    /// Bytes that they will take once they are visible, and those of each user.
    private(set) var bytes = 0
    private(set) var bytesByUser: [UInt32?: Int] = [:]
    private var chargedBytes = 0

    /// The bytes of memory by which it has grown since the last call.
    ///
    /// - Parameter withPayloads: Whether memory has the payloads too.
    mutating func takeGrowth(withPayloads: Bool) -> Int {
        let now = table.memoryBytes + (withPayloads ? bytes : 0)
        defer { chargedBytes = now }
        return now - chargedBytes
    }

    mutating func add(_ head: HeldHead) {
        table.hold(head)
        table.committed()
        count(head, 1)
    }

    /// Events are held no more. Returns their head; nil where they were not.
    mutating func end(
        _ ticket: EventID, _ outcome: LaterTable.Outcome, at time: Timestamp
    ) -> HeldHead? {
        guard let head = table.end(ticket, outcome, at: time) else { return nil }
        table.committed()
        _ = table.forgetEndings(at: time)
        count(head, -1)
        return head
    }

    /// A schedule goes on.
    mutating func goOn(_ next: HeldHead) {
        table.hold(next)
        table.committed()
    }

    /// Lets go of some events that are held for a topic. Returns their heads.
    mutating func drop(_ topic: TopicName, atMost countMax: Int) -> [HeldHead] {
        let dropped = table.drop(topic, atMost: countMax)
        table.committed()
        for head in dropped { count(head, -1) }
        return dropped
    }

    private mutating func count(_ head: HeldHead, _ sign: Int) {
        let change = sign * head.eventBytes
        bytes += change
        let ofUser = bytesByUser[head.sender.uid, default: 0] + change
        bytesByUser[head.sender.uid] = ofUser == 0 ? nil : ofUser
    }
}

extension EventLog {
    /// Checks events that are to be held, and takes a place for their topic.
    mutating func prepareHold(
        _ batch: PublishBatch, room: MemoryRoom
    ) throws(BusError) {
        try check(batch)
        let record = records[batch.topic]
        let retention = record?.settings.retention ?? defaults
        try Self.check(batch, eventBytesMax: retention.bytes ?? .max)
        if record == nil { try checkNewTopic(batch.topic, by: batch.sender.uid) }
        try checkLaterShare(of: batch, room)
        coming.reserve(batch.topic, for: batch.sender.uid, isThere: record != nil)
    }

    /// Refuses events if held ones would then fill more than half of the memory or the store, or those of
    /// their user more than three quarters of that half. Topics that are held for groups have the same half.
    private func checkLaterShare(
        of batch: PublishBatch, _ room: MemoryRoom
    ) throws(BusError) {
        guard let all = keepsOlder ? storeBytesMax : room.bytesMax else { return }
        let topics = keepsOlder ? heldBytes.store : heldBytes.memory
        let place = keepsOlder ? "store" : "memory"
        guard later.bytes + topics + batch.memoryBytes <= all / 2 else {
            throw .topicFull(
                "half of the \(place) is full of events that are held until they are due, or for groups: "
                    + "cancel some, or let workers go on")
        }
        let own = later.bytesByUser[batch.sender.uid, default: 0]
        guard own + batch.memoryBytes <= all / 8 * 3 else {
            throw .topicFull(
                "three eighths of the \(place) are full of your events that are held until they are due, "
                    + "which is a user's share: cancel some")
        }
    }

    /// Shows that events are held, whose topic has its place.
    mutating func hold(_ head: HeldHead) { later.add(head) }

    /// Shows that events are held which another host brought, and takes a place for their topic.
    mutating func arrive(_ head: HeldHead) {
        let isThere = records[head.topic] != nil
        coming.reserve(head.topic, for: head.sender.uid, isThere: isThere)
        later.add(head)
    }

    /// Events are held no more, and their topic needs no place for them.
    mutating func endHold(
        _ ticket: EventID, _ outcome: LaterTable.Outcome, at time: Timestamp
    ) {
        guard let head = later.end(ticket, outcome, at: time) else { return }
        release(head.topic, by: head.sender.uid)
    }

    /// Lets go of some events that are held for a topic that is removed. Returns whether there may be more.
    mutating func dropHeld(for topic: TopicName) -> Bool {
        let dropped = later.drop(topic, atMost: Limits.droppedBatchesMax)
        for head in dropped { release(topic, by: head.sender.uid) }
        return dropped.count == Limits.droppedBatchesMax
    }

    /// Calls `body` with each topic of a selector that has nothing but held events, some at a time, from a place of
    /// the table on. Returns the place to go on from; nil at the end.
    func visitHeld(
        _ selector: Selector, from place: Int, _ steps: inout Int, _ body: (TopicName) -> Void
    ) -> Int? {
        if let name = selector.singleName {
            if records[name] == nil, later.table.holdsAny(for: name) { body(name) }
            return nil
        }
        let topics = later.table.topics
        for place in topics.indices.dropFirst(place) {
            guard steps > 0 else { return place }
            steps -= selector.terms.count
            guard let name = topics[place], records[name] == nil, selector.matches(name) else {
                continue
            }
            steps -= Limits.topicVisitSteps
            body(name)
        }
        return nil
    }

    /// Takes over the events that the store holds.
    mutating func takeOver(_ stored: StoredLater) {
        for head in stored.heads {
            arrive(head)
        }
        for (ticket, ending) in stored.endings { later.table.load(ending, of: ticket) }
    }
}
