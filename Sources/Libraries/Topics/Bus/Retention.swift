/// How much of a topic is kept: three upper bounds, of which the first one met trims.
///
/// Nil means that this bound does not apply; the memory bound of the bus always does.
public struct Retention: Hashable, Sendable {
    /// The most events, not counting those of type `$silent` and `$back` that the bus publishes. 0 is live only: nothing
    /// stays, subscriptions that wait still receive.
    public var keep: Int?
    /// The most payload bytes; a larger event is refused.
    public var bytes: Int?
    /// The longest time, in microseconds.
    public var age: Int64?

    /// Bounds as given, none of them negative.
    public init(keep: Int?, bytes: Int?, age: Int64?) {
        precondition(
            (keep ?? 0) >= 0 && (bytes ?? 0) >= 0 && (age ?? 0) >= 0,
            "a retention is not negative: keep \(keep ?? 0), bytes \(bytes ?? 0), age \(age ?? 0)")
        self.keep = keep
        self.bytes = bytes
        self.age = age
    }

    /// Whether these are more than it allows.
    package func isExceeded(by sum: EventSum) -> Bool {
        let counted = keep == 0 ? sum.count : sum.count - sum.ofBus
        return counted > keep ?? .max || sum.bytes > bytes ?? .max
    }

    /// Whether an event of this time is over the age at `now`.
    package func isExpired(_ time: Timestamp, at now: Timestamp) -> Bool {
        guard let age else { return false }
        return time.advanced(microseconds: age) <= now
    }

    /// 100,000 events, 64 MiB, 24 hours: a day of a busy log, and nothing for ever.
    public static let standard = Retention(
        keep: 100_000, bytes: 64 << 20, age: 24 * 3_600 * 1_000_000)
}

/// The settings with which a topic is registered; they replace all of its earlier ones.
public struct TopicSettings: Hashable, Sendable {
    /// How much is kept, with the defaults already filled in.
    public var retention: Retention
    /// Whether a store keeps the events over a restart, if it can.
    public var persists: Bool
    /// The work group for which events stay until it has settled them; nil for none.
    package var hold: TopicHolder?
    /// The time, in microseconds, within which the topic is expected to have an event, from a second to 365 days; nil
    /// where none is expected.
    ///
    /// Once the topic had no event for so long, the bus publishes one of type `$silent` to it: once, never before its
    /// time, and within a second behind it. Behind the next event it publishes one of type `$back`. After a start,
    /// publishers have five minutes to be heard, or this time if it is less.
    public var expect: Int64?

    /// Settings as given.
    public init(retention: Retention, persists: Bool) {
        self.retention = retention
        self.persists = persists
    }
}

/// The work group that a topic is held for.
package struct TopicHolder: Hashable, Sendable {
    /// The number of the group; a later group of the same name has another one.
    package let group: GroupNumber
    /// The name of the group.
    package let name: String

    /// The group of a number, and its name.
    package init(group: GroupNumber, name: String) {
        self.group = group
        self.name = name
    }
}

/// The state and settings of one topic at one moment.
public struct TopicDescription: Hashable, Sendable {
    /// The name of the topic.
    public let name: TopicName
    /// Whether it was registered, and so stays without events.
    public let isRegistered: Bool
    /// The number of retained events.
    public let events: Int
    /// Events that were published since the bus started, or since the topic came to be: the number
    /// only rises while both stay, so that its difference over time is a rate.
    public let published: Int
    /// The payload bytes of the retained events.
    public let bytes: Int
    /// The first retained event; nil if there is none.
    public let oldest: EventID?
    /// The last retained event; nil if there is none.
    public let newest: EventID?
    /// When the last retained event was published; nil if there is none.
    public let newestTime: Timestamp?
    /// Subscriptions whose selector matches it.
    public let subscribers: Int
    /// How much is kept.
    public let retention: Retention
    /// Whether events survive a restart, where a store can do that.
    public let persists: Bool
    /// The time, in microseconds, within which the topic is expected to have an event; nil where none is.
    public let expect: Int64?
    /// The time since which it has had no event, once the bus has told of that with an event of type `$silent`; nil
    /// where it is not silent.
    public let silentSince: Timestamp?
    /// The name of the work group for which events stay until it has settled them; nil for none.
    package let hold: String?
    /// The uid that made the topic, if the kernel told.
    public let owner: UInt32?

    /// A description as given.
    package init(
        name: TopicName, isRegistered: Bool, events: Int, published: Int, bytes: Int,
        oldest: EventID?, newest: EventID?, newestTime: Timestamp?, subscribers: Int,
        retention: Retention, persists: Bool, hold: String? = nil, expect: Int64? = nil,
        silentSince: Timestamp? = nil, owner: UInt32?
    ) {
        self.name = name
        self.isRegistered = isRegistered
        self.events = events
        self.published = published
        self.bytes = bytes
        self.oldest = oldest
        self.newest = newest
        self.newestTime = newestTime
        self.subscribers = subscribers
        self.retention = retention
        self.persists = persists
        self.hold = hold
        self.expect = expect
        self.silentSince = silentSince
        self.owner = owner
    }
}

/// A summary of the topics that a selector matches, without their events.
public struct SelectorSummary: Hashable, Sendable {
    /// Whether the selector matches any topic.
    public internal(set) var exists: Bool
    /// The newest visible id: all events published before lie at or below it.
    public internal(set) var cursor: EventID
    /// The first retained event of the matching topics; nil if there is none.
    public internal(set) var oldest: EventID?
    /// The number of retained events of the matching topics.
    public internal(set) var count: Int
}

/// The result of looking up one id in one topic.
public enum EventLookup: Sendable {
    /// It is retained.
    case found(Event)
    /// Only the store may still have it: read one event from the store after this position.
    case older(LogPosition)
    /// The topic lost this event or a newer one. Or the losses of its name are not told apart from
    /// those of other topics any more, whether or not there is such a topic. Cursors before this id
    /// have a gap.
    case removed
    /// There was no such event in this topic.
    case unknown
}
