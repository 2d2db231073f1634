public import Broadcasting
internal import Protection
package import Telemetry

/// The bus itself: topics, their events in one order, and the readers that wait for them.
///
/// A publish completes once the event is committed and visible. Readers pull with a `LogPosition`
/// and are woken by `TopicObserver`. A reader that falls behind the retained events is told a gap,
/// so no loss is silent.
///
/// Promises one order of ids over all topics, and memory within the budget. Does not promise
/// fairness between publishers, nor an order between two that did not wait for each other.
///
/// - Important: Every verb may be called from any thread. None but ``close()`` blocks for longer
///   than short locks and the pauses between bounded turns. Callbacks and observers run outside
///   every lock.
public final class EventBus: Sendable {
    let store: any EventStore
    let clock: any BusClock
    /// The clock by which work groups measure time.
    package let bootClock: BootClock
    /// The memory that everything together may take, and takes.
    package let memory: MemoryBudget
    /// The broadcaster with which observers of the bus register: as `TopicObserver`, without a
    /// topic.
    public let broadcaster: Broadcaster
    private let logger: Log
    private let log: Protected<Guarded>
    /// The first id that each work group needs, by which the store knows the events to keep for it.
    /// The log has the same ids.
    let held = HeldGroups()
    /// The work groups that the store retained; nil once somebody took them.
    private let storedGroups: Protected<[StoredGroup]?>
    /// The observer that wakes subscriptions of this process; registered with the first of them.
    let followers = FollowerHub()
    let observing = Once()
    let selfSweeping = SelfSweeping()
    /// Removed events that are too many to be freed at once; the next sweep frees them.
    private let discards = Protected<[DeferredEffects]>([])
    /// The tasks that are done in turns under the lock of the log, with their figures.
    package let tasks = LogTasks()

    /// The log, and the bytes of it that were last charged to the budget.
    private struct Guarded {
        var log: EventLog
        var chargedEventBytes = 0
        var chargedTopicBytes = 0

        /// The bytes by which events and topics have grown since the last call.
        mutating func takeGrowth() -> (events: Int, topics: Int) {
            let events = log.eventBytes - chargedEventBytes
            let topics = log.topicBytes - chargedTopicBytes
            chargedEventBytes += events
            chargedTopicBytes += topics
            return (events, topics)
        }
    }

    /// A bus on `store`, which is opened by this.
    ///
    /// - Throws: `StoreError` if the store cannot be opened; its sentence says how to fix that.
    package init(
        store: any EventStore, limits: BusLimits = BusLimits(), defaults: Retention = .standard,
        autocreate: Bool = true, memory: MemoryBudget, clock: any BusClock = SystemClock(),
        bootClock: BootClock = .system, broadcaster: Broadcaster, log: Log
    ) throws(StoreError) {
        self.store = store
        self.clock = clock
        self.bootClock = bootClock
        self.memory = memory
        self.broadcaster = broadcaster
        logger = log
        let contents = try store.open(
            StoreContext(
                clock: clock, bootClock: bootClock,
                commitQueueBytesMax: limits.commitQueueBytesMax, held: held, memory: memory))
        for group in contents.groups { held[group.number] = .zero }
        storedGroups = Protected(contents.groups)
        self.log = Protected(
            Guarded(
                log: EventLog(
                    contents: contents, store: store.capabilities, limits: limits,
                    defaults: defaults, autocreate: autocreate, now: clock.now())))
        store.tell(self)
        withLater { _ in }
        relieve()
    }

    /// Runs one verb of the log under the lock, and performs its leftovers after that.
    func withLog<Value, Failure: Error>(
        _ verb: (inout EventLog) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (outcome, deferredEffects, growth) = log.write { guarded in
            let outcome = Result { () throws(Failure) in try verb(&guarded.log) }
            return (outcome, guarded.log.takeDeferredEffects(), guarded.takeGrowth())
        }
        charge(growth.events, to: .events)
        charge(growth.topics, to: .topics)
        if let deferredEffects { perform(deferredEffects) }
        return try outcome.get()
    }

    func charge(_ bytes: Int, to use: MemoryBudget.Use) {
        if bytes > 0 { memory.charge(bytes, to: use) }
        if bytes < 0 { memory.release(-bytes, from: use) }
    }

    private func perform(_ deferredEffects: DeferredEffects) {
        for trim in deferredEffects.trims {
            store.trim(trim) { [self] loss in storeRemoved(loss, of: trim.topic) }
        }
        if deferredEffects.evicted > 0 {
            logger.debug(
                "memory is full: the largest topics dropped \(deferredEffects.evicted) events")
        }
        if deferredEffects.eventCount > Limits.freedAtOnceMax {
            discards.write { $0.append(deferredEffects) }
        }
    }

    /// The number of events that the next sweep frees.
    var discardedCount: Int { discards.read { $0.reduce(0) { $0 + $1.eventCount } } }

    private func freeDiscards() {
        let freed = discards.write { discards in
            defer { discards = [] }
            return discards
        }
        // Here, outside the lock.
        _ = consume freed
    }

    var room: MemoryRoom {
        var others = 0
        for use in Self.otherUses { others += memory.used(use) }
        return MemoryRoom(bytesMax: memory.bytesMax, others: others)
    }

    private static let otherUses = MemoryBudget.Use.allCases.filter {
        $0 != .events && $0 != .topics
    }

    func notify(
        _ topic: TopicName, newest: EventID, _ change: Admission.Change, subscribers: Int = 0
    ) {
        let admission = Admission(
            topic: topic, newest: newest, change: change, subscribers: subscribers,
            hub: ObjectIdentifier(followers))
        broadcaster.notify((any TopicObserver).self) { $0.admitted(admission) }
    }

    // MARK: Care

    /// Applies the changes that time brings: to ages, graces and vanishing topics. Also keeps the
    /// memory budget where others than publishers exceeded it, and frees the events of large
    /// removals. Call it about once a second, but not on a loop.
    ///
    /// - Complexity: O(topics that are due), some at a time under the lock.
    package func sweep() {
        let now = clock.now()
        releaseDue()
        var goesOn = true
        withLog { $0.lookForEndedHolds() }
        while goesOn {
            let steps = withLog { log in
                let before = log.steps
                goesOn = log.sweep(now: now)
                return log.steps - before
            }
            if steps > 0 { tasks.sweeps.countTurn(of: steps) }
        }
        relieve()
        freeDiscards()
    }

    /// Lets the largest topics lose their oldest events until the memory budget is kept, as far as
    /// events can do that. Call it where something else than a publish exceeded the budget, but not
    /// on a loop.
    ///
    /// - Complexity: O(events that go), some at a time under the lock.
    package func relieve() {
        while true {
            let room = room
            let goesOn = withLog { log in
                let excess = room.others + log.eventBytes + log.topicBytes - room.bytesMax
                let before = log.evictableBytes
                guard excess > 0, before > 0 else { return false }
                log.evict(min(excess, before, Limits.relievedAtOnceBytes))
                return excess > Limits.relievedAtOnceBytes && log.evictableBytes < before
            }
            guard goesOn else { return }
            Self.pause()
        }
    }

    /// Refuses everything new from now on; reading goes on. Subscriptions end once they have
    /// delivered all visible events.
    public func drain() {
        withLog { $0.isDraining = true }
        followers.drain()
    }

    /// Has the store finish all requested operations and close its files; blocks until that is
    /// done. A later publish fails. Called by an observer or a `then`, it returns before that is
    /// done.
    public func close() {
        withLog { $0.isDraining = true }
        selfSweeping.stop()
        store.close()
    }

    /// Whether the bus accepts new events.
    public var readiness: Readiness {
        isDraining ? .refusing("the bus is stopping") : store.readiness
    }

    // MARK: Settings

    /// The retention of topics that are not registered with settings of their own.
    public var defaults: Retention { withLog { $0.defaults } }

    /// The limits of the bus.
    public var limits: BusLimits { withLog { $0.limits } }

    /// Applies other limits and defaults from now on. Things that exist already stay, even beyond a
    /// lower limit. Topics that were made by publishing follow the defaults at once, so they may
    /// lose events. Events that a narrower retention removed do not come back under a wider one.
    ///
    /// `commitQueueBytesMax` and `tombstonesMax` do not change, because the store has them too.
    ///
    /// - Complexity: O(topics), some at a time under the lock.
    package func reconfigure(limits: BusLimits, defaults: Retention, autocreate: Bool) {
        var place: Int? = withLog { log in
            defer { log.reconfigure(limits, defaults, autocreate: autocreate) }
            return log.defaults == defaults ? nil : 0
        }
        while let next = place {
            let now = clock.now()
            place = withLog { $0.followDefaults(from: next, now: now) }
        }
    }

    /// The work groups that the store retained, by their numbers; nil from the second call on.
    package func takeStoredGroups() -> [StoredGroup]? {
        storedGroups.write { groups in
            defer { groups = nil }
            return groups
        }
    }

    /// Whether the bus accepts nothing new any more, because it drains or was closed.
    package var isDraining: Bool { withLog { $0.isDraining } }

    /// How far the store is with the entries that it was asked to commit.
    package var storeProgress: StoreProgress { store.progress }

    /// The present time of the clock that dates events.
    package var now: Timestamp { clock.now() }

    /// Counts of everything that the bus has done and holds.
    public var statistics: BusStatistics {
        withLog { $0.counts }
    }
}
