internal import Topics

/// Opening a store: from a path to a file that is locked, checked, of this version, and in a new
/// life.
struct StoreOpening {
    let file: StoreFile
    let database: Database
    let ledger: IDLedger
    /// The topics in the file.
    let found: TopicLoading.Found
    /// The work groups in the file.
    let groups: [StoredGroup]
    /// The events that are held until they are due.
    let later: LaterLoading.Found
    /// Why the new life could not be written yet; nil if it has begun.
    let refusal: BusError?
    private let vfs: String?

    /// Opens the file that `configuration` names.
    ///
    /// - Parameters:
    ///   - ceiling: The ceiling that remembers given ids besides the store; nil for none.
    ///   - order: The order that the store is to follow; nil for a bus of its own.
    /// - Throws: `StoreError`, with the fault and a remedy. Nothing was changed then, except
    ///   perhaps the version.
    init(
        _ configuration: SQLiteStoreConfiguration, schema: Schema, ceiling: IDCeiling?,
        following order: OrderLife?, bootClock: BootClock, now: Timestamp, vfs: String?
    ) throws(StoreError) {
        self.vfs = vfs
        file = try StoreFile(path: configuration.path)
        try StoreFile.checkJournal(file.path)
        do {
            database = try Database(file, mode: .writing, vfs: vfs)
            try Self.check(database, file, schema)
            try Self.set(database, bytesMax: order == nil ? configuration.sizeBytesMax : nil)
            try schema.migrate(database)
            (ledger, found, groups, later, refusal) = try Self.begin(
                database, file, configuration, ceiling, order, bootClock, now)
            try database.execute("PRAGMA cache_spill = ON")
        } catch let error as DatabaseError {
            throw .unusable(configuration.path, error)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("an error of no kind: \(error)")
        }
    }

    /// Another connection, to read with.
    func makeReader() throws(StoreError) -> Database {
        do {
            let reader = try Database(file, mode: .reading, vfs: vfs)
            try reader.execute("PRAGMA query_only = ON")
            return reader
        } catch {
            throw .unusable(file.path, error)
        }
    }

    /// Another connection, to sync the journal and move it into the file.
    func makeKeeper() throws(StoreError) -> Database {
        do {
            let keeper = try Database(file, mode: .writing, vfs: vfs)
            // Syncs as much as a checkpoint needs. This connection writes nothing else.
            try Self.setSync(keeper, .normal)
            return keeper
        } catch {
            throw .unusable(file.path, error)
        }
    }

    /// Sees to it that the file is a store that this program can use, and that it is whole.
    private static func check(
        _ database: Database, _ file: StoreFile, _ schema: Schema
    ) throws {
        guard try checkKind(database, file.path, schema) else { return }
        let findings = try database.texts("PRAGMA quick_check(\(Limits.findingsMax))")
        guard findings == ["ok"] else { throw StoreError.damaged(file.path, findings) }
    }

    /// Sees to it that a file is a store that this program knows. Returns false if it is empty.
    @discardableResult
    static func checkKind(
        _ database: Database, _ path: String, _ schema: Schema
    ) throws -> Bool {
        let version = try database.integer("PRAGMA user_version")
        let application = try database.integer("PRAGMA application_id")
        let tables = try database.integer("SELECT count(*) FROM sqlite_schema")
        guard tables > 0 || version != 0 else { return false }
        guard application == Schema.applicationID else {
            throw StoreError(
                detail: "\(path) is a database of another program: choose another file")
        }
        guard version >= 0 else {
            throw StoreError.damaged(path, ["its version is \(version)"])
        }
        guard version <= schema.version else {
            throw StoreError(
                detail: "the store \(path) was written by a newer belfryd (its version is "
                    + "\(version), this one knows \(schema.version)): run that one, or restore a "
                    + "backup from before the upgrade")
        }
        return true
    }

    /// Sets the pragmas of the connection. The one that needs a file without tables comes first.
    ///
    /// - Parameter bytesMax: The bytes that the file may take; nil for a replica, which keeps all
    ///   its order says.
    private static func set(_ database: Database, bytesMax: Int?) throws(DatabaseError) {
        // Set only once: SQLite writes it each time, and a full disk takes no write.
        if try database.integer("PRAGMA auto_vacuum") != 2 {
            try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        }
        guard try database.texts("PRAGMA journal_mode = WAL") == ["wal"] else {
            throw DatabaseError(code: -1, text: "its file system takes no write-ahead journal")
        }
        try setSync(database, .full)
        try database.execute(
            """
            PRAGMA secure_delete = OFF; PRAGMA temp_store = MEMORY;
            PRAGMA journal_size_limit = \(Limits.journalBytesMax);
            PRAGMA cache_spill = OFF
            """)
        guard let bytesMax else { return }
        let pages = Int64(bytesMax) / (try database.integer("PRAGMA page_size"))
        try database.execute("PRAGMA max_page_count = \(pages)")
    }

    static func setSync(
        _ database: Database, _ sync: SQLiteStoreConfiguration.Sync
    ) throws(DatabaseError) {
        try database.execute("PRAGMA synchronous = \(sync == .full ? "FULL" : "NORMAL")")
    }

    /// Begins a life. On a disk without room it only works out the beginning, so that readers can
    /// read the events that there are.
    private static func begin(
        _ database: Database, _ file: StoreFile, _ configuration: SQLiteStoreConfiguration,
        _ ceiling: IDCeiling?, _ order: OrderLife?, _ bootClock: BootClock, _ now: Timestamp
    ) throws -> (IDLedger, TopicLoading.Found, [StoredGroup], LaterLoading.Found, BusError?) {
        func ledger(_ start: LifeStart) -> IDLedger {
            IDLedger(database, file, start, sync: configuration.sync, idCeiling: ceiling)
        }
        var start =
            try order.map { try LifeStart(following: $0, database, file.path, bootClock) }
            ?? LifeStart(database, file, ceiling, bootClock, now: now)
        var begun = ledger(start)
        var found = TopicLoading.Found()
        var groups: [StoredGroup] = []
        var later = LaterLoading.Found()
        func look() throws(DatabaseError) {
            let boot = order == nil ? start.bus.boot : nil
            found = try TopicLoading.load(
                database, at: order == nil ? (now, bootClock.now()) : nil)
            groups = try GroupLoading.load(database, boot)
            later = try LaterLoading.load(database, boot)
        }
        do {
            try begun.begin(look)
            return (begun, found, groups, later, nil)
        } catch {
            guard order == nil, start.bus.life > 1, let refusal = lackOfRoom(error, file) else {
                throw error
            }
            start = try LifeStart(
                database, file, ceiling, bootClock, now: now, followsClock: false)
            try database.execute("BEGIN IMMEDIATE")
            try start.apply(to: database)
            try look()
            try database.execute("ROLLBACK")
            return (ledger(start), found, groups, later, refusal)
        }
    }

    /// The error for publishers if a start fails for want of room alone; else nil.
    private static func lackOfRoom(_ error: any Error, _ file: StoreFile) -> BusError? {
        switch error {
        case let error as DatabaseError where error.kind == .full: .unwritable(file.path, error)
        case let error as StoreError where !file.hasRoom: .storeFull(error.detail)
        default: nil
        }
    }
}
