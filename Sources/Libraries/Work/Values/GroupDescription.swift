public import Topics

/// One group as it is: its settings, and the counts of its jobs.
public struct GroupDescription: Sendable {
    /// The name of the group.
    public let name: GroupName
    /// Its topics.
    public let selector: Selector
    /// Its settings: all are named but its start.
    public let settings: GroupSettings
    /// The user id of its maker; nil for a group that was made in the process of the bus.
    public let owner: UInt32?
    /// Everything up to here was taken in.
    public let reach: EventID
    /// Jobs that were handed out or came next, and are not settled.
    public let open: Int
    /// Of these, those that a worker has and whose lease has not passed.
    public let leased: Int
    /// Of these, those that nobody has.
    public let waiting: Int
    /// Jobs that wait for others of their key.
    public let parked: Int
    /// Events behind `reach`, counted up to 1,000; nil where only the store knows, and where nobody looked.
    public internal(set) var behind: Int?
    /// Requests for a job that wait.
    public internal(set) var workers: Int
    /// The oldest open job.
    public let oldest: EventID?
    /// Jobs that workers did.
    public let done: Int64
    /// Jobs that became dead letters.
    public let failed: Int64
    /// Jobs whose events were removed before they were settled.
    public let gone: Int64
    /// Jobs whose time to live was over before they were handed out.
    public let expired: Int64
    /// The widest range that it missed; nil if it missed nothing.
    public let gap: Gap?
}

/// One open job as it is.
public struct JobDescription: Sendable {
    /// The state of a job.
    public enum State: String, Sendable {
        /// Nobody has it.
        case waiting
        /// Somebody has it.
        case leased
    }

    /// The id of its event.
    public let id: EventID
    /// The topic of its event.
    public let topic: TopicName
    /// Its key, where the group is ordered by key.
    public let key: String?
    /// Whether it is leased or waits.
    public let state: State
    /// How often it was handed out.
    public let attempt: Int
    /// The worker that has it, if that gave a name.
    public let worker: String?
    /// The user id of the worker that has it, if that has one.
    public let uid: UInt32?
    /// When it may be handed out, or its lease passes: from now on, negative for before.
    public let due: Duration
    /// Why the dead topic does not take it; nil where it was not asked, or took it.
    public let reason: String?
}
