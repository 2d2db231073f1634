public import Topics

/// One event that is this worker's to work on, until it is settled or handed on to another one.
public struct LeasedJob: Sendable {
    /// The event that the worker is to handle.
    public let event: Event
    /// How often it was handed out, this time included. Exact over restarts.
    public let attempt: Int
    /// When its lease passes, by the bus's clock. Nothing goes by it: it is for people.
    public let deadline: Timestamp
    /// Whether somebody waits for the reply, at the moment when it was handed out.
    public let isReplyWanted: Bool
    /// The range of events that the group missed and told nobody yet; nil for none. In a batch the
    /// first job has it.
    public let gap: Gap?
    /// The lease that settles it. Jobs of one batch share it.
    package let lease: String
}

extension LeasedJob {
    /// The jobs of a hand-out, each with the lease that settles it.
    static func all(of delivery: JobDelivery) -> [LeasedJob] {
        delivery.jobs.enumerated().map { index, job in
            LeasedJob(
                event: job.event, attempt: job.attempt, deadline: delivery.deadline,
                isReplyWanted: job.isReplyWanted, gap: index == 0 ? delivery.gap : nil,
                lease: delivery.lease)
        }
    }
}
