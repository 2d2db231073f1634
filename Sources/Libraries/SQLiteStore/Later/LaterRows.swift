internal import Topics

/// The events that the store holds until they are due, with their rows.
///
/// Belongs to the writer's thread.
final class LaterRows {
    private(set) var table: LaterTable
    private let boot: Int64?
    private let put: Statement
    private let insert: Statement
    private let read: Statement
    private let remove: Statement
    private let end: Statement
    private let goOn: Statement
    private let forget: Statement
    private let removeTopic: Statement
    private let forgetTopics: Statement
    private let database: Database
    /// Rows that wait to be removed, and those that do so once the open transaction is committed.
    private var leftovers: [Leftover]
    private var added: [Leftover] = []
    /// Tickets whose endings are forgotten: their rows go with the next ones.
    private var gone: [EventID] = []
    /// Rows of these that the open transaction has removed.
    private var removed: [EventID] = []

    /// The rows of a ticket whose topic was removed.
    struct Leftover {
        let ticket: EventID
        let count: Int
    }

    /// - Parameter boot: The number of the boot that rows are written under. Nil where the time of an order
    ///   tells the ends of spans.
    init(
        _ database: Database, _ found: LaterLoading.Found, boot: Int64?
    ) throws(DatabaseError) {
        let stored = found.stored
        self.database = database
        leftovers = found.leftovers
        removeTopic = try database.prepare(
            """
            INSERT INTO later_removed (topic, through) VALUES (?1, ?2)
            ON CONFLICT (topic) DO UPDATE SET through = ?2
            """)
        forgetTopics = try database.prepare("DELETE FROM later_removed")
        var table = LaterTable()
        for head in stored.heads { table.load(head) }
        for (ticket, ending) in stored.endings { table.load(ending, of: ticket) }
        self.table = table
        self.boot = boot
        put = try database.prepare(
            "INSERT INTO later (\(LaterColumns.names)) VALUES (\(LaterColumns.parameters))")
        insert = try database.prepare(
            """
            INSERT INTO held (\(EventColumns.heldNames)) VALUES (\(EventColumns.heldParameters))
            """)
        read = try database.prepare(
            "SELECT payload FROM held WHERE id >= ?1 AND id < ?2 ORDER BY id")
        remove = try database.prepare("DELETE FROM held WHERE id >= ?1 AND id < ?2")
        end = try database.prepare(
            "UPDATE later SET published = ?2, ended = ?3 WHERE ticket = ?1")
        goOn = try database.prepare("UPDATE later SET due = ?2 WHERE ticket = ?1")
        forget = try database.prepare("DELETE FROM later WHERE ticket = ?1")
    }

    /// Holds events; a transaction is open.
    ///
    /// - Parameter now: The time of the clock that nobody sets; nil on an order.
    func hold(
        _ held: HeldBatch, _ ticket: EventID, at time: Timestamp, _ now: Int64?
    ) throws(DatabaseError) -> HeldHead {
        let head = held.head(ticket, at: time, now)
        table.hold(head)
        try removeForgotten(at: time)
        put.bind(ticket, at: LaterColumns.ticket + 1)
        put.bind(head.topic.text, at: LaterColumns.topic + 1)
        put.bind(head.due.microseconds, at: LaterColumns.due + 1)
        put.bind(head.span, at: LaterColumns.span + 1)
        put.bind(head.until == nil ? nil : boot, at: LaterColumns.boot + 1)
        put.bind(head.until, at: LaterColumns.until + 1)
        put.bind(head.ttl, at: LaterColumns.ttl + 1)
        put.bind(Int64(head.count), at: LaterColumns.count + 1)
        put.bind(Int64(head.bytes), at: LaterColumns.bytes + 1)
        put.bind(Int64?.none, at: LaterColumns.published + 1)
        put.bind(Int64?.none, at: LaterColumns.ended + 1)
        put.bind(head.schedule?.every, at: LaterColumns.every + 1)
        put.bind(head.schedule?.name, at: LaterColumns.name + 1)
        put.bind(head.schedule.map { Int64(bitPattern: $0.print) }, at: LaterColumns.print + 1)
        try put.run()
        EventRows.bind(held.batch, to: insert)
        for (index, payload) in held.batch.payloads.enumerated() {
            insert.bind(
                EventID(rawValue: ticket.rawValue + UInt64(index)), at: EventColumns.id + 1)
            insert.bind(payload, at: EventColumns.payload + 1)
            try insert.run()
        }
        return head
    }

    /// The events that are due next, and their ticket.
    func next(
        at moment: LaterTable.Moment
    ) throws(DatabaseError) -> (ticket: EventID, batch: PublishBatch, ttl: Int64?)? {
        guard let head = table.next(at: moment) else { return nil }
        var payloads: [Payload] = []
        bind(head.ticket, head.count, to: read)
        while try read.step() { payloads.append(read.payload(0)) }
        guard payloads.count == head.count else {
            throw .damaged(
                "of the \(head.count) events that are held by \(head.ticket) there are "
                    + "\(payloads.count)")
        }
        let batch = PublishBatch(
            topic: head.topic, metadata: head.metadata, sender: head.sender, payloads: payloads)
        return (head.ticket, batch, head.ttl)
    }

    /// When the next events are due on an order.
    var nextDue: Timestamp? { table.earliest() }

    /// Whether a ticket is one of a topic.
    func holds(_ ticket: EventID, for topic: TopicName) -> Bool { table[ticket]?.topic == topic }

    /// Events that are due were published; a transaction is open. Returns their head where they are held still.
    func published(
        _ ticket: EventID, as first: EventID, at time: Timestamp
    ) throws(DatabaseError) -> HeldHead? {
        let head = table[ticket]
        let next = table.published(ticket, as: first, at: time)
        try removeForgotten(at: time)
        if let next {
            goOn.bind(ticket, at: 1)
            goOn.bind(next.due.microseconds, at: 2)
            try goOn.run()
        } else if let head {
            try write(head, .published(first), at: time)
        }
        return next
    }

    /// Events are held no more; a transaction is open. Returns their head, which is there.
    @discardableResult
    func end(
        _ ticket: EventID, _ outcome: LaterTable.Outcome, at time: Timestamp
    ) throws(DatabaseError) -> HeldHead {
        guard let head = table.end(ticket, outcome, at: time) else {
            preconditionFailure("nothing is held by \(ticket)")
        }
        try removeForgotten(at: time)
        try write(head, outcome, at: time)
        return head
    }

    /// Lets go of all that is held for a topic, which is removed at an id; a transaction is open. One row says so: the
    /// others go some at a time.
    func drop(_ topic: TopicName, at id: EventID) throws(DatabaseError) {
        let dropped = table.drop(topic)
        guard !dropped.isEmpty else { return }
        removeTopic.bind(topic.text, at: 1)
        removeTopic.bind(id, at: 2)
        try removeTopic.run()
        added += dropped.map { Leftover(ticket: $0.ticket, count: $0.count) }
    }

    /// Whether rows wait to be removed.
    var hasLeftovers: Bool { !leftovers.isEmpty }

    /// Removes rows of topics that were removed, a bounded number of them, in a transaction of its own.
    func removeLeftovers() throws(DatabaseError) {
        var left = Limits.removedEventsMax
        let some = leftovers.reversed().prefix { leftover in
            left -= leftover.count
            return left > 0 || leftover.ticket == leftovers.last?.ticket
        }
        try database.execute("BEGIN IMMEDIATE")
        for leftover in some {
            bind(leftover.ticket, leftover.count, to: remove)
            try remove.run()
            forget.bind(leftover.ticket, at: 1)
            try forget.run()
        }
        if some.count == leftovers.count { try forgetTopics.run() }
        try database.execute("COMMIT")
        leftovers.removeLast(some.count)
    }

    private func write(
        _ head: HeldHead, _ outcome: LaterTable.Outcome, at time: Timestamp
    ) throws(DatabaseError) {
        bind(head.ticket, head.count, to: remove)
        try remove.run()
        let id: EventID = if case .published(let id) = outcome { id } else { .zero }
        end.bind(head.ticket, at: 1)
        end.bind(id, at: 2)
        end.bind(time.microseconds, at: 3)
        try end.run()
    }

    private func bind(_ ticket: EventID, _ count: Int, to statement: Statement) {
        statement.bind(ticket, at: 1)
        statement.bind(EventID(rawValue: ticket.rawValue + UInt64(count)), at: 2)
    }

    /// Removes the rows of endings that are old or too many, a bounded number of them.
    private func removeForgotten(at time: Timestamp) throws(DatabaseError) {
        gone += table.forgetEndings(at: time)
        for ticket in gone {
            forget.bind(ticket, at: 1)
            try forget.run()
        }
        removed += gone
        gone = []
    }

    /// The changes so far are there to stay.
    func committed() {
        table.committed()
        leftovers += added
        (removed, added) = ([], [])
    }

    /// The changes since the last commit never were.
    func rolledBack() {
        table.rolledBack()
        gone += removed
        (removed, added) = ([], [])
    }
}

/// The columns of whole rows of `later`, in the order in which statements name them.
enum LaterColumns {
    static let ticket: Int32 = 0
    static let topic: Int32 = 1
    static let due: Int32 = 2
    static let span: Int32 = 3
    static let boot: Int32 = 4
    static let until: Int32 = 5
    static let ttl: Int32 = 6
    static let count: Int32 = 7
    static let bytes: Int32 = 8
    static let published: Int32 = 9
    static let ended: Int32 = 10
    static let every: Int32 = 11
    static let name: Int32 = 12
    static let print: Int32 = 13

    private static let all = [
        "ticket", "topic", "due", "span", "boot", "until", "ttl", "count", "bytes", "published",
        "ended", "every", "name", "print",
    ]
    /// The names, for a statement.
    static let names = all.joined(separator: ", ")
    /// A parameter for each, for a statement.
    static let parameters = all.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
}
