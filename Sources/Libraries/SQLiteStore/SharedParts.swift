internal import Protection
internal import Topics

/// What the threads of a store and its callers have in common. Safe from any thread.
final class SharedParts: Sendable {
    let queue: CommitQueue
    let reads: ReadQueue
    let marks = TopicMarks()
    let progress = CommitProgress()
    let meters = StoreMeters()
    let readiness = Protected(Readiness.ready)
    let tellLoss = Protected<(@Sendable (TopicName, StoreLoss) -> Void)?>(nil)

    init() throws(StoreError) {
        do throws(Errno) {
            queue = try CommitQueue()
            reads = try ReadQueue()
        } catch {
            throw StoreError(detail: "no pipe for the store: \(error)")
        }
    }
}
