internal import CSQLite
internal import Glibc
internal import Protection

/// Why SQLite did not do something, by its code and in its words.
struct DatabaseError: Error, Hashable {
    /// The extended result code (`sqlite.org/rescode.html`).
    let code: Int32
    /// The system's error code, where it had a part in it and is known; else zero.
    let systemCode: Int32
    /// The message of SQLite, and that of the system if it had a part in the failure.
    let text: String

    /// A kind of failure.
    enum Kind {
        /// There is no room left, on the disk or below the limit of the file.
        case full
        /// The file or its disk may not be written.
        case readOnly
        /// Another program holds a lock.
        case busy
        /// The content of the file makes no sense.
        case damaged
        /// The file is no database at all.
        case notDatabase
        /// The disk, or anything else.
        case other
    }

    var kind: Kind {
        switch code & 0xFF {
        case SQLITE_FULL: .full
        case SQLITE_READONLY, SQLITE_PERM: .readOnly
        case SQLITE_IOERR where systemCode == EROFS: .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CORRUPT: .damaged
        case SQLITE_NOTADB: .notDatabase
        default: .other
        }
    }

    /// Whether a commit that failed this way certainly left nothing that a later start could take
    /// for committed: without room or a lock, its last frame was not written.
    ///
    /// A system that refuses (`SQLITE_IOERR`) may do so when it is asked to sync written frames.
    var leavesNothing: Bool {
        code & 0xFF != SQLITE_IOERR && (kind == .full || kind == .busy || kind == .readOnly)
    }

    init(code: Int32, text: String, systemCode: Int32 = 0) {
        self.code = code
        self.text = text
        self.systemCode = systemCode
    }

    /// The error of the last failure of a connection.
    init(code: Int32, connection: OpaquePointer?) {
        let system = connection.map { Self.systemCode(of: code, $0) } ?? 0
        var text = String(cString: sqlite3_errstr(code))
        if let connection, sqlite3_extended_errcode(connection) == code {
            text = String(cString: sqlite3_errmsg(connection))
        }
        if system != 0 { text += " (\(Errno(system)))" }
        self.init(code: code, text: text, systemCode: system)
    }

    // SQLITE_IOERR_WRITE and SQLITE_IOERR_FSYNC, macros that Swift does not see.
    private static let writeError = SQLITE_IOERR | 3 << 8
    private static let syncError = SQLITE_IOERR | 4 << 8

    /// The system's error code for a failure; zero where it had no part in it.
    ///
    /// SQLite 3.40 keeps no code of a failed commit for `sqlite3_system_errno`. The journal has it.
    private static func systemCode(of code: Int32, _ connection: OpaquePointer) -> Int32 {
        guard code == writeError || code == syncError else {
            return sqlite3_system_errno(connection)
        }
        var journal: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal)
        var last: Int32 = 0
        if let journal, let methods = journal.pointee.pMethods {
            _ = methods.pointee.xFileControl?(journal, SQLITE_FCNTL_LAST_ERRNO, &last)
        }
        return last != 0 ? last : sqlite3_system_errno(connection)
    }
}
