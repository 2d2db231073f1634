/// A worker's request that may wait for a job.
package struct WaitingWorker: Sendable {
    private let group: WorkGroup?
    private let number: RequestNumber

    init(_ group: WorkGroup?, _ number: RequestNumber) {
        self.group = group
        self.number = number
    }

    /// How many terms the selector of its group has: to wait for them all takes as many looks.
    package var termCount: Int { group?.selector.termCount ?? 0 }

    /// Lets it wait no longer. Its `then` comes all the same: with no job, or with one that was
    /// decided already. Does nothing once it has come.
    package func cancel() { group?.cancel(number) }
}
