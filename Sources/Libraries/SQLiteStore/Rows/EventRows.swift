internal import Topics

/// The rows of events: writing them, and walking those of one topic from its oldest.
///
/// Belongs to the writer's thread.
struct EventRows {
    private let insert: Statement
    private let walk: Statement
    private let last: Statement
    private let removeRange: Statement
    private let removeSome: Statement
    private let database: Database

    init(_ database: Database) throws(DatabaseError) {
        self.database = database
        insert = try database.prepare(
            "INSERT INTO events (\(EventColumns.names)) VALUES (\(EventColumns.parameters))")
        // `length` of a blob does not read it.
        walk = try database.prepare(
            """
            SELECT id, time, length(payload), \(EventColumns.isOfBus) FROM events WHERE topic = ?1 AND id > ?2 ORDER BY id
            """)
        last = try database.prepare(
            "SELECT id, time FROM events WHERE topic = ?1 ORDER BY id DESC LIMIT 1")
        removeRange = try database.prepare(
            "DELETE FROM events WHERE topic = ?1 AND id > ?2 AND id <= ?3")
        removeSome = try database.prepare(
            """
            DELETE FROM events WHERE id IN
                (SELECT id FROM events WHERE topic = ?1 AND id <= ?2 ORDER BY id LIMIT ?3)
            """)
    }

    /// Writes the events of a batch, whose ids begin at `first`, and returns them.
    func write(
        _ batch: PublishBatch, into topic: TopicState, first: UInt64, time: Timestamp
    ) throws(DatabaseError) -> [Event] {
        Self.bind(batch, to: insert)
        insert.bind(topic.number, at: EventColumns.topic + 1)
        insert.bind(time.microseconds, at: EventColumns.time + 1)
        insert.bind(batch.metadata.expires?.microseconds, at: EventColumns.expires + 1)
        let events = batch.events(from: first, at: time, isStored: true)
        for event in events {
            insert.bind(event.id, at: EventColumns.id + 1)
            insert.bind(event.payload, at: EventColumns.payload + 1)
            try insert.run()
        }
        return events
    }

    /// Binds the columns that events of a batch share, wherever they are written.
    static func bind(_ batch: PublishBatch, to insert: Statement) {
        insert.bind(batch.sender.uid.map { Int64($0) }, at: EventColumns.uid + 1)
        insert.bind(batch.sender.pid.map { Int64($0) }, at: EventColumns.pid + 1)
        for field in MetadataField.all {
            insert.bind(batch.metadata[field], at: EventColumns.of(field) + 1)
        }
        let attributes = batch.metadata.attributes
        insert.bind(attributes.isEmpty ? nil : attributes.text, at: EventColumns.attributes + 1)
    }

    /// One row, as retention sees it.
    struct Row {
        let id: EventID
        let time: Timestamp
        let bytes: Int
        /// Whether the bus published it about the topic.
        let isOfBus: Bool
    }

    /// Calls `body` with the rows of a topic after an id, ids rising, until it returns false.
    func walk(
        _ topic: Int64, after id: EventID, _ body: (Row) -> Bool
    ) throws(DatabaseError) {
        walk.bind(topic, at: 1)
        walk.bind(id, at: 2)
        while try walk.step() {
            let row = Row(
                id: walk.knownID(0), time: walk.nearestTime(1), bytes: Int(walk.integer(2)),
                isOfBus: walk.integer(3) != 0)
            guard body(row) else { return walk.reset() }
        }
    }

    /// The oldest row of a topic that is not removed.
    func first(_ topic: TopicState) throws(DatabaseError) -> Row? {
        try first(topic.number, after: topic.removedThrough)
    }

    /// The first row of a topic after an id.
    func first(_ topic: Int64, after id: EventID) throws(DatabaseError) -> Row? {
        var first: Row?
        try walk(topic, after: id) { row in
            first = row
            return false
        }
        return first
    }

    /// The newest row of a topic.
    func last(_ topic: Int64) throws(DatabaseError) -> (id: EventID, time: Timestamp)? {
        last.bind(topic, at: 1)
        guard try last.step() else { return nil }
        defer { last.reset() }
        return (last.knownID(0), last.nearestTime(1))
    }

    /// Removes the rows of a topic with ids in (after, through].
    func remove(
        _ topic: Int64, after: EventID, through: EventID
    ) throws(DatabaseError) {
        removeRange.bind(topic, at: 1)
        removeRange.bind(after, at: 2)
        removeRange.bind(through, at: 3)
        try removeRange.run()
    }

    /// Removes the first rows of a topic up to an id, so many at most. Returns how many.
    func removeSome(
        _ topic: Int64, through: EventID, countMax: Int
    ) throws(DatabaseError) -> Int {
        removeSome.bind(topic, at: 1)
        removeSome.bind(through, at: 2)
        removeSome.bind(Int64(countMax), at: 3)
        try removeSome.run()
        return database.changes
    }
}
