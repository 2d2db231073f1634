internal import Queues

/// The log of all topics, as a state machine without lock, clock or callback.
///
/// `EventBus` owns the only log. It calls every verb under its lock and passes the time in.
/// Afterwards it carries out `deferredEffects`: it releases events and asks the store.
struct EventLog {
    private(set) var limits: BusLimits
    private(set) var defaults: Retention
    private(set) var autocreate: Bool
    let keepsOlder: Bool
    /// The most bytes that the store takes; nil where it has no bound.
    let storeBytesMax: Int?
    /// Whether other hosts give ids of the same order.
    let isShared: Bool

    var records: [TopicName: TopicRecord] = [:]
    /// How many topics each user made; the key is nil for unknown users.
    private(set) var topicsByOwner: [UInt32?: Int] = [:]
    /// Topics that are about to be made, and count against the limits already.
    var coming = ComingTopics()
    /// The events that are held until they are due.
    var later = LaterIndex()
    /// The topics that are expected to have events, and how many these are.
    var silences = SilenceQueue()
    var expectedCount = 0
    /// All topics by their newest events.
    var order = TopicOrder()
    /// All topics by their last losses, or changes of their settings.
    private(set) var lossOrder = TopicOrder()
    /// Counts losses and changes of settings: each has a number.
    private(set) var lossNumber: UInt64 = 0
    var tombstones: Tombstones
    /// The highest ids that any topic lost, topics that are gone included. A reader that has seen
    /// everything up to there misses nothing of any topic.
    private(set) var mostLost: Losses
    var subscribers = SubscriberTable()
    /// The time at which each topic is to be looked after, by its place in the order.
    var dues = IndexedHeap<Timestamp>()
    /// The bytes of each topic that may be evicted, negated: the largest topic is first.
    var sizes = IndexedHeap<Int>()
    /// When topics that are due were last looked after.
    var swept = Timestamp.distantPast
    /// The place of the order from which on a sweep looks after all topics; nil where none has to.
    /// It is set when the clock was set back, or a group ended that topics were held for.
    var sweepPlace: Int?
    /// Steps that evictions and sweeps took so far: topics looked at, events let go.
    var steps = 0
    var deferredEffects = DeferredEffects()
    var isDraining = false

    /// The newest visible id.
    private(set) var newest: EventID
    /// The highest id that is known to be given: `newest`, or a higher one where other hosts gave
    /// ids that this one has not applied yet. A cursor up to here is of this order, and its reader
    /// waits until the log has come that far.
    private(set) var horizon: EventID
    /// No id up to here was ever given.
    let unusedThrough: EventID
    /// Bytes that the events in memory take, events that wait for the store included.
    var eventBytes = 0
    /// The part of `eventBytes` that waits for the store.
    var pendingBytes = 0
    var statistics = BusStatistics()
    /// The first id that each work group needs of the topics that are held for it.
    var held: [GroupNumber: EventID] = [:]
    /// How many topics are held for each group.
    var holders: [GroupNumber: Int] = [:]
    /// Whether a group that topics were held for ended since a sweep last looked for them.
    var isHolderGone = false
    /// Bytes of all topics that retention cannot take, as they are held.
    var heldBytes = HeldBytes()
    /// The same bytes of the topics of each user.
    var heldByOwner: [UInt32: HeldBytes] = [:]

    init(
        contents: StoreContents, store: StoreCapabilities, limits: BusLimits, defaults: Retention,
        autocreate: Bool, now: Timestamp
    ) {
        self.limits = limits
        self.defaults = defaults
        self.autocreate = autocreate
        keepsOlder = store.keepsOlder
        storeBytesMax = store.bytesMax
        isShared = store.isShared
        // A group holds all events until it gives the first id that it needs.
        for group in contents.groups { held[group.number] = .zero }
        newest = contents.newest
        horizon = newest
        unusedThrough = contents.unusedThrough
        mostLost = Losses(
            removedThrough: contents.floor, removedTime: contents.floorTime,
            discardedThrough: contents.floor)
        // On a shared order the store merges them.
        let countMax = store.isShared ? .max : limits.tombstonesMax
        tombstones = Tombstones(floor: mostLost, countMax: countMax)
        for stone in contents.tombstones {
            let losses = Losses(
                removedThrough: stone.removedThrough, removedTime: stone.removedTime,
                discardedThrough: stone.removedThrough)
            lossNumber += 1
            tombstones.add(stone.name, losses, newest: stone.newest, number: lossNumber)
            mostLost.rise(to: losses)
        }
        // Their newest events fall, as the order wants them. Topics without one go by their names.
        let topics = contents.topics.map { (Self.newest(of: $0), $0) }
        let sorted = topics.sorted { $0.0 == $1.0 ? $0.1.name.text < $1.1.name.text : $0.0 > $1.0 }
        for (_, topic) in sorted { takeOver(topic, at: now) }
        takeOver(contents.later)
    }

    private static func newest(of topic: StoredTopic) -> EventID {
        topic.recent.last?.id ?? topic.older?.newest ?? .zero
    }

    private mutating func takeOver(_ topic: StoredTopic, at now: Timestamp) {
        let record = TopicRecord(
            name: topic.name,
            settings: topic.settings ?? TopicSettings(retention: defaults, persists: true),
            isRegistered: topic.settings != nil, owner: topic.owner,
            removedThrough: topic.removedThrough,
            removedTime: topic.removedTime, newestBefore: topic.newest)
        record.takeOver(older: topic.older, recent: topic.recent)
        statistics.retained += record.retainedCount
        records[topic.name] = record
        record.node = order.insert(record, inFront: false)
        record.lossNode = lossOrder.insert(record, inFront: false)
        mostLost.rise(to: record)
        topicsByOwner[topic.owner, default: 0] += 1
        noteHolder(from: nil, to: record.settings.hold)
        takeOver(topic.silence, of: topic.name)
        eventBytes += record.memoryBytes
        // Events that are over the bounds go before the settings can change. The process before may
        // have been killed before it removed them, or the defaults are narrower now.
        while applyRetention(to: record, at: now) {}
    }

    // MARK: Settings of the bus

    /// Applies other limits and defaults from now on. Topics that go by the defaults get them by
    /// ``followDefaults(from:now:)``. The bytes that may wait for the store, and the number of
    /// tombstones, keep their limits.
    mutating func reconfigure(_ limits: BusLimits, _ defaults: Retention, autocreate: Bool) {
        let old = self.limits
        self.limits = limits
        self.limits.commitQueueBytesMax = old.commitQueueBytesMax
        self.limits.tombstonesMax = old.tombstonesMax
        self.autocreate = autocreate
        self.defaults = defaults
    }

    /// Applies the defaults to topics that go by them: some at a time, from a place of the order on.
    /// Returns the place to go on from; nil at the end.
    mutating func followDefaults(from place: Int, now: Timestamp) -> Int? {
        let end = min(order.places, place + Limits.sweptTopicsMax)
        for place in place..<max(place, end) {
            guard let record = order[place], !record.isRegistered else { continue }
            record.settings.retention = defaults
            noteChange(of: record)
            if applyRetention(to: record, at: now) { return place }
        }
        return end < order.places ? end : nil
    }

    // MARK: The order

    /// Everything up to `id` is visible, or was removed.
    mutating func rise(to id: EventID) {
        newest = max(newest, id)
        horizon = max(horizon, id)
    }

    /// Ids up to `id` are given, whether or not their events are here already.
    mutating func rise(horizon id: EventID) { horizon = max(horizon, id) }

    /// Bytes that topics, topics about to be made, and tombstones take.
    var topicBytes: Int {
        (records.count + coming.count) * Overhead.topicBytes
            + tombstones.count * Overhead.tombstoneBytes
    }

    /// Takes the tasks that verbs since the last call left for outside the lock; nil for none.
    mutating func takeDeferredEffects() -> DeferredEffects? {
        guard !deferredEffects.isEmpty else { return nil }
        var taken = DeferredEffects()
        swap(&taken, &deferredEffects)
        return taken
    }

    // MARK: Topics that come and go

    /// A new topic, which goes on where its tombstone ended.
    mutating func make(
        _ name: TopicName, settings: TopicSettings?, owner: UInt32?, inFront: Bool
    ) -> TopicRecord {
        let newestBefore = tombstones.newest(of: name)
        let left = tombstones.take(name)
        let losses = left ?? Losses()
        let record = TopicRecord(
            name: name,
            settings: settings ?? TopicSettings(retention: defaults, persists: true),
            isRegistered: settings != nil, owner: owner, removedThrough: losses.removedThrough,
            removedTime: losses.removedTime, newestBefore: newestBefore)
        subscribers.hand(to: record)
        records[name] = record
        coming.note(name, isThere: true)
        topicsByOwner[owner, default: 0] += 1
        record.node = order.insert(record, inFront: inFront)
        record.lossNode = lossOrder.insert(record, inFront: false)
        if left != nil { noteLosses(of: record) }
        return record
    }

    /// Notes the losses of a topic, for readers that ask about several topics at once.
    mutating func noteLosses(of record: TopicRecord) {
        mostLost.rise(to: record)
        noteChange(of: record)
    }

    /// Notes that a topic changed other than by an event, for clients that keep lists.
    mutating func noteChange(of record: TopicRecord) {
        lossNumber += 1
        record.lossNumber = lossNumber
        lossOrder.moveToFront(record.lossNode)
    }

    /// Lets a topic vanish that was made by publishing and has no event. Subscriptions to its name
    /// wait on, and have no say: the topics follow from the events and from the time alone.
    mutating func vanishIfDone(_ record: TopicRecord) {
        guard !record.isRegistered, record.isEmpty else { return }
        bury(record, newest: record.newestEver)
    }

    /// - Parameter newest: The id that its name has from then on as its newest; zero for none.
    mutating func bury(_ record: TopicRecord, newest: EventID) {
        records[record.name] = nil
        coming.note(record.name, isThere: false)
        subscribers.take(from: record)
        let left = topicsByOwner[record.owner, default: 1] - 1
        topicsByOwner[record.owner] = left == 0 ? nil : left
        forgetHold(of: record)
        forgetSilence(of: record)
        dues[record.node] = nil
        sizes[record.node] = nil
        order.remove(record.node)
        lossOrder.remove(record.lossNode)
        let losses = Losses(
            removedThrough: record.removedThrough, removedTime: record.removedTime,
            discardedThrough: record.removedThrough)
        mostLost.rise(to: losses)
        lossNumber += 1
        tombstones.add(record.name, losses, newest: newest, number: lossNumber)
    }

    /// Notes that the losses of vanished topics up to `id` are told together from now on.
    mutating func raiseFloor(to id: EventID, time: Timestamp) {
        lossNumber += 1
        let floor = Losses(removedThrough: id, removedTime: time, discardedThrough: id)
        tombstones.raise(to: floor, number: lossNumber)
        mostLost.rise(to: floor)
    }

    // MARK: Subscriptions

    func checkSubscribable(_ selector: Selector) throws(BusError) {
        guard !autocreate else { return }
        for case .name(let name) in selector.terms where records[name] == nil {
            throw .topicUnknown(name)
        }
    }

    mutating func beginSubscription(_ selector: Selector) -> EventID {
        let record = selector.singleName.flatMap { records[$0] }
        subscribers.change(selector, of: record, by: 1)
        return record?.newest ?? newest
    }

    mutating func endSubscription(_ selector: Selector, isForgotten: Bool) {
        let record = selector.singleName.flatMap { records[$0] }
        subscribers.change(selector, of: record, by: -1, isForgotten: isForgotten)
    }

    /// How many subscriptions there are to exactly this name.
    func subscriptions(to name: TopicName) -> Int {
        records[name]?.namedSubscribers ?? subscribers.named(name)
    }
}

/// Tasks that verbs of the log leave to be done after the lock is dropped.
struct DeferredEffects {
    /// Events to release: their payloads are freed outside the lock.
    var events: [Event] = []
    /// All events of removed topics, to release.
    var rings: [Ring<Event>] = []
    /// Removals to ask the store for.
    var trims: [StoreTrim] = []
    /// How many events memory let go for others, if any.
    var evicted = 0

    var isEmpty: Bool { events.isEmpty && rings.isEmpty && trims.isEmpty && evicted == 0 }

    /// How many events there are to release, in `events` and `rings` together.
    var eventCount: Int { rings.reduce(events.count) { $0 + $1.count } }
}

/// Counts for metrics: the contents of the bus, and the batches and events that it took and
/// removed.
public struct BusStatistics: Hashable, Sendable {
    /// Topics that exist.
    public internal(set) var topics = 0
    /// Topics that are silent: they had no event for longer than they are expected to.
    public internal(set) var silent = 0
    /// Vanished topics whose losses are told apart.
    public internal(set) var tombstones = 0
    /// Subscriptions.
    public internal(set) var subscribers = 0
    /// Events that are retained, in memory or only in the store.
    public internal(set) var retained = 0
    /// Bytes, overhead included, that wait for the store to commit them.
    public internal(set) var pendingBytes = 0
    /// Batches that became visible.
    public internal(set) var batches = 0
    /// Events that became visible.
    public internal(set) var published = 0
    /// Their payload bytes.
    public internal(set) var publishedBytes = 0
    /// Batches that made no event, since a publish with their key had made it.
    public internal(set) var repeated = 0
    /// Batches that made no event, since their condition did not hold.
    public internal(set) var conditionsFailed = 0
    /// Events that retention removed from memory.
    public internal(set) var retired = 0
    /// Events that the store removed, by retention or by its own limits.
    public internal(set) var storeRemoved = 0
    /// Events that memory let go.
    public internal(set) var evicted = 0
    /// Of these, events that no store has: they are lost.
    public internal(set) var forgotten = 0
    /// Events removed with their topic.
    public internal(set) var deleted = 0
}
