public import Topics

/// The outcome of a job, as its worker reports it.
public struct JobOutcome: Sendable {
    let verb: Settlement.Verb

    /// It is done. Where somebody waits for its reply, that is empty.
    public static let done = JobOutcome(verb: .done(nil))

    /// It is done, and these events came out of it: both are one commit.
    ///
    /// The topic may be any, one of the group's own or not. If the bus refuses the events, the job
    /// is not settled either.
    public static func done(publishing batch: PublishBatch) -> JobOutcome {
        JobOutcome(verb: .done(.publish(batch)))
    }

    /// It is done, and this reply goes to the requester that waits for it.
    ///
    /// Only groups that reply take it: else it is ``WorkError/repliesNot(_:)``.
    public static func done(reply: Reply) -> JobOutcome {
        JobOutcome(verb: .done(.reply(reply)))
    }

    /// It is to be tried again: after 1 s, twice as long with each attempt, up to 5 min, and up to a
    /// tenth longer, so that jobs that failed together do not come again together.
    ///
    /// After the last attempt of its group it becomes a dead letter instead.
    public static let retry = JobOutcome(verb: .retry(delay: nil))

    /// It is to be tried again after so long, 0 to 24 h. This delay has no jitter.
    public static func retry(after delay: Duration) -> JobOutcome {
        JobOutcome(verb: .retry(delay: delay.wholeMicroseconds))
    }

    /// It becomes a dead letter, without further attempts.
    ///
    /// A group without a dead topic refuses that with ``WorkError/deadMissing(_:)``, unless a
    /// requester waits for the reply: that one gets ``WorkError/replyRefused(_:)``.
    public static let dead = JobOutcome(verb: .dead(refusal: nil))

    /// The same, and this reply goes with the refusal to the requester that waits.
    public static func dead(reply: Reply) -> JobOutcome {
        JobOutcome(verb: .dead(refusal: reply))
    }
}
