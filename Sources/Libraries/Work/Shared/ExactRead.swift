internal import Topics

/// The reads of events for a group on an order that hosts share. All hosts read the same there, though
/// each has other events in memory: from the rows of the replica, up to bounds that follow from ids and bytes.
struct ExactRead: Sendable {
    private let bus: EventBus
    private let selector: Selector
    private let filter: EventFilter
    /// The time of the order, by which events are over.
    private let now: Timestamp
    /// The newest event of the groups before.
    private let newest: EventID

    init(
        _ selector: Selector, _ filter: EventFilter, in bus: EventBus, at now: Timestamp,
        through newest: EventID
    ) {
        self.bus = bus
        self.selector = selector
        self.filter = filter
        self.now = now
        self.newest = newest
    }

    typealias Then = @Sendable (Result<GroupMachine.Supply, BusError>) -> Void

    /// Reads the events that a turn wants.
    func supply(_ fetch: GroupTransaction.Fetch, _ then: @escaping Then) {
        known(fetch.known[...], fetch, GroupMachine.Supply(), 0, then)
    }

    /// Reads events of open jobs, one after the other. The next turn reads those that are too many bytes.
    private func known(
        _ left: ArraySlice<(id: EventID, topic: TopicName)>, _ fetch: GroupTransaction.Fetch,
        _ supply: GroupMachine.Supply, _ bytes: Int, _ then: @escaping Then
    ) {
        guard fetch.needsAll || bytes < Limits.readBytesMax else { return then(.success(supply)) }
        guard let next = left.first else { return fresh(fetch, supply, then) }
        event(next.id, in: next.topic) { outcome in
            var (supply, bytes) = (supply, bytes)
            switch outcome {
            case .failure(let error): return then(.failure(error))
            case .success(let event):
                supply.known[next.id] =
                    event.map { isOver($0) ? .over($0) : .event($0) } ?? .gone
                bytes += event?.payload.count ?? 0
            }
            known(left.dropFirst(), fetch, supply, bytes, then)
        }
    }

    /// Reads one event; nil where there is none of the id.
    func event(
        _ id: EventID, in topic: TopicName,
        _ then: @escaping @Sendable (Result<Event?, BusError>) -> Void
    ) {
        let request = StoreRead(
            start: .after(id.predecessor), through: id, selector: Selector(topic), filter: .all,
            limit: ReadLimit(events: 1, bytes: 1))
        page(request) { outcome in then(outcome.map(\.first)) }
    }

    private func isOver(_ event: Event) -> Bool {
        event.metadata.expires.map { $0 <= now } ?? false
    }

    /// Reads the events behind the reach of the group, in a bounded range of ids.
    private func fresh(
        _ fetch: GroupTransaction.Fetch, _ supply: GroupMachine.Supply, _ then: @escaping Then
    ) {
        guard fetch.freshMax > 0 else { return then(.success(supply)) }
        var (supply, next) = (supply, fetch.position)
        if let gap = bus.gap(at: next, of: selector) {
            next.reportedThrough = gap.through
            supply.fresh = .gap(gap, next: next)
            return then(.success(supply))
        }
        let start = next.after
        guard newest > start else {
            supply.fresh = .events([], next: next, isCutShort: false)
            return then(.success(supply))
        }
        let through =
            newest.rawValue - start.rawValue > Limits.sharedIDsMax
            ? EventID(rawValue: start.rawValue + Limits.sharedIDsMax) : newest
        let countMax = min(fetch.freshMax, Limits.readEventsMax)
        let request = StoreRead(
            start: .after(start), through: through, selector: selector, filter: filter.toPassBy,
            limit: ReadLimit(events: countMax, bytes: Limits.readBytesMax))
        page(request) { [supply, next] outcome in
            var (supply, next) = (supply, next)
            switch outcome {
            case .failure(let error): return then(.failure(error))
            case .success(let events):
                let isFull =
                    events.count == countMax
                    || events.reduce(0) { $0 + $1.payload.count } >= Limits.readBytesMax
                next.after = isFull ? events[events.count - 1].id : through
                supply.fresh = .events(
                    events.map { ($0, isOver($0)) }, next: next,
                    isCutShort: next.after < newest)
            }
            then(.success(supply))
        }
    }

    /// Reads a range to its end, or up to the limit of the request. How much a store gives at once makes no
    /// difference.
    private func page(
        _ request: StoreRead, _ found: [Event] = [],
        _ then: @escaping @Sendable (Result<[Event], BusError>) -> Void
    ) {
        bus.readPage(request) { outcome in
            switch outcome {
            case .failure(let error): return then(.failure(error))
            case .success(let page):
                if page.endsDamaged {
                    return then(.failure(.storeFailed("the event \(page.through) makes no sense")))
                }
                var (found, bytes) = (found, found.reduce(0) { $0 + $1.payload.count })
                for event in page.events {
                    found.append(event)
                    bytes += event.payload.count
                    if found.count == request.limit.events || bytes >= request.limit.bytes {
                        return then(.success(found))
                    }
                }
                guard page.through < request.through else { return then(.success(found)) }
                self.page(
                    StoreRead(
                        start: .after(page.through), through: request.through,
                        selector: request.selector, filter: request.filter, limit: request.limit),
                    found, then)
            }
        }
    }
}
