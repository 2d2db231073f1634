internal import Topics

/// Reads at a start which events are held until they are due, and how others ended.
enum LaterLoading {
    /// The rows that were found.
    struct Found {
        var stored = StoredLater()
        /// Tickets whose topics were removed: their rows wait to be removed.
        var leftovers: [LaterRows.Leftover] = []
    }

    /// Reads all tickets by their numbers.
    ///
    /// - Parameter boot: The boot of the life that begins. Its clock tells the ends of spans. Nil where
    ///   the time of an order tells them.
    /// - Complexity: O(tickets × log events that are held).
    static func load(
        _ database: Database, _ boot: BootMark?
    ) throws(DatabaseError) -> Found {
        var found = Found()
        let removed = try removed(database)
        var columns = MetadataColumns()
        let first = try database.prepare(
            """
            SELECT \(EventColumns.heldNamesRead),
                (SELECT count(*) FROM held AS own WHERE own.id >= ?1 AND own.id < ?1 + ?2)
            FROM held WHERE id = ?1
            """)
        let all = try database.prepare("SELECT \(LaterColumns.names) FROM later ORDER BY ticket")
        while try all.step() {
            let ticket = try all.id(LaterColumns.ticket, .laterTicket)
            let topic = try topic(all, LaterColumns.topic)
            if let ending = try ending(all, of: topic) {
                found.stored.endings.append((ticket, ending))
                continue
            }
            let count = try all.integer(LaterColumns.count, .laterCount)
            if let through = removed[topic], ticket <= through {
                found.leftovers.append(LaterRows.Leftover(ticket: ticket, count: Int(count)))
                continue
            }
            first.bind(ticket, at: 1)
            first.bind(count, at: 2)
            guard try first.step() else {
                throw .damaged("the events that are held by \(ticket) are missing")
            }
            defer { first.reset() }
            let head = try head(
                all, ticket, topic, try columns.read(first), try sender(first), boot)
            guard first.integer(EventColumns.heldCount) == Int64(head.count) else {
                throw .damaged(
                    "of the \(head.count) events that are held by \(ticket) some are missing")
            }
            found.stored.heads.append(head)
        }
        return found
    }

    private static func removed(
        _ database: Database
    ) throws(DatabaseError) -> [TopicName: EventID] {
        var removed: [TopicName: EventID] = [:]
        let all = try database.prepare("SELECT topic, through FROM later_removed")
        while try all.step() {
            removed[try topic(all, 0)] = try all.id(1, .laterRemovedThrough)
        }
        return removed
    }

    private static func topic(
        _ row: Statement, _ column: Int32
    ) throws(DatabaseError) -> TopicName {
        let text = row.text(column) ?? ""
        guard let topic = try? TopicName(text) else {
            throw .damaged(
                "events are held for a topic '\(text.prefix(40))', "
                    + "which no topic is called")
        }
        return topic
    }

    private static func ending(
        _ row: Statement, of topic: TopicName
    ) throws(DatabaseError) -> LaterTable.Ending? {
        guard let ended = try row.optionalInteger(LaterColumns.ended, .laterEnded) else {
            return nil
        }
        let id = try row.optionalInteger(LaterColumns.published, .laterPublished) ?? 0
        let outcome: LaterTable.Outcome =
            id == 0 ? .cancelled : .published(EventID(rawValue: UInt64(id)))
        return LaterTable.Ending(
            topic: topic, outcome: outcome, time: Timestamp(microseconds: ended))
    }

    private static func sender(_ row: Statement) throws(DatabaseError) -> Sender {
        let pid = try row.optionalInteger(EventColumns.pid, .heldPID)
        return Sender(
            uid: try row.user(EventColumns.uid, .heldUID), pid: pid.map { Int32($0) })
    }

    private static func head(
        _ row: Statement, _ ticket: EventID, _ topic: TopicName, _ metadata: EventMetadata,
        _ sender: Sender, _ boot: BootMark?
    ) throws(DatabaseError) -> HeldHead {
        let due = try row.time(LaterColumns.due, .laterDue)
        let span = try row.optionalInteger(LaterColumns.span, .laterSpan)
        let (number, until) = (
            try row.optionalInteger(LaterColumns.boot, .laterBoot),
            try row.optionalInteger(LaterColumns.until, .laterUntil)
        )
        let end = span.flatMap { span in
            boot?.end(of: BootMark.Row(boot: number, until: until, time: due, span: span))
        }
        return HeldHead(
            ticket: ticket, topic: topic, metadata: metadata, sender: sender,
            count: Int(try row.integer(LaterColumns.count, .laterCount)),
            bytes: Int(try row.integer(LaterColumns.bytes, .laterBytes)),
            ttl: try row.optionalInteger(LaterColumns.ttl, .laterTTL), due: due, span: span,
            until: end, schedule: try schedule(row))
    }

    private static func schedule(_ row: Statement) throws(DatabaseError) -> Schedule? {
        guard let every = try row.optionalInteger(LaterColumns.every, .laterEvery) else {
            return nil
        }
        let print = try row.optionalInteger(LaterColumns.print, .laterPrint) ?? 0
        return Schedule(
            every: every, name: row.text(LaterColumns.name), print: UInt64(bitPattern: print))
    }
}
