/// A read of what only the store has.
public struct StoreRead: Sendable {
    /// Where to begin: `.after`, `.last` or `.time`.
    public let start: StartPosition
    /// The last id to look at.
    public let through: EventID
    /// The topics.
    public let selector: Selector
    /// Which of their events.
    public let filter: EventFilter
    /// How much at most.
    public let limit: ReadLimit

    /// A read as given.
    public init(
        start: StartPosition, through: EventID, selector: Selector, filter: EventFilter,
        limit: ReadLimit
    ) {
        self.start = start
        self.through = through
        self.selector = selector
        self.filter = filter
        self.limit = limit
    }
}

/// What a store read.
public struct StorePage: Sendable {
    /// Events in the asked range, ids rising.
    public let events: [Event]
    /// Where the read began: the asked id, or the one just before the asked start.
    public let after: EventID
    /// The last id that was looked at; `through` of the request if that was reached.
    public let through: EventID

    /// A page as given.
    public init(events: [Event], after: EventID, through: EventID) {
        self.events = events
        self.after = after
        self.through = through
    }
}

/// What is to be removed from one topic of a store.
public struct StoreTrim: Hashable, Sendable {
    /// The topic.
    public let topic: TopicName
    /// Events up to this id go in any case.
    public let through: EventID
    /// Then the oldest, until these bounds are met.
    public let retention: Retention
    /// The time against which age is counted.
    public let now: Timestamp

    /// A trim as given.
    public init(topic: TopicName, through: EventID, retention: Retention, now: Timestamp) {
        self.topic = topic
        self.through = through
        self.retention = retention
        self.now = now
    }
}

/// What a trim left.
public struct StoreLoss: Hashable, Sendable {
    /// The highest id the topic lost so far.
    public let lost: EventID
    /// The time of that event.
    public let lostTime: Timestamp
    /// How many events this trim removed beyond its `through`.
    public let count: Int
    /// Their payload bytes.
    public let bytes: Int
    /// The first event left and its time; nil if there is none.
    public let oldest: EventID?
    /// The time of the first event left.
    public let oldestTime: Timestamp?

    /// A loss as given.
    public init(
        lost: EventID, lostTime: Timestamp, count: Int, bytes: Int, oldest: EventID?,
        oldestTime: Timestamp?
    ) {
        self.lost = lost
        self.lostTime = lostTime
        self.count = count
        self.bytes = bytes
        self.oldest = oldest
        self.oldestTime = oldestTime
    }
}
