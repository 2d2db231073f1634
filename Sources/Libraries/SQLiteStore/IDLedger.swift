internal import Topics

/// Who remembers which ids were given: the store, the record beside it, and what the daemon keeps
/// for stores of any kind. Belongs to the writer's thread.
struct IDLedger {
    private let file: StoreFile
    private let database: Database
    private let sync: SQLiteStoreConfiguration.Sync
    private let idCeiling: IDCeiling?
    private var record: LifeRecord

    init(
        _ opening: StoreOpening, sync: SQLiteStoreConfiguration.Sync, idCeiling: IDCeiling?
    ) {
        file = opening.file
        database = opening.database
        self.sync = sync
        self.idCeiling = idCeiling
        record = LifeRecord(
            identity: opening.bus.identity, life: opening.bus.life, ceiling: opening.bus.ceiling,
            isClosed: false, isSynced: sync == .full, boot: StoreFile.boot)
    }

    /// Has the ceiling on the disk so far ahead that `count` ids can be given.
    mutating func raise(_ ids: inout IDSequence, by count: Int) throws(WriteFailure) {
        let ceiling = min(ids.next + UInt64(count) + Limits.idsAhead, EventID.max.rawValue)
        guard ids.next + UInt64(count) <= ceiling else {
            throw WriteFailure(.storeFailed("ids end at \(EventID.max): begin with an empty store"))
        }
        do throws(DatabaseError) {
            try synced { () throws(DatabaseError) in
                try database.execute("UPDATE bus SET ceiling = \(ceiling)")
            }
        } catch {
            throw WriteFailure(file.path, error)
        }
        record.ceiling = ceiling
        do throws(StoreError) {
            try file.write(record)
            try idCeiling?.raise(to: ceiling)
        } catch {
            throw WriteFailure(.storeFailed(error.detail))
        }
        ids.ceiling = ceiling
    }

    /// Writes something small over whatever a failed commit may have left in the journal, synced:
    /// once that is done, no start can find the failed commit.
    func seal() throws(DatabaseError) {
        try synced { () throws(DatabaseError) in
            try database.execute("UPDATE bus SET seals = seals + 1")
        }
    }

    /// Ends the life: the next one begins where this one ends. Everything is on the disk then.
    mutating func close(_ ids: IDSequence, _ topics: TopicRows) throws(DatabaseError) {
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
        try? file.write(record)
        try? idCeiling?.raise(to: ids.next)
        try? database.checkpoint(.truncating)
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
