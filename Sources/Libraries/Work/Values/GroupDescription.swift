package import Topics

/// One group as it is: its settings, and what became of its jobs.
package struct GroupDescription: Sendable {
    package let name: GroupName
    package let selector: Selector
    /// The only type of events that it takes; nil for all.
    package let type: String?
    /// How long a lease lasts, in microseconds.
    package let lease: Int64
    /// How often a job is handed out before it is a dead letter.
    package let attempts: Int
    /// Where dead letters go; nil for nowhere.
    package let dead: TopicName?
    package let isOrderedByKey: Bool
    package let inFlightMax: Int
    package let replies: Bool
    package let persists: Bool
    /// Who made it; nil where nobody knows.
    package let owner: UInt32?
    /// Everything up to here was taken in.
    package let reach: EventID
    /// Jobs that were handed out or came next, and are not settled.
    package let open: Int
    /// Of these, those whose lease has not passed.
    package let leased: Int
    /// Of these, those that nobody has.
    package let waiting: Int
    /// Jobs that wait for others of their key.
    package let parked: Int
    /// Events behind `reach`, counted up to 1,000; nil where only the store knows, and where nobody looked.
    package internal(set) var ahead: Int?
    /// Requests for a job that wait.
    package let workers: Int
    /// The oldest open job.
    package let oldest: EventID?
    package let done: Int64
    package let failed: Int64
    package let gone: Int64
    package let expired: Int64
    /// The widest range that it missed; nil if it missed nothing.
    package let gap: Gap?
}

/// One open job as it is.
package struct JobDescription: Sendable {
    /// Where a job stands.
    package enum State: String, Sendable {
        /// Nobody has it.
        case waiting
        /// Somebody has it.
        case leased
    }

    package let id: EventID
    package let topic: TopicName
    /// Its key, where the group is ordered by key.
    package let key: String?
    package let state: State
    /// How often it was handed out.
    package let attempt: Int
    /// Who has it, if that worker gave a name.
    package let worker: String?
    /// The user of who has it.
    package let uid: UInt32?
    /// When it may be handed out, or its lease passes: microseconds from now, negative for before.
    package let due: Int64
    /// Why the dead topic does not take it; nil where it was not asked, or took it.
    package let reason: String?
}
