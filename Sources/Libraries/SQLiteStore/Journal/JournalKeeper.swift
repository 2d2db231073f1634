internal import Protection

/// The thread of the journal: syncs commits in it and moves them into the file. It has a connection
/// of its own, so that no publisher waits for that.
///
/// SQLite lets a passive checkpoint go on beside a writer: neither waits for the other. After a
/// failure the keeper tries again, and so does the writer. Nobody is told, since nothing that was
/// answered is missing yet.
///
/// Belongs to its thread.
final class JournalKeeper: ThreadWork {
    private let database: Database
    private let file: StoreFile
    private let journal: Checkpointer
    private let queue: CommitQueue

    /// - Parameters:
    ///   - database: A connection of its own, which writes.
    ///   - queue: The queue at which the writer waits.
    init(
        _ database: Database, _ file: StoreFile, _ journal: Checkpointer, queue: CommitQueue
    ) throws(DatabaseError) {
        self.database = database
        self.file = file
        self.journal = journal
        self.queue = queue
        // A connection opens its journal for the first read.
        _ = try database.integer("PRAGMA user_version")
        journal.opened(
            bytes: file.journalBytes, pageBytes: Int(try database.integer("PRAGMA page_size")))
    }

    /// Runs until the journal is closed.
    func run() {
        var hasRoom = hasRoomForLongJournal
        while let step = journal.next(&hasRoom, look: { hasRoomForLongJournal }) {
            guard step != .leave else {
                queue.rouse()
                continue
            }
            let outcome = Checkpointer.outcome { () throws(DatabaseError) in
                guard step == .sync else { return try database.checkpoint(.passive) }
                try database.syncJournal()
                return true
            }
            if step == .checkpoint { hasRoom = hasRoomForLongJournal }
            if journal.keeperEnded(step, outcome) { queue.rouse() }
        }
    }

    private var hasRoomForLongJournal: Bool { file.hasRoom(Limits.longJournalRoomBytesMin) }
}
