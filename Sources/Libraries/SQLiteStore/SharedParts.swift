internal import Protection
internal import Topics

/// The first events that make no sense any more and of which the log was told.
struct DamagedEvents {
    private var ids: Set<EventID> = []

    /// Whether the log is to be told of an event.
    mutating func isNew(_ id: EventID) -> Bool {
        ids.count < Limits.damagedEventsToldMax && ids.insert(id).inserted
    }
}

/// The parts that the threads of a store and its callers share. Safe from any thread.
final class SharedParts: Sendable {
    let queue = CommitQueue()
    let reads = ReadQueue()
    let marks = TopicMarks()
    let progress = CommitProgress()
    let journal: Checkpointer
    let meters = StoreMeters()
    let readiness = Protected(Readiness.ready)
    /// The place of the last group of the order that the store follows.
    let applied = Protected<OrderPlace?>(nil)
    let damaged = Protected(DamagedEvents())
    let tellLoss = Protected<(@Sendable (TopicName, StoreLoss) -> Void)?>(nil)

    init(_ sync: SQLiteStoreConfiguration.Sync, _ clock: BootClock) {
        journal = Checkpointer(syncsCommits: sync == .full, by: clock)
    }
}
