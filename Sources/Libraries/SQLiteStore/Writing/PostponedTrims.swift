internal import Queues
internal import Topics

/// Removals that wait for their turn at the disk, in the order in which their topics came. There is
/// one for each topic, since a later removal includes the earlier ones.
///
/// So there are never more than topics that had events when the disk began to refuse. Belongs to
/// the writer's thread.
struct PostponedTrims {
    private var trims: [TopicName: CommitQueue.TrimJob] = [:]
    /// Each topic of `trims`, once.
    private var order = Ring<TopicName>()

    /// How many there are.
    var count: Int { trims.count }

    /// Adds a removal, or merges it with the one of its topic that waits already.
    mutating func add(_ job: CommitQueue.TrimJob) {
        if let known = trims.updateValue(job, forKey: job.trim.topic) {
            trims[job.trim.topic] = Self.joined(known, job)
        } else {
            order.append(job.trim.topic)
        }
    }

    /// Takes the first ones, so many at most.
    mutating func take(_ countMax: Int) -> [CommitQueue.TrimJob] {
        (0..<min(countMax, count)).map { _ in trims.removeValue(forKey: order.removeFirst())! }
    }

    /// Merges two removals of a topic, with the bounds that were asked for last. The rest of a
    /// removal has no bounds, and nobody to tell. The log was told, and asks again for events over
    /// the bounds.
    private static func joined(
        _ first: CommitQueue.TrimJob, _ second: CommitQueue.TrimJob
    ) -> CommitQueue.TrimJob {
        let bounding = second.then == nil ? first : second
        return CommitQueue.TrimJob(
            trim: StoreTrim(
                topic: second.trim.topic, through: max(first.trim.through, second.trim.through),
                retention: bounding.trim.retention, heldFrom: bounding.trim.heldFrom,
                now: max(first.trim.now, second.trim.now)),
            then: bounding.then)
    }
}
