package import Telemetry

/// The storage of accepted events: the seam between the bus and a disk, or none.
///
/// The store gives ids and times. It commits entries in one order and calls each `then` strictly
/// in that order, one at a time, so that events become visible in id order. Entries of one user that
/// wait keep their order; those of several users may take turns. It never calls back
/// under a lock of its own, since `then` may commit again.
///
/// - Important: Every verb is called from any thread, and never waits for a reader.
package protocol EventStore: AnyObject, Sendable {
    /// The capabilities of this store; they never change.
    var capabilities: StoreCapabilities { get }

    /// Whether it takes entries at this moment.
    var readiness: Readiness { get }

    /// How far it is with the entries that it was asked to commit.
    var progress: StoreProgress { get }

    /// Makes the store usable and returns its retained contents. Called once, before all else.
    ///
    /// - Throws: `StoreError`, whose sentence says how to solve the problem.
    func open(_ context: StoreContext) throws(StoreError) -> StoreContents

    /// Takes `entry` into the order; `then` learns of its place, before this returns or later on
    /// a thread of the store.
    ///
    /// With a failure the entry is not in the store and never will be, and its ids are not used
    /// again. Once more than `commitQueueBytesMax` bytes wait, it fails with `BusError.limit`.
    func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void)

    /// Reads events that only the store has: those that are held, and, only with `capabilities.keepsOlder`, older ones.
    ///
    /// It may look at a bounded number of events and answer a page that has none, to be asked again
    /// behind it. Where clients of several users wait, they take turns. Once its client has left, it
    /// fails. With as many reads of one user as a store takes it fails with `BusError.limit`; those of
    /// others do not.
    func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void)

    /// Removes events that a topic no longer retains. Not called unless `capabilities.keepsOlder`.
    ///
    /// It may remove fewer events than are over the bounds: the log asks again then. `then` is
    /// called before that of every read that misses the removed events; a read may also still have
    /// them. Of trims of one topic that wait, a store may do only the last, for all of them, and
    /// call its `then` alone.
    func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void)

    /// Tells `observer` the news of the store, in the order of commits and one at a time like every
    /// `then`, as long as somebody else keeps the observer. Called once, right after `open`.
    func tell(_ observer: any StoreObserver)

    /// Finishes all requests, and lets go of everything that it has open; blocks until that is
    /// done. Later requests fail. Called once. Called by a `then` it returns before all that is
    /// done, since the thread that does it is the one that calls.
    func close()
}

/// An observer of the news of a store: of things that its bus did not ask for.
package protocol StoreObserver: AnyObject, Sendable {
    /// The store removed events of a topic by limits of its own.
    func storeRemoved(_ loss: StoreLoss, of topic: TopicName)

    /// The store applied an entry that another host brought into the order.
    func storeApplied(_ arrival: StoreArrival)

    /// The losses of vanished topics up to `id` are told together from now on.
    func storeMerged(lossesThrough id: EventID, time: Timestamp)

    /// The order has given ids up to `id`, whether or not the store has applied them.
    func storeLearned(idsThrough id: EventID)

    /// The version of a topic by everything that the store has answered, for a store that keeps nothing of topics
    /// itself. Called on the thread that commits.
    func version(of topic: TopicName) -> TopicVersion
}

/// One thing that another host brought into the order, at the place that it took.
package enum StoreArrival: Sendable {
    /// The events of one batch, ids rising; at least one. `owner` is the user that made the topic,
    /// or makes it by them if it does not exist.
    case events([Event], owner: UInt32?)
    /// The removal of a topic, and its id: events below it are gone.
    case removal(TopicName, EventID)
    /// New settings of a topic, the user that owns it if it is new, and the time of the registration.
    case registration(TopicName, SettingsChange, owner: UInt32?, at: Timestamp)
    /// Events are held until they are due, and those of another ticket are not any more.
    case held(HeldHead, instead: EventID?)
    /// The events that were held by a ticket were cancelled.
    case cancelled(EventID)
    /// The events that were held by a ticket are due, and have their places.
    case released(ReleasedBatch)
    /// A dead letter was published again.
    case revival(WorkChange.Letter)
    /// Everything up to this id is here: the ids that no event has were given for nothing.
    case reached(EventID)
}

extension EventStore {
    /// Does nothing: a store without limits of its own, of one host, does nothing unasked.
    package func tell(_ observer: any StoreObserver) {}

    /// Idle: a store without a thread of its own commits on the threads of its callers.
    package var progress: StoreProgress { StoreProgress(settled: 0, isIdle: true) }
}

/// The capabilities of a store.
package struct StoreCapabilities: Hashable, Sendable {
    /// Whether it keeps the events of persistent topics that memory lets go, and can read them.
    package let keepsOlder: Bool
    /// The most bytes that it takes; nil where it has no bound of its own.
    package let bytesMax: Int?
    /// Whether other hosts bring entries into its order too. Then a cursor may be ahead of this
    /// host, and the store is asked about it: it tells its observer how far ids are given, and
    /// answers a page without events. Such a store also decides which events retention takes and
    /// which tombstones are merged, and tells its observer: the state of the order decides that, and
    /// no host by itself. Only for stores that keep older events.
    package let isShared: Bool

    /// Capabilities as given.
    package init(keepsOlder: Bool, bytesMax: Int? = nil, isShared: Bool = false) {
        precondition(keepsOlder || !isShared, "a store that shares its order keeps older events")
        self.keepsOlder = keepsOlder
        self.bytesMax = bytesMax
        self.isShared = isShared
    }
}

/// How far a store is with the entries that it was asked to commit. A store hangs if it is not idle
/// and has settled no more than a while ago.
package struct StoreProgress: Hashable, Sendable {
    /// Attempts to commit that came to an end, good or bad.
    package let settled: Int
    /// Whether nothing waits and nothing is under way.
    package let isIdle: Bool

    /// Progress as given.
    package init(settled: Int, isIdle: Bool) {
        self.settled = settled
        self.isIdle = isIdle
    }
}

/// The clocks and bounds that the bus lends a store when it opens it.
package struct StoreContext: Sendable {
    /// The time of events.
    package let clock: any BusClock
    /// The time by which work groups count.
    package let bootClock: BootClock
    /// Bytes of entries that may wait to be committed.
    package let commitQueueBytesMax: Int
    /// The ids from which on its own limits must keep the events of topics that are held for
    /// groups.
    package let held: HeldGroups

    /// The memory that the store counts its keys of publishes in; nil for no bound.
    package let memory: MemoryBudget?

    /// A context as given.
    package init(
        clock: any BusClock, bootClock: BootClock = .system, commitQueueBytesMax: Int,
        held: HeldGroups = HeldGroups(), memory: MemoryBudget? = nil
    ) {
        self.memory = memory
        self.clock = clock
        self.bootClock = bootClock
        self.commitQueueBytesMax = commitQueueBytesMax
        self.held = held
    }
}

/// Why a store cannot be opened.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence: the problem, and how to solve it.
    public let detail: String

    /// An error that says `detail`.
    package init(detail: String) {
        self.detail = detail
    }

    /// The same sentence.
    public var description: String { detail }
}

/// One thing that takes a place in the order of the bus.
package enum StoreEntry: Sendable {
    /// Events of one topic. `persists` says whether they are to survive a restart. `owner` is the
    /// user that made the topic, or makes it by them if it does not exist.
    case events(PublishBatch, persists: Bool, owner: UInt32? = nil)
    /// The removal of a topic and everything in it. Takes an id.
    case removal(TopicName)
    /// New settings of a topic, and the user that owns it if it is new. Takes no id.
    case registration(TopicName, SettingsChange, owner: UInt32?)
    /// A change of a work group. Takes no id.
    case work(WorkChange)
    /// Events that are held until they are due. Takes an id for each, and the first is their ticket.
    case hold(HeldBatch)
    /// The events that are held by a ticket for a topic are cancelled. Takes no id.
    case cancel(EventID, TopicName)
    /// The events that are due become visible: a bounded number of batches, in the order in which they are due. Then
    /// those by which the bus says that a topic is silent, or is not any more.
    /// Takes ids as it needs them. The time is that of the ``BootClock``.
    case release(Int64)
    /// Several entries, which take their places one after the other: all of them, or none.
    case together([StoreEntry])

    /// Bytes that the entry takes while it waits.
    package var queuedBytes: Int {
        switch self {
        case .events(let batch, _, _): batch.queuedBytes
        case .hold(let held): held.batch.queuedBytes
        case .removal, .registration, .cancel, .release: Overhead.queuedBatchBytes
        case .work(let change): change.queuedBytes
        case .together(let entries): entries.reduce(0) { $0 + $1.queuedBytes }
        }
    }

    /// How many rows it changes, about.
    package var rowCount: Int {
        switch self {
        case .events(let batch, _, _): batch.payloads.count
        case .hold(let held): held.batch.payloads.count
        case .removal, .registration, .cancel: 1
        case .release: Limits.releasedEventsMax
        case .work(let change): change.rowCount
        case .together(let entries): entries.reduce(0) { $0 + $1.rowCount }
        }
    }

    /// How many ids it takes.
    package var idCount: Int {
        switch self {
        case .events(let batch, _, _): batch.payloads.count
        case .hold(let held): held.batch.payloads.count
        case .removal: 1
        case .registration, .work, .cancel: 0
        case .release: Limits.releasedIDsMax
        case .together(let entries): entries.reduce(0) { $0 + $1.idCount }
        }
    }
}

/// A batch that was held, and became visible, or an announcement of a silence or of its end.
package struct ReleasedBatch: Sendable {
    /// The ticket that it was held by; nil for an announcement.
    package let ticket: EventID?
    /// Its events, at the places that they took.
    package let events: [Event]
    /// Its head where it is held until the next time of its schedule; nil for one that comes once.
    package let next: HeldHead?

    /// A batch as given.
    package init(ticket: EventID?, events: [Event], next: HeldHead? = nil) {
        self.ticket = ticket
        self.events = events
        self.next = next
    }
}

/// The place an entry took.
package enum StoreReceipt: Sendable {
    /// The events of the batch, in its order, ids rising.
    case events([Event])
    /// No event: the key of the batch decides so.
    case unpublished(KeyTable.Answer)
    /// The id of the removal: events below it are gone.
    case removal(EventID)
    /// The events are held, and those of the other head are not any more: a schedule was replaced.
    case held(HeldHead, instead: EventID?)
    /// The same schedule is held already.
    case known(HeldHead)
    /// Nothing: the state of the store decides so.
    case refused(BusError)
    /// They are held no more; without a head they were not, and this is how they ended, as far as that is known.
    case cancelled(LaterTable.Ending?, HeldHead?)
    /// Each batch that became visible, with the ticket that it was held by, and its head where it is held still. `isMore` says whether others are due
    /// already.
    case released([ReleasedBatch], isMore: Bool)
    /// The settings hold for everything after, from this time on.
    case registration(at: Timestamp)
    /// The change of the group holds for everything after.
    case work
    /// The receipts of the entries, in their order.
    case together([StoreReceipt])
}
