internal import Topics

/// Opening a store: from a path to a file that is locked, checked, of this version, and in a new
/// life.
struct StoreOpening {
    let file: StoreFile
    let database: Database
    let bus: BusRow
    let ids: IDSequence
    private let configuration: SQLiteStoreConfiguration
    private let vfs: String?

    /// Opens the file that `configuration` names.
    ///
    /// - Parameters:
    ///   - ceiling: What besides the store remembers which ids were given.
    /// - Throws: What is wrong, and what to do; then nothing was changed but perhaps the version.
    init(
        _ configuration: SQLiteStoreConfiguration, schema: Schema, ceiling: IDCeiling?,
        now: Timestamp, vfs: String?
    ) throws(StoreError) {
        self.configuration = configuration
        self.vfs = vfs
        file = try StoreFile(path: configuration.path)
        do {
            database = try Database(path: file.path, mode: .writing, vfs: vfs)
            try Self.check(database, file, schema)
            try Self.set(database, configuration)
            try schema.migrate(database)
            (bus, ids) = try Self.begin(database, file, configuration, ceiling, now)
            try Self.setSync(database, configuration.sync)
        } catch let error as DatabaseError {
            throw .unusable(configuration.path, error)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("an error of no kind: \(error)")
        }
    }

    /// What the file holds.
    func load() throws(StoreError) -> TopicLoading.Found {
        do {
            return try TopicLoading.load(database)
        } catch {
            throw .unusable(file.path, error)
        }
    }

    /// Another connection, to read with.
    func makeReader() throws(StoreError) -> Database {
        do {
            let reader = try Database(path: file.path, mode: .reading, vfs: vfs)
            try reader.execute("PRAGMA query_only = ON")
            return reader
        } catch {
            throw .unusable(file.path, error)
        }
    }

    /// Sees to it that the file is a store that this program can use, and that it is whole.
    private static func check(
        _ database: Database, _ file: StoreFile, _ schema: Schema
    ) throws {
        guard !database.isReadOnly else {
            throw StoreError(
                detail: "the store \(file.path) can only be read: let the bus's user write it")
        }
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
        guard tables > 0 || version > 0 else { return false }
        guard application == Schema.applicationID else {
            throw StoreError(
                detail: "\(path) is a database of another program: choose another file")
        }
        guard version <= schema.version else {
            throw StoreError(
                detail: "the store \(path) was written by a newer belfryd (its version is "
                    + "\(version), this one knows \(schema.version)): run that one, or restore a "
                    + "backup from before the upgrade")
        }
        return true
    }

    /// What has to be said before there are tables comes first.
    private static func set(
        _ database: Database, _ configuration: SQLiteStoreConfiguration
    ) throws(DatabaseError) {
        try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        guard try database.texts("PRAGMA journal_mode = WAL") == ["wal"] else {
            throw DatabaseError(code: -1, text: "its file system takes no write-ahead journal")
        }
        try setSync(database, .full)
        let pages = Int64(configuration.sizeBytesMax) / (try database.integer("PRAGMA page_size"))
        try database.execute(
            """
            PRAGMA secure_delete = OFF; PRAGMA temp_store = MEMORY;
            PRAGMA journal_size_limit = \(Limits.journalBytesMax);
            PRAGMA max_page_count = \(pages)
            """)
    }

    static func setSync(
        _ database: Database, _ sync: SQLiteStoreConfiguration.Sync
    ) throws(DatabaseError) {
        try database.execute("PRAGMA synchronous = \(sync == .full ? "FULL" : "NORMAL")")
    }

    /// Begins a life: its first id lies above every one that may have been given.
    private static func begin(
        _ database: Database, _ file: StoreFile, _ configuration: SQLiteStoreConfiguration,
        _ idCeiling: IDCeiling?, _ now: Timestamp
    ) throws -> (BusRow, IDSequence) {
        let boot = StoreFile.boot
        var bus = try BusRow.read(database) ?? .fresh()
        let last = try lastEvent(database)
        let lastLife = file.lastLife
        let mayLackEvents = bus.mayLackEvents(lastLife: lastLife, boot: boot)
        let wasClosed = bus.isClosed && !mayLackEvents
        let first = max(
            UInt64(max(1, now.microseconds)), bus.ceiling, lastLife?.ceiling ?? 0,
            idCeiling?.found ?? 0, last.id.successor.rawValue)
        let ceiling = first + Limits.idsAhead
        guard ceiling <= EventID.max.rawValue else {
            throw StoreError(
                detail: "the next id of \(file.path) would be \(first), and ids end at "
                    + "\(EventID.max): set the clock right, and begin with an empty store")
        }
        let newest = EventID(rawValue: first - 1)
        if mayLackEvents {
            bus.floor = newest
            bus.floorTime = max(now, last.time)
        }
        if bus.life == 0, lastLife == nil, idCeiling?.found ?? 0 == 0 {
            bus.unusedThrough = newest
        } else if lastLife?.identity != bus.identity {
            bus.unusedThrough = .zero
        }
        bus.life = max(bus.life, lastLife?.life ?? 0) + 1
        bus.isCopy = false
        bus.isClosed = false
        bus.ceiling = ceiling
        bus.time = max(bus.time, last.time, try lastLoss(database))
        try database.execute("BEGIN IMMEDIATE")
        try bus.write(database)
        try TopicLoading.loseUnstored(
            database, through: wasClosed ? nil : newest, now: max(now, bus.time))
        try database.execute("COMMIT")
        try file.write(
            LifeRecord(
                identity: bus.identity, life: bus.life, ceiling: ceiling, isClosed: false,
                isSynced: configuration.sync == .full, boot: boot))
        try idCeiling?.raise(to: ceiling)
        return (bus, IDSequence(next: first, ceiling: ceiling, time: bus.time))
    }

    private static func lastEvent(
        _ database: Database
    ) throws(DatabaseError) -> (id: EventID, time: Timestamp) {
        let row = try database.prepare("SELECT id, time FROM events ORDER BY id DESC LIMIT 1")
        guard try row.step() else { return (.zero, .distantPast) }
        return (row.id(0), row.time(1))
    }

    /// The time of the last event of which there is no more than that a topic lost it.
    private static func lastLoss(_ database: Database) throws(DatabaseError) -> Timestamp {
        let row = try database.prepare("SELECT max(lost_time) FROM topics")
        guard try row.step(), !row.isNull(0) else { return .distantPast }
        return row.time(0)
    }
}
