internal import CSQLite

/// One connection to the file of a store: the owner of its `sqlite3`.
///
/// Opened without SQLite's own mutex, so used by one thread at a time, which may change only while
/// nobody uses it. Its statements keep it alive.
final class Database {
    /// How a connection is opened.
    enum Mode {
        /// To read and write a file that is there.
        case writing
        /// To read.
        case reading
        /// To read and write a file that may be missing.
        case creating

        fileprivate var flags: Int32 {
            switch self {
            case .writing: SQLITE_OPEN_READWRITE
            case .reading: SQLITE_OPEN_READONLY
            case .creating: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }
    }

    let pointer: OpaquePointer
    /// Closed behind the connection: see `InodeLock`.
    private let file: StoreFile?
    /// Pages in the journal after the last commit, as the hook of `Thunks` was told.
    private let journal = JournalMeter()

    /// Opens the file at `path` through a file system of SQLite; nil is the system's own.
    ///
    /// - Parameters:
    ///   - file: The file if this process has it for itself; it stays so as long as this lives.
    init(
        path: String, mode: Mode, vfs: String? = nil, keeping file: StoreFile? = nil
    ) throws(DatabaseError) {
        var opened: OpaquePointer?
        let flags = mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, vfs)
        guard code == SQLITE_OK, let opened else {
            let error = DatabaseError(code: code, connection: opened)
            sqlite3_close_v2(opened)
            throw error
        }
        pointer = opened
        self.file = file
        sqlite3_busy_timeout(pointer, Limits.busyMilliseconds)
        // SQLite moves the journal into the file inside a commit otherwise, while publishers wait.
        sqlite3_wal_autocheckpoint(pointer, 0)
        Thunks.reportJournal(of: pointer, to: journal)
    }

    /// Opens a file that this process has for itself.
    convenience init(
        _ file: StoreFile, mode: Mode, vfs: String? = nil
    ) throws(DatabaseError) {
        try self.init(path: file.path, mode: mode, vfs: vfs, keeping: file)
    }

    deinit {
        sqlite3_close_v2(pointer)
    }

    /// Pages in the journal after the last commit of this connection.
    var journalPages: Int { journal.pages }

    /// Rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes64(pointer)) }

    /// The key of the last row that was inserted.
    var insertedKey: Int64 { sqlite3_last_insert_rowid(pointer) }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }

    /// Runs statements that return nothing.
    func execute(_ sql: String) throws(DatabaseError) {
        try check(sqlite3_exec(pointer, sql, nil, nil, nil))
    }

    /// A statement to run many times.
    func prepare(_ sql: String) throws(DatabaseError) -> Statement {
        try Statement(sql, on: self)
    }

    /// The one number that a statement returns; 0 if it returns none.
    func integer(_ sql: String) throws(DatabaseError) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// The text in the first column of every row that a statement returns.
    func texts(_ sql: String) throws(DatabaseError) -> [String] {
        let statement = try prepare(sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0) ?? "") }
        return texts
    }

    /// How far the journal is moved into the file.
    enum Checkpoint {
        /// As far as readers allow, without waiting for anybody.
        case passive
        /// All of it, and the journal is emptied; fails if a reader is in the way.
        case truncating
    }

    /// Moves the journal into the file. Returns whether all of it was moved that was committed when
    /// it began.
    @discardableResult
    func checkpoint(_ mode: Checkpoint) throws(DatabaseError) -> Bool {
        let mode = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        var (pages, moved): (Int32, Int32) = (0, 0)
        try check(sqlite3_wal_checkpoint_v2(pointer, "main", mode, &pages, &moved))
        return pages == moved
    }

    /// Has everything on the disk that is in the journal by now, whichever connection wrote it.
    ///
    /// That is as good as a checkpoint when the power goes: the next start finds the same events as
    /// after a kill.
    func syncJournal() throws(DatabaseError) {
        var journal: UnsafeMutablePointer<sqlite3_file>?
        try check(
            sqlite3_file_control(pointer, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal))
        guard let journal, let methods = journal.pointee.pMethods, let sync = methods.pointee.xSync
        else { preconditionFailure("a connection that has read nothing has no journal to sync") }
        let code = sync(journal, SQLITE_SYNC_NORMAL)
        guard code == SQLITE_OK else {
            throw DatabaseError(code: code, text: "the journal could not be synced")
        }
    }

    /// - Throws: The error that `code` stands for, unless it is `SQLITE_OK`.
    func check(_ code: Int32) throws(DatabaseError) {
        guard code == SQLITE_OK else { throw DatabaseError(code: code, connection: pointer) }
    }
}
