/// What a store retained over a restart.
public struct StoreContents: Sendable {
    /// The newest id that counts as visible: everything up to here was given out, or might be.
    public var newest: EventID
    /// Losses of topics nobody remembers apart: every cursor below has a gap.
    public var floor: EventID
    /// The time up to which the floor reaches.
    public var floorTime: Timestamp
    /// No life of the bus gave an id up to here: who asks for one asks for an event that never was.
    /// Zero where nobody can say.
    public var unusedThrough: EventID
    /// Topics that exist.
    public var topics: [StoredTopic]
    /// Topics that vanished, oldest first.
    public var tombstones: [StoredTombstone]

    /// Contents as given.
    public init(
        newest: EventID, floor: EventID, floorTime: Timestamp, unusedThrough: EventID = .zero,
        topics: [StoredTopic] = [], tombstones: [StoredTombstone] = []
    ) {
        self.newest = newest
        self.floor = floor
        self.floorTime = floorTime
        self.unusedThrough = unusedThrough
        self.topics = topics
        self.tombstones = tombstones
    }
}

/// One topic that a store retained.
public struct StoredTopic: Sendable {
    /// Its name.
    public var name: TopicName
    /// Its settings, if it was registered.
    public var settings: TopicSettings?
    /// Who made it.
    public var owner: UInt32?
    /// The highest id it lost, and the time of that event.
    public var lost: EventID
    /// The time of the last event it lost.
    public var lostTime: Timestamp
    /// What is only in the store; nil if `recent` is everything.
    public var older: OlderEvents?
    /// The newest events, ids rising, which memory takes over.
    public var recent: [Event]

    /// A topic as given.
    public init(
        name: TopicName, settings: TopicSettings?, owner: UInt32?, lost: EventID,
        lostTime: Timestamp, older: OlderEvents?, recent: [Event]
    ) {
        self.name = name
        self.settings = settings
        self.owner = owner
        self.lost = lost
        self.lostTime = lostTime
        self.older = older
        self.recent = recent
    }
}

/// Events of a topic that are retained in the store and no longer in memory.
public struct OlderEvents: Hashable, Sendable {
    /// How many there are, at least one.
    public var count: Int
    /// Their payload bytes.
    public var bytes: Int
    /// The first of them.
    public var oldest: EventID
    /// The time of the first of them.
    public var oldestTime: Timestamp
    /// The last of them.
    public var newest: EventID
    /// The time of the last of them.
    public var newestTime: Timestamp

    /// Older events as given.
    public init(
        count: Int, bytes: Int, oldest: EventID, oldestTime: Timestamp, newest: EventID,
        newestTime: Timestamp
    ) {
        self.count = count
        self.bytes = bytes
        self.oldest = oldest
        self.oldestTime = oldestTime
        self.newest = newest
        self.newestTime = newestTime
    }
}

/// What a vanished topic left behind.
public struct StoredTombstone: Sendable {
    /// The topic that was.
    public var name: TopicName
    /// The highest id it lost.
    public var lost: EventID
    /// The time of that event.
    public var lostTime: Timestamp

    /// A tombstone as given.
    public init(name: TopicName, lost: EventID, lostTime: Timestamp) {
        self.name = name
        self.lost = lost
        self.lostTime = lostTime
    }
}
