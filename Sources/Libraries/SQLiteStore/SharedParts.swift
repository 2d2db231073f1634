internal import Protection
internal import Topics

/// What the threads of a store and its callers have in common. Safe from any thread.
final class SharedParts: Sendable {
    let queue = CommitQueue()
    let reads = ReadQueue()
    let marks = TopicMarks()
    let progress = CommitProgress()
    let journal: JournalCare
    let meters = StoreMeters()
    let readiness = Protected(Readiness.ready)
    let tellLoss = Protected<(@Sendable (TopicName, StoreLoss) -> Void)?>(nil)

    init(_ sync: SQLiteStoreConfiguration.Sync) {
        journal = JournalCare(syncsCommits: sync == .full)
    }
}
