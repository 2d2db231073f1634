internal import Topics

/// The keys of publishes that the store remembers, with their rows: they are in the transactions of their
/// events.
///
/// Belongs to the writer's thread.
final class KeyRows {
    private var table: KeyTable
    /// Rows of keys that are forgotten: they go with the next ones.
    private var gone: [EventID] = []
    /// Rows that the open transaction has removed, and those whose keys it gave to other events.
    private var removed: [EventID] = []
    private var replaced: [EventID] = []
    private let put: Statement
    private let remove: Statement

    /// Reads the keys that are remembered still at the time of the last event.
    ///
    /// - Complexity: O(keys).
    init(_ database: Database, _ table: KeyTable, at time: Timestamp) throws(DatabaseError) {
        self.table = table
        put = try database.prepare(
            "INSERT INTO keys (\(KeyColumns.names)) VALUES (\(KeyColumns.parameters))")
        remove = try database.prepare("DELETE FROM keys WHERE id = ?1")
        let all = try database.prepare("SELECT \(KeyColumns.names) FROM keys ORDER BY id")
        var topic: TopicName?
        while try all.step() {
            let known = try Self.known(all, like: &topic)
            guard known.until > time else {
                gone.append(known.first)
                continue
            }
            let identity = IdempotencyKey.Identity(
                high: UInt64(bitPattern: try all.integer(KeyColumns.high, .keyHigh)),
                low: UInt64(bitPattern: try all.integer(KeyColumns.low, .keyLow)))
            if let earlier = self.table.load(identity, known) { gone.append(earlier) }
        }
    }

    private static func known(
        _ row: Statement, like last: inout TopicName?
    ) throws(DatabaseError) -> KeyTable.Known {
        let first = try row.id(KeyColumns.id, .keyID)
        let text = row.text(KeyColumns.topic) ?? ""
        if last?.text != text { last = try? TopicName(text) }
        guard let topic = last else {
            throw .damaged(
                "the key of event \(first) has the topic '\(text)', which no topic can have")
        }
        let number = try row.optionalInteger(KeyColumns.number, .keyNumber)
        return KeyTable.Known(
            first: first, count: Int(try row.integer(KeyColumns.count, .keyCount)),
            time: try row.time(KeyColumns.time, .keyTime), topic: topic,
            user: try row.user(KeyColumns.uid, .keyUID),
            print: UInt64(bitPattern: try row.integer(KeyColumns.print, .keyPrint)),
            number: number.map { UInt64($0) },
            windowSeconds: UInt32(try row.integer(KeyColumns.window, .keyWindow)))
    }

    /// The answer to a batch that its key does not let through; nil for one that is to be written.
    func answer(to batch: PublishBatch, at time: Timestamp) -> KeyTable.Answer? {
        guard let key = batch.idempotencyKey else { return nil }
        return table.refusal(of: key, by: batch.sender.uid, at: time) { gone.append($0) }
    }

    /// Remembers the key of events that were written, if they have one.
    ///
    /// - Parameter isStored: Whether a transaction is open, with rows of them.
    func note(
        _ batch: PublishBatch, from first: EventID, at time: Timestamp, isStored: Bool
    ) throws(DatabaseError) {
        guard let key = batch.idempotencyKey, let known = batch.known(from: first, at: time)
        else { return }
        if let earlier = table.note(key.identity, known) { replaced.append(earlier) }
        guard isStored else { return }
        try removeGone()
        put.bind(known.first, at: KeyColumns.id + 1)
        put.bind(Int64(bitPattern: key.identity.high), at: KeyColumns.high + 1)
        put.bind(Int64(bitPattern: key.identity.low), at: KeyColumns.low + 1)
        put.bind(known.topic.text, at: KeyColumns.topic + 1)
        put.bind(known.user.map { Int64($0) }, at: KeyColumns.uid + 1)
        put.bind(Int64(known.count), at: KeyColumns.count + 1)
        put.bind(known.time.microseconds, at: KeyColumns.time + 1)
        put.bind(Int64(known.windowSeconds), at: KeyColumns.window + 1)
        put.bind(Int64(bitPattern: known.print), at: KeyColumns.print + 1)
        put.bind(known.number.map { Int64($0) }, at: KeyColumns.number + 1)
        try put.run()
    }

    /// Removes the keys of a topic that is removed; a transaction is open.
    func forget(_ topic: TopicName) throws(DatabaseError) {
        for id in table.forget(topic) {
            remove.bind(id, at: 1)
            try remove.run()
        }
    }

    /// Removes rows of keys that are forgotten, a bounded number of them.
    private func removeGone() throws(DatabaseError) {
        for id in gone.suffix(Limits.goneKeysMax) {
            remove.bind(id, at: 1)
            try remove.run()
            removed.append(id)
        }
        gone.removeLast(min(gone.count, Limits.goneKeysMax))
    }

    /// Forgets keys whose window is over, a bounded number of them.
    func forget(at time: Timestamp) {
        table.forget(at: time, atMost: Limits.forgottenKeysMax) { gone.append($0) }
    }

    /// The keys that were noted are there to stay.
    func committed() {
        table.committed()
        gone += replaced
        (removed, replaced) = ([], [])
    }

    /// The keys that were noted since the last commit never were.
    func rolledBack() {
        table.rolledBack()
        gone += removed
        (removed, replaced) = ([], [])
    }
}

/// The columns of whole rows of `keys`, in the order in which statements name them.
enum KeyColumns {
    static let id: Int32 = 0
    static let high: Int32 = 1
    static let low: Int32 = 2
    static let topic: Int32 = 3
    static let uid: Int32 = 4
    static let count: Int32 = 5
    static let time: Int32 = 6
    static let window: Int32 = 7
    static let print: Int32 = 8
    static let number: Int32 = 9

    private static let all = [
        "id", "high", "low", "topic", "uid", "count", "time", "window", "print", "number",
    ]
    /// The names, for a statement.
    static let names = all.joined(separator: ", ")
    /// A parameter for each, for a statement.
    static let parameters = all.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
}
