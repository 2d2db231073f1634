/// The client that a store reads for. Users take turns there, and nothing is read for a client that
/// has left.
package struct StoreClient: Sendable {
    /// The user; nil for those that are unknown, and for this process itself.
    package let user: UInt32?
    /// Whether nobody waits for the read any more. Asked on the store's threads, outside its locks.
    package let hasLeft: @Sendable () -> Bool

    /// A client as given, by default one that waits to the end.
    package init(
        user: UInt32?, hasLeft: @escaping @Sendable () -> Bool = { false }
    ) {
        self.user = user
        self.hasLeft = hasLeft
    }

    /// This process itself.
    package static let process = StoreClient(user: nil)
}

/// A read of events that only the store has.
package struct StoreRead: Sendable {
    /// Where to begin: `.after`, `.last` or `.time`.
    package let start: StartPosition
    /// The last id to look at.
    package let through: EventID
    /// The topics.
    package let selector: Selector
    /// Which of their events.
    package let filter: EventFilter
    /// How much at most.
    package let limit: ReadLimit
    /// The client that it is for.
    package var client = StoreClient.process
    /// Whether it is of events that are held, by the ids of their ticket, of the one topic of the selector. They come
    /// with their payloads alone.
    package var isOfHeld = false

    /// A read as given.
    package init(
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

/// The events that a store read.
package struct StorePage: Sendable {
    /// Events in the asked range, ids rising.
    package let events: [Event]
    /// Where the read began: the asked id, or the one just before the asked start.
    package let after: EventID
    /// The last id that was looked at; `through` of the request if that was reached.
    package let through: EventID
    /// Whether the event at `through` is wanted, but makes no sense any more. Then `events` has
    /// none, and the readers are told a gap.
    package let endsDamaged: Bool

    /// A page as given.
    package init(
        events: [Event], after: EventID, through: EventID, endsDamaged: Bool = false
    ) {
        self.events = events
        self.after = after
        self.through = through
        self.endsDamaged = endsDamaged
    }
}

/// A removal of events from one topic of a store.
package struct StoreTrim: Hashable, Sendable {
    /// The topic.
    package let topic: TopicName
    /// Events up to this id go in any case.
    package let through: EventID
    /// Then the oldest, until these bounds are met.
    package let retention: Retention
    /// The bounds take no event from here on; nil where they may take all.
    package let heldFrom: EventID?
    /// The time against which age is counted.
    package let now: Timestamp

    /// A trim as given.
    package init(
        topic: TopicName, through: EventID, retention: Retention, heldFrom: EventID? = nil,
        now: Timestamp
    ) {
        self.topic = topic
        self.through = through
        self.retention = retention
        self.heldFrom = heldFrom
        self.now = now
    }
}

/// The outcome of a removal from one topic, by a trim or by limits of the store's own.
package struct StoreLoss: Hashable, Sendable {
    /// The highest id that was removed from the topic so far.
    package let removedThrough: EventID
    /// The time of that event.
    package let removedTime: Timestamp
    /// The events that this trim removed beyond its `through`.
    package let sum: EventSum
    /// The first event left; nil if there is none.
    package let oldest: EventID?
    /// The time of the first event left.
    package let oldestTime: Timestamp?

    /// A loss as given.
    package init(
        removedThrough: EventID, removedTime: Timestamp, _ sum: EventSum, oldest: EventID?,
        oldestTime: Timestamp?
    ) {
        self.removedThrough = removedThrough
        self.removedTime = removedTime
        self.sum = sum
        self.oldest = oldest
        self.oldestTime = oldestTime
    }
}
