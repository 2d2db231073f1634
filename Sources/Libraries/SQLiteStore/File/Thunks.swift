internal import CSQLite

/// The functions that SQLite calls, each two or three lines long.
///
/// | Called | Context | Retained by | Released by | On | Never again after |
/// |---|---|---|---|---|---|
/// | `reportJournal` | `JournalMeter` | its `Database` | that one's `deinit` | the thread that commits | the connection is closed |
enum Thunks {
    /// Has `meter` told how many pages the journal has after each commit of a connection.
    static func reportJournal(of connection: OpaquePointer, to meter: JournalMeter) {
        sqlite3_wal_hook(
            connection,
            { meter, _, _, pages in
                // Unmanaged: the connection's owner keeps the meter as long as the connection.
                Unmanaged<JournalMeter>.fromOpaque(meter!).takeUnretainedValue().pages = Int(pages)
                return SQLITE_OK
            },
            // Unmanaged: see above.
            Unmanaged.passUnretained(meter).toOpaque())
    }

    /// Bytes that are copied while they are bound.
    static var copied: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}

/// How many pages a journal has.
final class JournalMeter {
    var pages = 0
}
