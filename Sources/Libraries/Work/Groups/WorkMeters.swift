internal import Telemetry
internal import Topics

/// Counters of the operations of all groups.
struct WorkMeters: Sendable {
    let taken = Counter()
    let done = Counter()
    let retried = Counter()
    let dead = Counter()
    let gone = Counter()
    let expired = Counter()
    let leasesLost = Counter()
    let unanswered = Counter()
    let late = Counter()
    /// Microseconds from the moment when an event was visible to its first hand-out.
    let pickUp = Histogram()

    func count(_ counts: GroupTransaction.Counts, now: Timestamp) {
        taken.add(counts.taken.count)
        done.add(Int(counts.ended.done))
        dead.add(Int(counts.ended.dead))
        gone.add(Int(counts.ended.gone))
        expired.add(Int(counts.ended.expired))
        retried.add(counts.retried)
        leasesLost.add(counts.lost)
        for job in counts.taken where job.attempt == 1 {
            pickUp.observe(Int(now.microseconds - job.visible.microseconds))
        }
    }
}
