import StoreSupport
import Topics

/// A replica on a host that decides something by itself, or misses something.
// @unchecked: it is in the one thread of its host.
final class FaultyReplica: ReplicaStore, @unchecked Sendable {
    private let replica: any ReplicaStore
    private let fault: HostsFault
    private let clock: ManualClock
    private var chances = 0
    private var time = Timestamp.distantPast

    init(_ replica: any ReplicaStore, _ fault: HostsFault, _ clock: ManualClock) {
        self.replica = replica
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
    ) { replica.apply(changed(group), then: then) }

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

/// A store that answers some batches with the place that they would probably get.
// @unchecked: it is in the one thread of its host.
final class EagerStore: EventStore, @unchecked Sendable {
    private let store: any EventStore
    private var newest = EventID.zero
    private var chances = 0

    init(_ store: any EventStore) { self.store = store }

    var capabilities: StoreCapabilities { store.capabilities }
    var readiness: Readiness { store.readiness }

    func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        let contents = try store.open(context)
        newest = contents.newest
        return contents
    }

    func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
    ) {
        guard case .events(let batch, _, _) = entry else { return store.commit(entry, then: then) }
        chances += 1
        guard chances % 5 == 0 else {
            return store.commit(entry) { [self] outcome in
                if case .success(.events(let events)) = outcome { newest = events.last!.id }
                then(outcome)
            }
        }
        store.commit(entry) { _ in }
        let time = Timestamp(microseconds: 1_700_000_000_000_000)
        then(.success(.events(batch.events(from: newest.rawValue + 1, at: time, isStored: true))))
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
