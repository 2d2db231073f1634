internal import Queues

/// Everything the log knows of one topic. Owned by the log alone, and touched only under its lock.
///
/// The ring holds, oldest first: events that retention removed less than the grace ago (`graced` of
/// them), then the retained ones. Before the ring come the events that only the store still has
/// (`older`); while there are some, nothing in the ring is graced.
final class TopicRecord {
    let name: TopicName
    var settings: TopicSettings
    var isRegistered: Bool
    let owner: UInt32?
    /// Whether it is silent; nil where it is not expected to have events.
    var silence: Silence?

    private(set) var ring = Ring<Event>()
    private(set) var graced = 0
    private var removals = Ring<GracedEvents>()
    /// The retained events in the ring.
    private var inRing = EventSum()
    /// Those of them that the store does not have.
    private(set) var unstored = EventSum()
    /// Bytes that the whole ring takes.
    private(set) var memoryBytes = 0
    private(set) var older: OlderEvents?

    /// The highest id that ever was in this topic since it was made; zero if there was none.
    private(set) var newest = EventID.zero
    /// The newest id that its name had before this record was made, without a removal between; zero for none.
    var newestBefore: EventID
    /// The highest id since the topic was made, also where it vanished meanwhile; zero for none.
    var newestEver: EventID { newest > .zero ? newest : newestBefore }
    /// Events that became visible in this life of the bus, since the topic was made.
    var publishedCount = 0
    /// The highest id that retention or anything else removed, and its time. In the grace after
    /// that, readers that wait still get the event.
    private(set) var removedThrough: EventID
    private(set) var removedTime: Timestamp
    /// The highest id that is gone for waiting readers too.
    private(set) var discardedThrough: EventID

    /// Subscriptions to exactly this name.
    var namedSubscribers = 0
    /// All that match, as of a version of the table of subscribers.
    var matching = (version: -1, count: 0)
    /// The topic's place in the order of all topics.
    var node = 0
    /// The topic's place in the order of losses, and the number by which that sorts it.
    var lossNode = 0
    var lossNumber: UInt64 = 0
    /// The fields of the last batch; the next one often has the same.
    var metadata = EventMetadata.none
    /// The hold for a work group; nil where nothing is held.
    private(set) var hold: TopicHold?
    /// This topic's part of the held bytes that the log counts.
    var countedHeld = HeldBytes()
    /// Whether the store was asked to trim and has not answered.
    var isTrimAsked = false

    /// Events that left retention together.
    private struct GracedEvents {
        var count: Int
        let time: Timestamp
    }

    init(
        name: TopicName, settings: TopicSettings, isRegistered: Bool, owner: UInt32?,
        removedThrough: EventID, removedTime: Timestamp, newestBefore: EventID
    ) {
        self.newestBefore = newestBefore
        self.name = name
        self.settings = settings
        self.isRegistered = isRegistered
        self.owner = owner
        self.removedThrough = removedThrough
        self.removedTime = removedTime
        discardedThrough = removedThrough
    }

    // MARK: Contents

    var retained: Range<Int> { graced..<ring.count }
    var retainedCount: Int { ring.count - graced + (older?.sum.count ?? 0) }
    /// All that is retained.
    var sum: EventSum {
        var sum = inRing
        if let older { sum += older.sum }
        return sum
    }
    var isEmpty: Bool { ring.isEmpty && older == nil }
    var oldestID: EventID? { older?.oldest ?? (retained.isEmpty ? nil : ring[graced].id) }
    var newestID: EventID? { retained.isEmpty ? older?.newest : ring[ring.count - 1].id }
    var newestTime: Timestamp? {
        retained.isEmpty ? older?.newestTime : ring[ring.count - 1].time
    }

    /// The ring's index of the first event after `id` that a reader may see.
    func index(after id: EventID, isWaiting: Bool) -> Int {
        ring.partition((isWaiting ? 0 : graced)..<ring.count) { $0.id > id }
    }

    /// The ring's index of the first retained event that is not before `id`.
    func index(before id: EventID) -> Int {
        ring.partition(retained) { $0.id >= id }
    }

    /// The ring's index of the first retained event of this time or later.
    func index(since time: Timestamp) -> Int {
        ring.partition(retained) { $0.time >= time }
    }

    // MARK: Verbs

    func takeOver(older: OlderEvents?, recent: [Event]) {
        self.older = older
        if let older { newest = older.newest }
        for event in recent { append(event) }
    }

    func append(_ event: Event) {
        assert(
            event.id > newest && event.id > removedThrough, "\(event.id) after \(newest) in \(name)"
        )
        ring.append(event)
        newest = event.id
        let one = EventSum(event)
        inRing += one
        if !event.isStored { unstored += one }
        memoryBytes += event.memoryBytes
    }

    /// Marks a dead letter as published again, where memory has it.
    func noteRevived(_ id: EventID) {
        let index = index(before: id)
        guard index < ring.count, ring[index].id == id else { return }
        ring[index] = ring[index].revived
    }

    /// Counts an event of the ring no more.
    private func discount(_ event: Event) {
        let one = EventSum(event)
        inRing -= one
        if !event.isStored { unstored -= one }
    }

    // MARK: Holding

    /// Lets the hold follow its group, which needs events from an id on; nil ends it. Returns how many
    /// events it looked at.
    func follow(_ id: EventID?) -> Int {
        guard let id else {
            hold = nil
            return 0
        }
        guard hold?.from != id else { return 0 }
        var moved = hold ?? TopicHold()
        let looks = moved.move(to: id, in: ring, atMost: Limits.retiredEventsMax)
        hold = moved
        return looks
    }

    /// Whether the topic is held, and has events that memory alone has.
    private var isHeldInMemory: Bool { hold != nil && unstored.count > 0 }

    /// Bytes that memory may let go of.
    var evictableBytes: Int { isHeldInMemory ? hold?.freeBytes ?? 0 : memoryBytes }

    /// Bytes that retention cannot take, as they are held.
    var heldBytes: HeldBytes {
        guard let hold else { return HeldBytes() }
        let inRing = memoryBytes - hold.freeBytes
        if isHeldInMemory { return HeldBytes(memory: inRing) }
        let inStore = older.map { hold.bytes(of: $0, overhead: Overhead.eventBytes) } ?? 0
        return HeldBytes(store: inRing + inStore)
    }

    private var oldestTime: Timestamp? {
        older?.oldestTime ?? (retained.isEmpty ? nil : ring[graced].time)
    }

    private var isOldestHeld: Bool {
        guard let hold, let oldestID else { return false }
        return hold.holds(oldestID)
    }

    /// Whether there is more than the bounds allow, held or not.
    func isOverBounds(at now: Timestamp) -> Bool {
        settings.retention.isExceeded(by: sum)
            || oldestTime.map { settings.retention.isExpired($0, at: now) } ?? false
    }

    // MARK: Retention

    /// How many retained events in the ring are over the bounds at `now`, up to a maximum; with older
    /// events in the store nothing in the ring can be.
    func overdue(at now: Timestamp, atMost countMax: Int) -> Int {
        guard older == nil else { return 0 }
        let retention = settings.retention
        var left = inRing
        var index = graced
        while index < ring.count, index - graced < countMax {
            let event = ring[index]
            if hold?.holds(event.id) ?? false { break }
            guard
                retention.isExceeded(by: left)
                    || retention.isExpired(event.time, at: now)
            else { break }
            left -= EventSum(event)
            index += 1
        }
        return index - graced
    }

    /// Whether the store has something that is over the bounds at `now`.
    func isOlderOverdue(at now: Timestamp) -> Bool {
        older != nil && !isOldestHeld && isOverBounds(at: now)
    }

    /// Takes the first `count` retained events out of retention; readers that wait still get them.
    /// Returns how many of them the store has.
    @discardableResult
    func lose(_ count: Int, at now: Timestamp) -> Int {
        guard count > 0 else { return 0 }
        let unstoredCount = unstored.count
        for index in graced..<(graced + count) { discount(ring[index]) }
        graced += count
        note(removed: ring[graced - 1])
        removals.append(GracedEvents(count: count, time: now))
        return count - (unstoredCount - unstored.count)
    }

    /// Moves events whose grace has lasted at least `grace` at `now` into `leftovers`, up to a
    /// maximum of events.
    func endGrace(
        _ grace: Int64, at now: Timestamp, atMost countMax: Int, into leftovers: inout [Event]
    ) {
        var left = countMax
        while left > 0, let removal = removals.first, graceIsOver(removal, grace, now) {
            let count = min(left, removal.count)
            for _ in 0..<count { leftovers.append(dropFirst()) }
            left -= count
        }
    }

    // A clock that was set back ends the grace: it could last for years otherwise. Threads read the
    // clock before they take the lock, so a time that is a little earlier is not taken for that.
    private func graceIsOver(_ removal: GracedEvents, _ grace: Int64, _ now: Timestamp) -> Bool {
        removal.time.advanced(microseconds: grace) <= now
            || removal.time > now.advanced(microseconds: grace)
    }

    /// When this topic wants to be looked after, nil if never.
    ///
    /// - Parameter ages: Whether the log removes events by their age.
    func due(grace: Int64, ages: Bool) -> Timestamp? {
        var due = removals.first?.time.advanced(microseconds: grace)
        if ages, let age = settings.retention.age {
            let oldest = isTrimAsked || isOldestHeld ? nil : oldestTime
            if let expiry = oldest?.advanced(microseconds: age) {
                due = due.map { min($0, expiry) } ?? expiry
            }
        }
        return due
    }

    /// The time at which the last event is over its age; nil where there is none, or events do not
    /// age. Where memory does not have the last event, this goes by the first one of the store.
    var vanishes: Timestamp? {
        let last = retained.isEmpty ? older?.oldestTime : ring[ring.count - 1].time
        return settings.retention.age.flatMap { age in last?.advanced(microseconds: age) }
    }

    /// Lets go of the first event in memory. A graced event is gone, a stored one is the store's
    /// from now on, and any other is lost.
    func dropFirst() -> Event {
        let isGraced = graced > 0
        let event = ring.removeFirst()
        memoryBytes -= event.memoryBytes
        hold?.note(dropped: event)
        if isGraced {
            graced -= 1
            discardedThrough = event.id
            removals[0].count -= 1
            if removals[0].count == 0 { _ = removals.removeFirst() }
            return event
        }
        discount(event)
        if event.isStored {
            moveToStore(event)
        } else {
            older = nil
            note(removed: event)
            discardedThrough = event.id
        }
        return event
    }

    private func moveToStore(_ event: Event) {
        guard var grown = older else {
            older = OlderEvents(
                EventSum(event), oldest: event.id, oldestTime: event.time, newest: event.id,
                newestTime: event.time)
            return
        }
        grown.sum += EventSum(event)
        grown.newest = event.id
        grown.newestTime = event.time
        older = grown
    }

    private func note(removed event: Event) {
        removedThrough = event.id
        removedTime = event.time
    }

    /// Notes that the store removed events. Those of them in memory leave retention too.
    func applyStoreLoss(_ loss: StoreLoss, at now: Timestamp) {
        isTrimAsked = false
        guard loss.removedThrough > removedThrough else { return }
        let inMemory = ring.partition(retained) { $0.id > loss.removedThrough } - graced
        let before = inRing
        lose(inMemory, at: now)
        if var left = older {
            // Of the loss, those in memory are counted already.
            left.sum += before
            left.sum -= inRing
            left.sum -= loss.sum
            if let oldest = loss.oldest, let time = loss.oldestTime, oldest <= left.newest {
                left.oldest = oldest
                left.oldestTime = time
                older = left
            } else {
                discardedThrough = left.newest
                older = nil
            }
        }
        removedThrough = loss.removedThrough
        removedTime = loss.removedTime
        if older != nil { discardedThrough = removedThrough }
    }

    /// Gives up all events of a topic that is removed. Returns the events to release.
    func surrender() -> Ring<Event> {
        if let last = newestID, last > removedThrough {
            removedTime =
                newestTime ?? removedTime
            removedThrough = last
        }
        discardedThrough = removedThrough
        older = nil
        hold = nil
        graced = 0
        (inRing, unstored) = (EventSum(), EventSum())
        memoryBytes = 0
        removals = Ring()
        let surrendered = ring
        ring = Ring()
        return surrendered
    }
}
