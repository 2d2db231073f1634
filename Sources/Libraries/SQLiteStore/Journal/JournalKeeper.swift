internal import Protection

/// The task of the journal's thread: syncs commits in it and moves them into the file. It has a
/// connection of its own, so that no publisher waits for that.
///
/// SQLite lets a passive checkpoint go on beside a writer: neither waits for the other. After a
/// failure the keeper tries again, and so does the writer. Nobody is told, since nothing that was
/// answered is missing yet.
///
/// Belongs to its thread.
final class JournalKeeper: SteppedWork {
    private let database: Database
    private let file: StoreFile
    private let journal: Checkpointer
    private let queue: CommitQueue
    private lazy var hasRoom = hasRoomForLongJournal

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

    /// Syncs or moves the journal once that is due, until the journal is closed.
    func step(mayWait: Bool) -> WorkStep {
        let step = journal.next(hasRoom: hasRoom)
        switch step {
        case .end: return .end
        case .wait(let milliseconds):
            if mayWait { journal.wait(milliseconds: milliseconds) }
            hasRoom = hasRoomForLongJournal
            return .nothing
        case .leave: queue.rouse()
        case .sync, .checkpoint:
            let outcome = Checkpointer.outcome { () throws(DatabaseError) in
                guard step == .sync else { return try database.checkpoint(.passive) }
                try database.syncJournal()
                return true
            }
            if step == .checkpoint { hasRoom = hasRoomForLongJournal }
            if journal.keeperEnded(step, outcome) { queue.rouse() }
        }
        return .done
    }

    private var hasRoomForLongJournal: Bool { file.hasRoom(Limits.longJournalRoomBytesMin) }
}
