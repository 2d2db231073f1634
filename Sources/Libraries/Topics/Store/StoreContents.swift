/// The topics, tombstones and groups that a store retained over a restart.
package struct StoreContents: Sendable {
    /// The newest id that counts as visible: everything up to here was given out, or might be.
    package var newest: EventID
    /// Losses of topics that are not known apart any more: every cursor below has a gap.
    package var floor: EventID
    /// The time up to which the floor reaches.
    package var floorTime: Timestamp
    /// No life of the bus gave an id up to here: a request for one asks for an event that never
    /// was. Zero where that is not known.
    package var unusedThrough: EventID
    /// Topics that exist.
    package var topics: [StoredTopic]
    /// Topics that vanished, oldest first.
    package var tombstones: [StoredTombstone]
    /// Work groups, by their numbers.
    package var groups: [StoredGroup]
    /// The events that are held until they are due.
    package var later = StoredLater()

    /// Contents as given.
    package init(
        newest: EventID, floor: EventID, floorTime: Timestamp, unusedThrough: EventID = .zero,
        topics: [StoredTopic] = [], tombstones: [StoredTombstone] = [],
        groups: [StoredGroup] = []
    ) {
        self.newest = newest
        self.floor = floor
        self.floorTime = floorTime
        self.unusedThrough = unusedThrough
        self.topics = topics
        self.tombstones = tombstones
        self.groups = groups
    }
}

/// The events that a store holds until they are due.
package struct StoredLater: Sendable {
    /// Their heads.
    package var heads: [HeldHead] = []
    /// How others ended.
    package var endings: [(ticket: EventID, ending: LaterTable.Ending)] = []

    /// Nothing.
    package init() {}
}

/// One topic that a store retained.
package struct StoredTopic: Sendable {
    /// Its name.
    package var name: TopicName
    /// Its settings, if it was registered.
    package var settings: TopicSettings?
    /// The user that made it; nil for an unknown one.
    package var owner: UInt32?
    /// The highest id that was removed from it.
    package var removedThrough: EventID
    /// The time of that event.
    package var removedTime: Timestamp
    /// Whether it is silent; nil where it is not expected to have events.
    package var silence: Silence?
    /// The newest event that it has had since it was made; zero for none.
    package var newest = EventID.zero
    /// The events that only the store has; nil if `recent` is everything.
    package var older: OlderEvents?
    /// The newest events, ids rising, which memory takes over.
    package var recent: [Event]

    /// A topic as given.
    package init(
        name: TopicName, settings: TopicSettings?, owner: UInt32?, removedThrough: EventID,
        removedTime: Timestamp, older: OlderEvents?, recent: [Event]
    ) {
        self.name = name
        self.settings = settings
        self.owner = owner
        self.removedThrough = removedThrough
        self.removedTime = removedTime
        self.older = older
        self.recent = recent
    }
}

/// Some events of a topic, as its bounds count them.
package struct EventSum: Hashable, Sendable {
    /// How many there are.
    package var count: Int
    /// How many of them the bus published about the topic (``EventMetadata/isOfBus``).
    package var ofBus: Int
    /// The payload bytes of all.
    package var bytes: Int

    /// A sum as given.
    package init(count: Int = 0, ofBus: Int = 0, bytes: Int = 0) {
        self.count = count
        self.ofBus = ofBus
        self.bytes = bytes
    }

    /// One event.
    package init(_ event: Event) {
        self.init(
            count: 1, ofBus: event.metadata.isOfBus ? 1 : 0, bytes: event.payload.count)
    }

    /// The events of a batch.
    package init(_ batch: PublishBatch) {
        let count = batch.payloads.count
        self.init(
            count: count, ofBus: batch.metadata.isOfBus ? count : 0, bytes: batch.payloadBytes)
    }

    /// Adds events.
    package static func += (sum: inout EventSum, others: EventSum) {
        sum.count += others.count
        sum.ofBus += others.ofBus
        sum.bytes += others.bytes
    }

    /// Takes events away. A file may count fewer than it has, and no sum is below none.
    package static func -= (sum: inout EventSum, others: EventSum) {
        sum.count = max(0, sum.count - others.count)
        sum.ofBus = max(0, sum.ofBus - others.ofBus)
        sum.bytes = max(0, sum.bytes - others.bytes)
    }
}

/// Events of a topic that are retained in the store and no longer in memory.
package struct OlderEvents: Hashable, Sendable {
    /// How many there are, at least one.
    package var sum: EventSum
    /// The first of them.
    package var oldest: EventID
    /// The time of the first of them.
    package var oldestTime: Timestamp
    /// The last of them.
    package var newest: EventID
    /// The time of the last of them.
    package var newestTime: Timestamp

    /// Older events as given.
    package init(
        _ sum: EventSum, oldest: EventID, oldestTime: Timestamp, newest: EventID,
        newestTime: Timestamp
    ) {
        self.sum = sum
        self.oldest = oldest
        self.oldestTime = oldestTime
        self.newest = newest
        self.newestTime = newestTime
    }
}

/// The tombstone of a vanished topic: its name, and its losses.
package struct StoredTombstone: Sendable {
    /// The topic that was.
    package var name: TopicName
    /// The highest id that was removed from it.
    package var removedThrough: EventID
    /// The time of that event.
    package var removedTime: Timestamp
    /// The newest event that it had; zero where it was removed.
    package var newest = EventID.zero

    /// A tombstone as given.
    package init(name: TopicName, removedThrough: EventID, removedTime: Timestamp) {
        self.name = name
        self.removedThrough = removedThrough
        self.removedTime = removedTime
    }
}
