public import Broadcasting
internal import Protection
package import Telemetry

/// The bus itself: topics, their events in one order, and who waits for them.
///
/// Publishing answers once the event is committed and visible. Readers pull with a `LogPosition`,
/// woken by `TopicObserver`; whoever falls behind what is kept is told a gap, never nothing.
///
/// Promises one order of ids over all topics, and memory within the budget; not fairness between
/// publishers, nor an order between two that did not wait for each other.
///
/// - Important: Every verb may be called from any thread. None blocks beyond a short lock; callbacks
///   and observers run outside every lock.
public final class EventBus: Sendable {
    let store: any EventStore
    let clock: any BusClock
    /// The time by which work groups count.
    package let bootClock: BootClock
    /// What memory everything together may take.
    package let memory: MemoryBudget
    /// Where observers of the bus register: `TopicObserver`, without a topic.
    public let broadcaster: Broadcaster
    private let logger: Log
    private let log: Protected<Guarded>
    /// What the store has to keep for groups, as the log has it too.
    let held = HeldGroups()
    /// The work groups that the store retained; nil once somebody took them.
    private let storedGroups: Protected<[StoredGroup]?>
    /// Whom subscriptions of this process are woken by; observes from the first of them on.
    let followers = FollowerHub()
    let observing = Once()
    let selfSweeping = SelfSweeping()
    /// Events that are gone, and too many to be freed by whoever removed them.
    private let discards = Protected<[Leftovers]>([])
    /// What it does in turns under the lock of the log.
    package let work = LogWork()

    /// The log, and what of it was last charged to the budget.
    private struct Guarded {
        var log: EventLog
        var chargedEventBytes = 0
        var chargedTopicBytes = 0

        /// What events and topics have grown by since the last call.
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
    /// - Throws: `StoreError` if the store cannot be opened; its sentence says what to do.
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
                commitQueueBytesMax: limits.commitQueueBytesMax, held: held))
        for group in contents.groups { held[group.number] = .zero }
        storedGroups = Protected(contents.groups)
        self.log = Protected(
            Guarded(
                log: EventLog(
                    contents: contents, store: store.capabilities, limits: limits,
                    defaults: defaults, autocreate: autocreate, now: clock.now())))
        store.tellLosses(to: self)
        relieve()
    }

    /// Runs one verb of the log under the lock, and performs afterwards what it left.
    func withLog<Value, Failure: Error>(
        _ verb: (inout EventLog) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (outcome, leftovers, growth) = log.write { guarded in
            let outcome = Result { () throws(Failure) in try verb(&guarded.log) }
            return (outcome, guarded.log.takeLeftovers(), guarded.takeGrowth())
        }
        charge(growth.events, to: .events)
        charge(growth.topics, to: .topics)
        if let leftovers { perform(leftovers) }
        return try outcome.get()
    }

    private func charge(_ bytes: Int, to use: MemoryBudget.Use) {
        if bytes > 0 { memory.charge(bytes, to: use) }
        if bytes < 0 { memory.release(-bytes, from: use) }
    }

    private func perform(_ leftovers: Leftovers) {
        for trim in leftovers.trims {
            store.trim(trim) { [self] loss in storeRemoved(loss, of: trim.topic) }
        }
        if leftovers.evicted > 0 {
            logger.debug("memory is full: the largest topics dropped \(leftovers.evicted) events")
        }
        if leftovers.eventCount > Limits.freedAtOnceMax {
            discards.write { $0.append(leftovers) }
        }
    }

    /// Events that the next sweep frees.
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

    /// Applies what time brings: ages, graces, topics that vanish, and the memory budget where
    /// others than publishers exceeded it; frees what many events left that went at one time. Call it
    /// about once a second, on no loop.
    ///
    /// - Complexity: O(topics that are due), some at a time under the lock.
    package func sweep() {
        let now = clock.now()
        var goesOn = true
        withLog { $0.lookForEndedHolds() }
        while goesOn {
            let steps = withLog { log in
                let before = log.steps
                goesOn = log.sweep(now: now)
                return log.steps - before
            }
            if steps > 0 { work.sweeps.countTurn(of: steps) }
        }
        relieve()
        freeDiscards()
    }

    /// Lets the largest topics lose their oldest events until the memory budget is kept, as far as
    /// events can. Call it where something else than a publish exceeded the budget, on no loop.
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
    /// delivered what is visible.
    public func drain() {
        withLog { $0.isDraining = true }
        followers.drain()
    }

    /// Has the store finish what it was asked for and let go of its files; blocks until that is
    /// done. Publish nothing afterwards: it fails. Called by an observer or a `then`, it returns
    /// before that is done.
    public func close() {
        withLog { $0.isDraining = true }
        selfSweeping.stop()
        store.close()
    }

    /// Whether the bus takes what is published.
    public var readiness: Readiness {
        isDraining ? .refusing("the bus is stopping") : store.readiness
    }

    // MARK: Settings

    /// What topics keep that are not registered with settings of their own.
    public var defaults: Retention { withLog { $0.defaults } }

    /// How much the bus takes on.
    public var limits: BusLimits { withLog { $0.limits } }

    /// Lets other limits and defaults hold from now on; what is there already and beyond a lower
    /// limit stays. Topics that were made by publishing follow the defaults at once, so they may
    /// lose events; events that a narrower retention removed do not come back under a wider one.
    ///
    /// `commitQueueBytesMax` and `tombstonesMax` stay what they were: the store has them too.
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

    /// The work groups that the store retained, by their numbers; nil for who asks again.
    package func takeStoredGroups() -> [StoredGroup]? {
        storedGroups.write { groups in
            defer { groups = nil }
            return groups
        }
    }

    /// Whether it takes nothing new any more, since it drains or was closed.
    package var isDraining: Bool { withLog { $0.isDraining } }

    /// How far the store is with what it was asked to commit.
    package var storeProgress: StoreProgress { store.progress }

    /// The time by which events are dated.
    package var now: Timestamp { clock.now() }

    /// What the bus did and holds, by count.
    public var statistics: BusStatistics {
        withLog { $0.counts }
    }
}
