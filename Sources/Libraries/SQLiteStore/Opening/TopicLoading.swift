internal import Topics

/// Reads the topics at a start: their rows, and of their events only the first and the last.
enum TopicLoading {
    /// Counts events as lost that topics gave without storing them.
    ///
    /// - Parameters:
    ///   - through: After a life that did not end in order, the highest id that may have been
    ///     given: topics that do not persist count everything up to it as lost.
    static func loseUnstored(
        _ database: Database, through: EventID?, now: Timestamp
    ) throws(DatabaseError) {
        if let through {
            let raise = try database.prepare(
                "UPDATE topics SET unstored = ?1 WHERE registered AND NOT persists")
            raise.bind(through, at: 1)
            try raise.run()
        }
        // Events below a loss are gone with it: the log has one bound for each topic.
        let lose = try database.prepare(
            """
            UPDATE topics SET lost = unstored, lost_time = ?1,
                events = (SELECT count(*) FROM events
                    WHERE topic = number AND id > unstored),
                bytes = (SELECT coalesce(sum(length(payload)), 0) FROM events
                    WHERE topic = number AND id > unstored),
                of_bus = (SELECT count(*) FROM events
                    WHERE topic = number AND id > unstored AND \(EventColumns.isOfBus))
            WHERE unstored > lost
            """)
        lose.bind(now.microseconds, at: 1)
        try lose.run()
    }

    /// The topics, tombstones and leftovers in the file.
    struct Found {
        var topics: [(state: TopicState, older: OlderEvents?)] = []
        /// Oldest losses first.
        var tombstones: [StoredTombstone] = []
        /// Rows that are to be removed, topic by topic, each with the last id of them.
        var leftovers: [Leftover] = []
    }

    /// Rows of a topic up to an id that wait to be removed.
    struct Leftover {
        let topic: Int64
        let through: EventID
    }

    /// Reads all topics.
    ///
    /// - Parameter start: The time, and that of the clock that nobody sets. Nil where the time of an order counts.
    /// - Complexity: O(topics × log events).
    static func load(
        _ database: Database, at start: (time: Timestamp, now: Int64)?
    ) throws(DatabaseError) -> Found {
        var found = Found()
        let all = try database.prepare(
            "SELECT \(TopicState.columns) FROM topics ORDER BY lost")
        let first = try database.prepare(
            "SELECT id, time FROM events WHERE topic = ?1 AND id > ?2 ORDER BY id LIMIT 1")
        let last = try database.prepare(
            "SELECT id, time FROM events WHERE topic = ?1 ORDER BY id DESC LIMIT 1")
        func one(
            _ row: Statement, _ topic: Int64
        ) throws(DatabaseError) -> (id: EventID, time: Timestamp)? {
            row.bind(topic, at: 1)
            guard try row.step() else { return nil }
            defer { row.reset() }
            return (try row.id(0, .eventID), try row.time(1, .eventTime))
        }
        // The file holds all events that the topics count, so no sum of their counts is too large.
        let fileBytes =
            try database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size")
        var (eventsLeft, bytesLeft) = (Int(fileBytes), Int(fileBytes))
        while try all.step() {
            var state = try TopicState(all)
            if let start {
                state.silence = state.silence?.resumed(
                    isKnown: state.persists, at: start.time, now: start.now)
            }
            guard state.sum.count <= eventsLeft, state.sum.bytes <= bytesLeft else {
                throw .damaged(
                    "topic \(state.name) counts \(state.sum.count) events of \(state.sum.bytes) bytes, "
                        + "for which the file is too small")
            }
            eventsLeft -= state.sum.count
            bytesLeft -= state.sum.bytes
            first.bind(EventID.zero, at: 2)
            if let oldest = try one(first, state.number), oldest.id <= state.removedThrough {
                found.leftovers.append(Leftover(topic: state.number, through: state.removedThrough))
            }
            guard state.isLive else {
                var stone = StoredTombstone(
                    name: state.name, removedThrough: state.removedThrough,
                    removedTime: state.removedTime)
                stone.newest = state.version(last: nil).newest
                found.tombstones.append(stone)
                continue
            }
            first.bind(state.removedThrough, at: 2)
            let oldest = try one(first, state.number)
            let newest = try one(last, state.number)
            guard let oldest, let newest, state.sum.count > 0 else {
                guard oldest == nil, state.sum.count == 0 else {
                    throw .damaged(
                        "topic \(state.name) has not the \(state.sum.count) events that it counts")
                }
                found.topics.append((state, nil))
                continue
            }
            found.topics.append(
                (
                    state,
                    OlderEvents(
                        state.sum, oldest: oldest.id,
                        oldestTime: oldest.time, newest: newest.id, newestTime: newest.time)
                ))
        }
        return found
    }
}
