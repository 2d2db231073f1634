internal import Topics

/// The places that remember which ids were given and answered: the store, the file beside it, and
/// the ceiling that the daemon keeps for stores of any kind. Belongs to the writer's thread.
struct IDLedger {
    private let file: StoreFile
    private let database: Database
    private let sync: SQLiteStoreConfiguration.Sync
    private let idCeiling: IDCeiling?
    let start: LifeStart
    private var record: LifeRecord
    /// Whether the life is on the disk; before that, no id is given and nothing else is written.
    private(set) var hasBegun = false
    /// The mark of the highest answered id. A replica has none, since the order knows all ids.
    private var mark: AnsweredMark?

    init(
        _ database: Database, _ file: StoreFile, _ start: LifeStart,
        sync: SQLiteStoreConfiguration.Sync, idCeiling: IDCeiling?
    ) {
        self.file = file
        self.database = database
        self.start = start
        self.sync = sync
        self.idCeiling = idCeiling
        record = LifeRecord(
            identity: start.bus.identity, life: start.bus.life, ceiling: start.bus.ceiling,
            isClosed: false, isSynced: sync == .full, boot: start.bus.boot.id)
    }

    /// The ids that the life begins with: none can be given before it is on the disk.
    var ids: IDSequence {
        let ceiling = isReplica ? EventID.max.rawValue : start.bus.ceiling
        return IDSequence(
            next: start.first, ceiling: hasBegun ? ceiling : start.first, time: start.bus.time)
    }

    private var isReplica: Bool { start.bus.order != nil }

    /// Has the life on the disk, unless it is there already. Several attempts leave the same as
    /// one.
    ///
    /// - Parameters:
    ///   - look: Reads the topics and groups that the life begins with, before it is committed.
    mutating func begin(_ look: () throws(DatabaseError) -> Void = {}) throws {
        guard !hasBegun else { return }
        try synced { () throws(DatabaseError) in
            try database.execute("BEGIN IMMEDIATE")
            try start.apply(to: database)
            try look()
            try database.execute("COMMIT")
        }
        if !isReplica {
            try file.life.write(record)
            let mark = try file.life.makeMark()
            try idCeiling?.raise(to: record.ceiling)
            self.mark = mark
        }
        hasBegun = true
    }

    /// Why the next start would not find what this life left beside the store; nil while all is well.
    var absence: String? { isReplica ? nil : file.life.absence }

    /// Notes events that are about to be answered, so that the next start misses them if they are
    /// lost.
    func note(_ events: [Event]) {
        if let last = events.last, last.isStored { mark?.note(last.id) }
    }

    /// Has the ceiling on the disk so far ahead that `count` ids can be given.
    mutating func raise(_ ids: inout IDSequence, by count: Int) throws(WriteFailure) {
        let ceiling = min(ids.next + UInt64(count) + Limits.idsAhead, EventID.max.rawValue)
        guard ids.next + UInt64(count) <= ceiling else {
            throw WriteFailure(.storeFailed("ids end at \(EventID.max): begin with an empty store"))
        }
        do {
            try synced { () throws(DatabaseError) in
                try database.execute("UPDATE bus SET ceiling = \(ceiling)")
            }
            record.ceiling = ceiling
            try file.life.write(record)
            try idCeiling?.raise(to: ceiling)
        } catch {
            throw WriteFailure(file.path, error)
        }
        ids.ceiling = ceiling
    }

    /// Writes something small, synced, over the frames that a failed commit may have left in the
    /// journal. Once that is done, no start can find the failed commit.
    func seal() throws(DatabaseError) {
        try synced { () throws(DatabaseError) in
            try database.execute("UPDATE bus SET seals = seals + 1")
        }
    }

    /// Ends the life: the next one begins where this one ends. Everything is on the disk then.
    mutating func close(_ ids: IDSequence, _ topics: TopicRows) throws(DatabaseError) {
        guard hasBegun else { return }
        guard !isReplica else {
            _ = try? database.checkpoint(.truncating)
            return
        }
        try synced { () throws(DatabaseError) in
            try database.execute("BEGIN IMMEDIATE")
            try topics.write()
            try database.execute(
                """
                UPDATE bus SET is_closed = 1, ceiling = \(ids.next),
                    time = \(ids.time.microseconds);
                COMMIT
                """)
        }
        record.ceiling = ids.next
        record.isClosed = true
        // Without it, the next start tells a needless gap at the worst.
        try? file.life.write(record)
        try? idCeiling?.raise(to: ids.next)
        _ = try? database.checkpoint(.truncating)
    }

    private func synced(
        _ body: () throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try StoreOpening.setSync(database, .full)
        defer { try? StoreOpening.setSync(database, sync) }
        do {
            try body()
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }
}
