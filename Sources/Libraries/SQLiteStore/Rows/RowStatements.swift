internal import Topics

/// The statements of one reader, prepared once. Belongs to the reader's thread.
final class RowStatements {
    private let database: Database
    private var rising: [Statement] = []
    private var falling: [Statement] = []
    private let risingScan: Statement
    private let fallingScan: Statement
    private let fetch: Statement
    private let since: Statement

    init(_ database: Database) throws(DatabaseError) {
        self.database = database
        let scan =
            "SELECT \(EventColumns.namesRead) FROM events WHERE id > ?1 AND id <= ?2 ORDER BY id"
        risingScan = try database.prepare(scan)
        fallingScan = try database.prepare("\(scan) DESC")
        fetch = try database.prepare("SELECT \(EventColumns.namesRead) FROM events WHERE id = ?1")
        since = try database.prepare(
            "SELECT id, time FROM events WHERE id >= ?1 ORDER BY id LIMIT 1")
    }

    /// The ids of one topic in (after, through]; one statement for each `slot`, counted from 0.
    func ids(
        _ slot: Int, of topic: Int64, after: EventID, through: EventID, isRising: Bool
    ) throws(DatabaseError) -> Statement {
        let count = isRising ? rising.count : falling.count
        if slot == count {
            let sql =
                "SELECT id FROM events WHERE topic = ?1 AND id > ?2 AND id <= ?3 ORDER BY id"
            let statement = try database.prepare(isRising ? sql : "\(sql) DESC")
            if isRising { rising.append(statement) } else { falling.append(statement) }
        }
        let statement = isRising ? rising[slot] : falling[slot]
        statement.reset()
        statement.bind(topic, at: 1)
        statement.bind(after, at: 2)
        statement.bind(through, at: 3)
        return statement
    }

    /// All rows with ids in (after, through].
    func scan(
        after: EventID, through: EventID, isRising: Bool
    ) throws(DatabaseError) -> Statement {
        let statement = isRising ? risingScan : fallingScan
        statement.reset()
        statement.bind(after, at: 1)
        statement.bind(through, at: 2)
        return statement
    }

    /// One row, which is there.
    func row(_ id: EventID) throws(DatabaseError) -> Statement {
        fetch.reset()
        fetch.bind(id, at: 1)
        guard try fetch.step() else {
            throw .damaged("event \(id) is in the index alone")
        }
        return fetch
    }

    /// The first row with this id or a later one.
    func first(from id: EventID) throws(DatabaseError) -> (id: EventID, time: Timestamp)? {
        since.bind(id, at: 1)
        guard try since.step() else { return nil }
        defer { since.reset() }
        return (since.knownID(0), since.nearestTime(1))
    }

    /// Lets go of every row.
    func reset() {
        for statement in rising { statement.reset() }
        for statement in falling { statement.reset() }
        for statement in [risingScan, fallingScan, fetch] { statement.reset() }
    }
}
