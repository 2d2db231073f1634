internal import Topics

/// The changes of a replica that no entry asks for: events go by the bounds of their topics, by
/// their age and by the bytes of all, and old tombstones are told together.
///
/// They follow from the rows, the settings of the order, and the place of the group. So all replicas
/// make the same changes with the same group. The tables here follow from the rows, too: they are
/// made anew after a start and after a transaction that was rolled back.
///
/// Runs within the transaction that is open. Belongs to the writer's thread.
struct ReplicaRules {
    /// When the oldest event of a topic is over its age, or a time before that.
    private struct Due: Comparable {
        let time: Timestamp
        let topic: TopicName

        static func < (left: Due, right: Due) -> Bool {
            left.time == right.time ? left.topic.text < right.topic.text : left.time < right.time
        }
    }

    private let rows: EventRows
    private var space = TopicSpace()
    private let tombstones: TombstoneRows
    private let needed: Statement
    private let followed: FollowedRow
    private(set) var settings: OrderSettings
    private var isKnown = false
    private var dues = Heap<Due>()
    /// The entry of `dues` that counts for each topic.
    private var due: [TopicName: Timestamp] = [:]
    /// Topics that are over their bounds of events or bytes still, as no more may go with one group.
    private var over: Set<TopicName> = []
    private var holders: [GroupNumber: Set<TopicName>] = [:]
    /// Topics that the group has changed.
    private var touched: Set<TopicName> = []
    /// How many events may still go with this group.
    private var left = 0
    private var steps: [AppliedGroup.Step] = []

    init(_ database: Database, _ rows: EventRows, _ settings: OrderSettings) throws(DatabaseError) {
        self.rows = rows
        self.settings = settings
        tombstones = TombstoneRows(database)
        followed = try FollowedRow(database)
        needed = try database.prepare(
            """
            SELECT coalesce((SELECT min(id) FROM jobs WHERE in_group = number), reach + 1)
            FROM groups WHERE number = ?1
            """)
    }

    /// The transaction was rolled back, and these settings hold still.
    mutating func rolledBack(to settings: OrderSettings) {
        self.settings = settings
        isKnown = false
    }

    // MARK: A group

    /// Begins a group.
    mutating func begin(
        _ settings: OrderSettings?, _ topics: TopicRows
    ) throws(DatabaseError) {
        left = Limits.orderedRemovalsMax
        steps = []
        if let settings, settings != self.settings {
            self.settings = settings
            isKnown = false
        }
        if !isKnown { try learn(topics) }
    }

    /// Comes before an entry: events that the settings of before removed do not come back.
    mutating func prepare(
        _ entry: StoreEntry, at now: Timestamp, _ topics: inout TopicRows
    ) throws(DatabaseError) {
        guard case .registration(let name, _, _) = entry else { return }
        if let topic = try topics.state(of: name), let hold = topic.settings?.hold {
            holders[hold.group]?.remove(name)
        }
        try bound(name, at: now, &topics)
    }

    /// Comes behind an entry.
    mutating func settle(
        _ entry: StoreEntry, _ receipt: StoreReceipt, at now: Timestamp,
        _ topics: inout TopicRows
    ) throws(DatabaseError) {
        steps.append(.receipt(receipt))
        switch receipt {
        case .unpublished, .refused: return
        default: break
        }
        try follow(entry, at: now, &topics)
    }

    private mutating func follow(
        _ entry: StoreEntry, at now: Timestamp, _ topics: inout TopicRows
    ) throws(DatabaseError) {
        switch entry {
        case .events(let batch, _, _): try follow(batch.topic, at: now, &topics)
        case .registration(let name, _, _):
            if let hold = try topics.state(of: name)?.settings?.hold {
                holders[hold.group, default: []].insert(name)
            }
            touched.insert(name)
            try bound(name, at: now, &topics)
        case .removal(let name): touched.insert(name)
        case .work(let change):
            for name in holders[change.group, default: []].sorted(by: { $0.text < $1.text }) {
                try bound(name, at: now, &topics)
            }
        case .hold, .cancel, .release: break
        case .together(let entries):
            for entry in entries { try follow(entry, at: now, &topics) }
        }
    }

    /// Events that were held are due, and have their places.
    mutating func settle(
        _ batch: ReleasedBatch, at now: Timestamp, _ topics: inout TopicRows
    ) throws(DatabaseError) {
        steps.append(.released(batch))
        try follow(batch.events[0].topic, at: now, &topics)
    }

    /// A topic has new events.
    private mutating func follow(
        _ name: TopicName, at now: Timestamp, _ topics: inout TopicRows
    ) throws(DatabaseError) {
        guard let topic = try topics.state(of: name) else { return }
        touched.insert(topic.name)
        if let age = retention(of: topic).age {
            schedule(topic.name, at: now.advanced(microseconds: age))
        }
        if isOver(topic) { try bound(topic.name, at: now, &topics) }
    }

    /// Ends a group. Returns what it led to.
    ///
    /// - Parameters:
    ///   - newest: The highest id that was given.
    ///   - laterDue: When the next events are due that are held.
    mutating func end(
        _ place: OrderPlace, _ topics: inout TopicRows, newest: EventID, laterDue: Timestamp?
    ) throws(DatabaseError) -> AppliedGroup {
        for name in over.sorted(by: { $0.text < $1.text }) where left > 0 {
            over.remove(name)
            try bound(name, at: place.time, &topics)
        }
        while left > 0, let next = dues.first, next.time <= place.time {
            _ = dues.removeFirst()
            guard due[next.topic] == next.time else { continue }
            due[next.topic] = nil
            guard let topic = try topics.state(of: next.topic), topic.isLive else { continue }
            // Topics take their turns by the ages of their events alone.
            guard let time = try dueTime(of: topic), time <= next.time else {
                try schedule(topic)
                continue
            }
            try bound(next.topic, at: place.time, &topics)
        }
        try count(topics)
        // Where groups hold everything, looking costs something each time.
        if place.sequence % Limits.spaceLookGroups == 0, space.bytes > settings.bytesMax {
            try makeRoom(&topics)
        }
        let count = topics.rowCount - space.count
        if place.sequence % Limits.tombstoneLookGroups == 0, count > settings.tombstonesMax {
            try topics.write()
            let merged = try tombstones.merge(
                count, downTo: settings.tombstonesMax, sparing: "number IN (SELECT topic FROM jobs)"
            )
            topics.forget(merged.names)
            if let floor = merged.floor { steps.append(.floor(floor.id, floor.time)) }
        }
        defer { steps = [] }
        let due = over.isEmpty ? dues.first?.time : place.time
        return AppliedGroup(
            steps: steps, due: [due, laterDue].compactMap { $0 }.min(), newest: newest)
    }

    /// Writes the place of the last group, and the settings that hold from there on.
    func write(_ place: OrderPlace, next: UInt64) throws(DatabaseError) {
        try followed.write(place, settings, next: next)
    }

    // MARK: Bounds

    private func retention(of topic: TopicState) -> Retention {
        topic.settings?.retention ?? settings.defaults
    }

    private func isOver(_ topic: TopicState) -> Bool {
        retention(of: topic).isExceeded(by: topic.sum)
    }

    /// The first id that the group of a held topic needs; nil where nothing is held.
    private func heldFrom(_ topic: TopicState) throws(DatabaseError) -> EventID? {
        guard let hold = topic.settings?.hold else { return nil }
        needed.bind(hold.group.rawValue, at: 1)
        guard try needed.step() else { return nil }
        defer { needed.reset() }
        return needed.knownID(0)
    }

    /// When the oldest event of a topic is over its age; nil where none ages.
    private func dueTime(of topic: TopicState) throws(DatabaseError) -> Timestamp? {
        guard let age = retention(of: topic).age else { return nil }
        return try rows.first(topic)?.time.advanced(microseconds: age)
    }

    private mutating func schedule(_ topic: TopicState) throws(DatabaseError) {
        if let time = try dueTime(of: topic) { schedule(topic.name, at: time) }
    }

    private mutating func schedule(_ name: TopicName, at time: Timestamp) {
        if let known = due[name], known <= time { return }
        due[name] = time
        dues.insert(Due(time: time, topic: name))
        guard dues.count > 2 * due.count + Limits.dueTopicsSpare else { return }
        dues = Heap(due.map { Due(time: $1, topic: $0) })
    }

    /// Removes what is over the bounds of a topic, as much as may go with this group.
    private mutating func bound(
        _ name: TopicName, at now: Timestamp, _ topics: inout TopicRows
    ) throws(DatabaseError) {
        guard let topic = try topics.state(of: name), topic.isLive else { return }
        guard left > 0 else {
            if isOver(topic) { over.insert(name) }
            return try schedule(topic)
        }
        let heldFrom = try heldFrom(topic)
        let loss = try Removal.cut(
            topic, to: retention(of: topic), heldFrom: heldFrom, at: now, &topics, rows,
            countMax: left)
        note(loss, of: name)
        let isMore = loss.oldest.map { $0 < heldFrom ?? .max } ?? false
        guard isMore, let topic = try topics.state(of: name) else { return }
        if isOver(topic) { over.insert(name) }
        if let age = retention(of: topic).age, let time = loss.oldestTime {
            schedule(name, at: time.advanced(microseconds: age))
        }
    }

    private mutating func note(_ loss: StoreLoss, of name: TopicName) {
        guard loss.sum.count > 0 else { return }
        left -= loss.sum.count
        touched.insert(name)
        steps.append(.loss(name, loss))
    }

    /// Has the sums follow the topics that the group changed.
    private mutating func count(_ topics: TopicRows) throws(DatabaseError) {
        for name in touched { space.note(try topics.state(of: name), called: name) }
        touched = []
    }

    /// A topic with the bytes that no group needs.
    private struct Loose {
        let topic: TopicState
        let heldFrom: EventID?
        let bytes: Int
    }

    private mutating func makeRoom(_ topics: inout TopicRows) throws(DatabaseError) {
        var all: [Loose] = []
        for topic in topics.current where topic.sum.count > 0 {
            let heldFrom = try heldFrom(topic)
            let bytes = try looseBytes(topic, heldFrom)
            if bytes > 0 { all.append(Loose(topic: topic, heldFrom: heldFrom, bytes: bytes)) }
        }
        all.sort { left, right in
            left.bytes == right.bytes
                ? left.topic.name.text < right.topic.name.text : left.bytes > right.bytes
        }
        let excess = space.bytes - settings.bytesMax + settings.bytesMax / Limits.roomSlackDivisor
        let level = CommonLevel.of(all.lazy.map(\.bytes), freeing: excess)
        for loose in all where left > 0 && loose.bytes > level {
            let topic = loose.topic
            let loss = try Removal.cut(
                topic, downTo: topic.diskBytes - loose.bytes + level, heldFrom: loose.heldFrom,
                &topics, rows, countMax: left)
            note(loss, of: topic.name)
        }
        try count(topics)
    }

    /// The bytes of a topic that no group needs, as far as they may go with one group.
    private func looseBytes(
        _ topic: TopicState, _ heldFrom: EventID?
    ) throws(DatabaseError) -> Int {
        guard let heldFrom else { return topic.diskBytes }
        var (bytes, left) = (0, Limits.orderedRemovalsMax)
        try rows.walk(topic.number, after: topic.removedThrough) { row in
            guard row.id < heldFrom, left > 0 else { return false }
            bytes += row.bytes + Limits.eventOverheadBytes
            left -= 1
            return true
        }
        return bytes
    }

    /// Makes the tables that follow from the rows and the settings.
    private mutating func learn(_ topics: TopicRows) throws(DatabaseError) {
        (dues, due, over, holders, touched) = (Heap(), [:], [], [:], [])
        space = TopicSpace()
        for topic in topics.current {
            space.note(topic, called: topic.name)
            if let hold = topic.settings?.hold {
                holders[hold.group, default: []].insert(topic.name)
            }
            if isOver(topic) { over.insert(topic.name) }
            try schedule(topic)
        }
        isKnown = true
    }
}

/// The bytes that topics take on the disk, by their counts.
private struct TopicSpace {
    private var counted: [TopicName: Int] = [:]
    private(set) var bytes = 0

    /// How many topics there are.
    var count: Int { counted.count }

    /// Counts a topic as it is now; nil for one that nothing is known of.
    mutating func note(_ topic: TopicState?, called name: TopicName) {
        let now = topic.flatMap { $0.isLive ? $0.diskBytes : nil }
        bytes += (now ?? 0) - (counted[name] ?? 0)
        counted[name] = now
    }
}
