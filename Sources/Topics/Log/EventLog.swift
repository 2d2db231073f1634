/// The log of all topics as a machine: no lock, no clock, no callback.
///
/// `EventBus` owns the one there is, calls every verb under its lock with the time passed in, and
/// afterwards performs what the verb left in `leftovers`: releasing events, asking the store.
struct EventLog {
    let limits: BusLimits
    let defaults: Retention
    let autocreate: Bool
    let keepsOlder: Bool

    var records: [TopicName: TopicRecord] = [:]
    var tombstones: Tombstones
    var subscribers = SubscriberTable()
    var indexes = PatternIndexTable()
    var dues = Heap<Due>()
    /// When topics that are due were last looked after.
    var swept = Timestamp.distantPast
    var leftovers = Leftovers()
    var collections: UInt64 = 0
    var isDraining = false

    /// The newest visible id.
    var newest: EventID
    /// What the events in memory take, with those that wait for the store.
    var eventBytes = 0
    /// The part of it that waits for the store.
    var pendingBytes = 0
    var statistics = BusStatistics()

    /// When a topic wants to be looked after.
    struct Due: Comparable {
        let time: Timestamp
        let record: TopicRecord

        static func < (left: Due, right: Due) -> Bool { left.time < right.time }
        static func == (left: Due, right: Due) -> Bool { left.time == right.time }
    }

    init(
        contents: StoreContents, keepsOlder: Bool, limits: BusLimits, defaults: Retention,
        autocreate: Bool
    ) {
        self.limits = limits
        self.defaults = defaults
        self.autocreate = autocreate
        self.keepsOlder = keepsOlder
        newest = contents.newest
        tombstones = Tombstones(
            floor: Losses(
                lost: contents.floor, lostTime: contents.floorTime, hardLost: contents.floor),
            countMax: limits.tombstonesMax)
        for stone in contents.tombstones {
            tombstones.add(
                stone.name,
                Losses(lost: stone.lost, lostTime: stone.lostTime, hardLost: stone.lost))
        }
        for topic in contents.topics { takeOver(topic) }
    }

    private mutating func takeOver(_ topic: StoredTopic) {
        let record = TopicRecord(
            name: topic.name,
            settings: topic.settings ?? TopicSettings(retention: defaults, persists: true),
            isRegistered: topic.settings != nil, owner: topic.owner, lost: topic.lost,
            lostTime: topic.lostTime)
        record.takeOver(older: topic.older, recent: topic.recent)
        records[topic.name] = record
        eventBytes += record.memoryBytes
        schedule(record)
    }

    /// What topics, tombstones and pattern indexes take.
    var topicBytes: Int {
        records.count * Overhead.topicBytes + tombstones.count * Overhead.tombstoneBytes
            + indexes.places * Overhead.placeBytes
    }

    /// Takes what the verbs since the last call left to be done outside the lock.
    mutating func takeLeftovers() -> Leftovers {
        var taken = Leftovers()
        swap(&taken, &leftovers)
        taken.eventBytes = eventBytes
        taken.topicBytes = topicBytes
        return taken
    }

    // MARK: Topics that come and go

    /// The topic as it is, or a new one that goes on where its tombstone ended.
    mutating func ensure(
        _ name: TopicName, settings: TopicSettings?, owner: UInt32?, inFront: Bool
    ) -> TopicRecord {
        if let record = records[name] { return record }
        let losses = tombstones.take(name) ?? Losses()
        let record = TopicRecord(
            name: name,
            settings: settings ?? TopicSettings(retention: defaults, persists: true),
            isRegistered: settings != nil, owner: owner, lost: losses.lost,
            lostTime: losses.lostTime)
        record.namedSubscribers = subscribers.named(name)
        records[name] = record
        indexes.insert(record, inFront: inFront)
        return record
    }

    /// Lets a topic vanish that was made by publishing, holds nothing and that nobody waits for.
    mutating func vanishIfDone(_ record: TopicRecord) {
        guard !record.isRegistered, record.isEmpty, record.namedSubscribers == 0 else { return }
        bury(record)
    }

    mutating func bury(_ record: TopicRecord) {
        records[record.name] = nil
        indexes.remove(record)
        record.scheduled = nil
        tombstones.add(
            record.name,
            Losses(lost: record.lost, lostTime: record.lostTime, hardLost: record.lost))
    }

    // MARK: Subscriptions

    func checkSubscribable(_ selector: Selector) throws(BusError) {
        guard !autocreate else { return }
        for case .name(let name) in selector.terms where records[name] == nil {
            throw .topicUnknown(name)
        }
    }

    mutating func beginSubscription(_ selector: Selector) {
        subscribers.change(selector, by: 1)
        if let name = selector.singleName { records[name]?.namedSubscribers += 1 }
    }

    mutating func endSubscription(_ selector: Selector) {
        subscribers.change(selector, by: -1)
        guard let name = selector.singleName, let record = records[name] else { return }
        record.namedSubscribers -= 1
        vanishIfDone(record)
    }
}

/// What verbs of the log leave to be done after the lock is dropped.
struct Leftovers {
    /// Events to release: their payloads are freed outside the lock.
    var events: [Event] = []
    /// All events of removed topics, to release.
    var rings: [Ring<Event>] = []
    /// What the store is to be asked.
    var trims: [StoreTrim] = []
    /// How many events memory let go for others, if any.
    var evicted = 0
    /// What events and topics take by now.
    var eventBytes = 0
    var topicBytes = 0
}

/// What the bus did and holds, by count; for metrics.
public struct BusStatistics: Hashable, Sendable {
    /// Topics that exist.
    public internal(set) var topics = 0
    /// Vanished topics whose losses are told apart.
    public internal(set) var tombstones = 0
    /// Subscriptions.
    public internal(set) var subscribers = 0
    /// Events that became visible.
    public internal(set) var published = 0
    /// Events that retention removed.
    public internal(set) var retired = 0
    /// Events that memory let go; without a store they are lost.
    public internal(set) var evicted = 0
    /// Events removed with their topic.
    public internal(set) var deleted = 0
}
