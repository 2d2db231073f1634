import StoreSupport
import Topics

/// A replica whose groups somebody compares with those of other hosts, perhaps on a host that decides something
/// by itself, or misses something.
// @unchecked: it is in the one thread of its host.
final class WatchedReplica: ReplicaStore, @unchecked Sendable {
    private let replica: any ReplicaStore
    private let host: String
    private let witness: Witness
    private let fault: HostsFault?
    private let clock: ManualClock
    private var chances = 0
    private var time = Timestamp.distantPast

    init(
        _ replica: any ReplicaStore, of host: String, _ witness: Witness, _ fault: HostsFault?,
        _ clock: ManualClock
    ) {
        self.replica = replica
        self.host = host
        self.witness = witness
        self.fault = fault
        self.clock = clock
    }

    var capabilities: StoreCapabilities { replica.capabilities }
    var readiness: Readiness { replica.readiness }
    var applied: OrderPlace? { replica.applied }

    func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        try replica.open(context)
    }

    func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
    ) { replica.commit(entry, then: then) }

    func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) { replica.read(request, then: then) }

    func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {
        replica.trim(trim, then: then)
    }

    func close() { replica.close() }

    func apply(
        _ group: OrderedGroup,
        then: @escaping @Sendable (Result<AppliedGroup, BusError>) -> Void
    ) {
        let changed = changed(group)
        witness.saw(changed, on: host)
        guard fault == .makesNoTicks else { return replica.apply(changed, then: then) }
        replica.apply(changed) { outcome in
            then(outcome.map { AppliedGroup(steps: $0.steps, newest: $0.newest) })
        }
    }

    private func changed(_ group: OrderedGroup) -> OrderedGroup {
        switch fault {
        case .decidesByItsClock:
            time = max(time, clock.now())
            let place = OrderPlace(
                sequence: group.place.sequence, chain: group.place.chain, line: group.place.line,
                time: time)
            return OrderedGroup(place: place, settings: group.settings, entries: group.entries)
        case .decidesByItsLimit:
            let settings = OrderSettings(
                defaults: Retention(keep: 8, bytes: nil, age: nil), tombstonesMax: .max,
                bytesMax: .max)
            return OrderedGroup(place: group.place, settings: settings, entries: group.entries)
        case .missesAGroup:
            chances += group.entries.isEmpty ? 0 : 1
            return chances % 5 == 1 ? OrderedGroup(place: group.place, entries: []) : group
        case .missesExpectations:
            let entries = group.entries.map { entry in
                guard case .registration(let topic, var change, let owner) = entry else {
                    return entry
                }
                change.settings.expect = nil
                return StoreEntry.registration(topic, change, owner: owner)
            }
            return OrderedGroup(place: group.place, settings: group.settings, entries: entries)
        case .decidesByADictionary:
            let areEvents = group.entries.allSatisfy {
                if case .events = $0 { true } else { false }
            }
            return areEvents
                ? OrderedGroup(
                    place: group.place, settings: group.settings,
                    entries: group.entries.reversed()) : group
        default: return group
        }
    }
}

/// A store whose requests to work groups are decided by something of its host.
// @unchecked: it is in the one thread of its host.
final class FaultyOrderedStore: SharedOrderStore, @unchecked Sendable {
    private let store: any SharedOrderStore
    private let fault: HostsFault
    private let clock: ManualClock
    private var decider: FaultyDecider?

    init(_ store: any SharedOrderStore, _ fault: HostsFault, _ clock: ManualClock) {
        self.store = store
        self.fault = fault
        self.clock = clock
    }

    var capabilities: StoreCapabilities { store.capabilities }
    var readiness: Readiness { store.readiness }
    var orderTime: Timestamp { store.orderTime }

    func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        try store.open(context)
    }

    func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
    ) { store.commit(entry, then: then) }

    func ask(
        _ request: GroupRequest, for user: UInt32?,
        failing: @escaping @Sendable (BusError) -> Void
    ) { store.ask(request, for: user, failing: failing) }

    func decide(by honest: any RequestDecider) {
        let decider = FaultyDecider(honest, fault, clock)
        self.decider = decider
        store.decide(by: decider)
    }

    func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) { store.read(request, then: then) }

    func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {
        store.trim(trim, then: then)
    }

    func tell(_ observer: any StoreObserver) { store.tell(observer) }

    func close() { store.close() }
}

/// Decides with another time, or without some requests.
// @unchecked: it is in the one thread of its host.
private final class FaultyDecider: RequestDecider, @unchecked Sendable {
    // Weak: the groups have it, and their bus has this.
    private weak var decider: (any RequestDecider)?
    private let fault: HostsFault
    private let clock: ManualClock
    private var time = Timestamp.distantPast
    private var chances = 0

    init(_ decider: any RequestDecider, _ fault: HostsFault, _ clock: ManualClock) {
        self.decider = decider
        self.fault = fault
        self.clock = clock
    }

    func decide(
        _ group: AskedGroup, first: EventID,
        then: @escaping @Sendable (Result<[StoreEntry], BusError>) -> Void
    ) { decider?.decide(changed(group), first: first, then: then) }

    private func changed(_ group: AskedGroup) -> AskedGroup {
        switch fault {
        case .decidesJobsByItsClock:
            time = max(time, clock.now())
            let place = OrderPlace(
                sequence: group.place.sequence, chain: group.place.chain, line: group.place.line,
                time: time)
            return AskedGroup(place: place, settings: group.settings, entries: group.entries)
        case .missesRequests:
            chances += 1
            guard chances % 5 == 1 else { return group }
            let entries = group.entries.map { entry in
                if case .request = entry { AskedEntry.entry(.together([])) } else { entry }
            }
            return AskedGroup(place: group.place, settings: group.settings, entries: entries)
        default: return group
        }
    }

    func decidedWasTold() { decider?.decidedWasTold() }
}
