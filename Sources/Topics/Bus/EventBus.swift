public import Broadcasting
internal import Protection
public import Telemetry

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
    /// What topics keep that are not registered with settings of their own.
    public let defaults: Retention
    /// The limits the bus was made with.
    public let limits: BusLimits

    let store: any EventStore
    let clock: any BusClock
    private let memory: MemoryBudget
    /// Where observers of the bus register: `TopicObserver`, without a topic.
    public let broadcaster: Broadcaster
    private let logger: Log
    private let log: Protected<Guarded>

    /// The log, and what of it was last charged to the budget.
    private struct Guarded {
        var log: EventLog
        var chargedEventBytes = 0
        var chargedTopicBytes = 0
    }

    /// A bus on `store`, which is opened by this.
    ///
    /// - Throws: `StoreError` if the store can not be opened; its sentence says what to do.
    public init(
        store: any EventStore, limits: BusLimits = BusLimits(), defaults: Retention = .standard,
        autocreate: Bool = true, memory: MemoryBudget, clock: any BusClock = SystemClock(),
        broadcaster: Broadcaster, log: Log
    ) throws(StoreError) {
        self.defaults = defaults
        self.limits = limits
        self.store = store
        self.clock = clock
        self.memory = memory
        self.broadcaster = broadcaster
        logger = log
        let contents = try store.open(
            StoreContext(clock: clock, commitQueueBytesMax: limits.commitQueueBytesMax))
        self.log = Protected(
            Guarded(
                log: EventLog(
                    contents: contents, keepsOlder: store.capabilities.keepsOlder, limits: limits,
                    defaults: defaults, autocreate: autocreate)))
        relieve()
    }

    /// Runs one verb of the log under the lock, and performs afterwards what it left.
    func decide<Value, Failure: Error>(
        _ verb: (inout EventLog) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (outcome, leftovers, events, topics) = log.write { guarded in
            let outcome = Result { () throws(Failure) in try verb(&guarded.log) }
            let leftovers = guarded.log.takeLeftovers()
            let events = leftovers.eventBytes - guarded.chargedEventBytes
            let topics = leftovers.topicBytes - guarded.chargedTopicBytes
            guarded.chargedEventBytes += events
            guarded.chargedTopicBytes += topics
            return (outcome, leftovers, events, topics)
        }
        charge(events, to: .events)
        charge(topics, to: .topics)
        if !leftovers.trims.isEmpty { perform(leftovers.trims) }
        if leftovers.evicted > 0 {
            logger.debug("memory is full: the largest topics let go of \(leftovers.evicted) events")
        }
        return try outcome.get()
    }

    private func charge(_ bytes: Int, to use: MemoryBudget.Use) {
        if bytes > 0 { memory.charge(bytes, to: use) }
        if bytes < 0 { memory.release(-bytes, from: use) }
    }

    private func perform(_ trims: [StoreTrim]) {
        for trim in trims {
            store.trim(trim) { [self] loss in
                let now = clock.now()
                decide { $0.storeLost(trim.topic, loss, now: now) }
            }
        }
    }

    var room: MemoryRoom {
        var others = 0
        for use in Self.otherUses { others += memory.used(use) }
        return MemoryRoom(bytesMax: memory.bytesMax, others: others)
    }

    private static let otherUses = MemoryBudget.Use.allCases.filter {
        $0 != .events && $0 != .topics
    }

    func notify(_ admission: Admission) {
        broadcaster.notify((any TopicObserver).self) { $0.admitted(admission) }
    }

    // MARK: Care

    /// Applies what time brings: ages, graces, topics that vanish, and the memory budget where
    /// others than publishers exceeded it. Call it about once a second.
    ///
    /// - Complexity: O(topics that are due), some at a time under the lock.
    public func sweep() {
        let now = clock.now()
        while decide({ $0.sweep(now: now) }) {}
        relieve()
    }

    /// Lets the largest topics lose their oldest events until the memory budget is kept, as far as
    /// events can. Call it where something else than a publish exceeded the budget.
    public func relieve() {
        let room = room
        decide { log in
            let excess = room.others + log.eventBytes + log.topicBytes - room.bytesMax
            if excess > 0 { log.evict(min(excess, log.eventBytes - log.pendingBytes)) }
        }
    }

    /// Refuses everything new from now on; reading goes on.
    public func drain() {
        decide { $0.isDraining = true }
    }

    /// Whether the bus takes what is published.
    public var readiness: Readiness {
        decide { $0.isDraining } ? .refusing("the bus is stopping") : store.readiness
    }

    /// What the bus did and holds, by count.
    public var statistics: BusStatistics {
        decide { $0.counts }
    }
}
