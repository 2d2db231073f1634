internal import Topics

/// What a group asks the log: in memory at once, and what may take long on the thread for that.
struct GroupRead: Sendable {
    private let selector: Selector
    private let filter: EventFilter
    private let owner: UInt32?
    private let parts: WorkParts
    private let place: GroupPlace

    init(_ group: WorkGroup) {
        self.init(group.selector, group.filter, group.owner, group.parts, at: group.place)
    }

    /// - Parameter place: Where the last read stopped; a new one begins anew.
    init(
        _ selector: Selector, _ filter: EventFilter, _ owner: UInt32?, _ parts: WorkParts,
        at place: GroupPlace = GroupPlace()
    ) {
        self.place = place
        self.selector = selector
        self.filter = filter
        self.owner = owner
        self.parts = parts
    }

    /// Whom the store reads for: whoever made the group.
    private var client: StoreClient { StoreClient(user: owner) }

    // MARK: Jobs

    /// Reads what a turn wants; `then` runs before this returns, or on another thread.
    func supply(
        _ fetch: GroupTurns.Fetch,
        _ then: @escaping @Sendable (Result<GroupMachine.Supply, BusError>) -> Void
    ) {
        var supply = GroupMachine.Supply()
        var older: [(id: EventID, topic: TopicName, position: LogPosition)] = []
        for (id, topic) in fetch.known {
            switch parts.bus.event(id, in: topic) {
            case .found(let event): supply.known[id] = found(event)
            case .older(let position): older.append((id, topic, position))
            case .removed, .unknown: supply.known[id] = .gone
            }
        }
        readOlder(older[...], fetch, supply, then)
    }

    /// Reads events of open jobs that only the store has, one after the other.
    private func readOlder(
        _ older: ArraySlice<(id: EventID, topic: TopicName, position: LogPosition)>,
        _ fetch: GroupTurns.Fetch, _ supply: GroupMachine.Supply,
        _ then: @escaping @Sendable (Result<GroupMachine.Supply, BusError>) -> Void
    ) {
        guard let next = older.first else { return readFresh(fetch, supply, then) }
        parts.bus.readStore(
            next.position, matching: Selector(next.topic), filter: .all,
            limit: ReadLimit(events: 1, bytes: 1), for: client
        ) { outcome in
            var supply = supply
            switch outcome {
            case .failure(let error): return then(.failure(error))
            case .success(.events(let events, _, _)) where events[0].id == next.id:
                supply.known[next.id] = found(events[0])
            case .success: supply.known[next.id] = .gone
            }
            readOlder(older.dropFirst(), fetch, supply, then)
        }
    }

    private func readFresh(
        _ fetch: GroupTurns.Fetch, _ supply: GroupMachine.Supply,
        _ then: @escaping @Sendable (Result<GroupMachine.Supply, BusError>) -> Void
    ) {
        guard fetch.freshMax > 0 else { return then(.success(supply)) }
        let limit = ReadLimit(events: fetch.freshMax, bytes: Limits.readBytesMax)
        read(fetch.position, limit) { outcome in
            then(
                outcome.map { read in
                    var supply = supply
                    supply.fresh = fresh(read)
                    return supply
                })
        }
    }

    private func fresh(_ read: LogRead) -> GroupMachine.Fresh {
        switch read {
        case .events(let events, let next, let isCutShort):
            let now = parts.bus.now
            return .events(
                events.map { ($0, isOver($0, now: now)) }, next: next, isCutShort: isCutShort)
        case .caughtUp(let next), .older(let next):
            return .events([], next: next, isCutShort: false)
        case .gap(let gap, let next): return .gap(gap, next: next)
        }
    }

    private func found(_ event: Event) -> GroupMachine.Found {
        isOver(event, now: parts.bus.now) ? .over(event) : .event(event)
    }

    private func isOver(_ event: Event, now: Timestamp) -> Bool {
        guard let expires = event.attributes.expires else { return false }
        return expires <= now || parts.replies.isOver(event.id)
    }

    // MARK: Places

    /// Counts events behind a position, up to a bound; nil where only the store knows, or where it
    /// takes more than one turn.
    func count(behind position: LogPosition) -> Int? {
        let limit = ReadLimit(events: Limits.countedAheadMax, bytes: .max)
        let read = parts.bus.longRead(
            position, matching: selector, filter: filter, limit: limit)
        while true {
            switch parts.bus.turn(of: read) {
            case .done(.events(let events, _, _)): return events.count
            case .done(.caughtUp): return 0
            case .done(.gap): continue
            case .done(.older), .ask, .goOn: return nil
            }
        }
    }

    /// Reads what may be parked behind a position.
    func parked(
        behind position: LogPosition,
        _ then: @escaping @Sendable (Result<GroupTurns.Rebuilt, BusError>) -> Void
    ) {
        let limit = ReadLimit(events: Limits.rebuildEventsMax, bytes: Limits.readBytesMax)
        parts.thread.run(for: owner) {
            read(position, limit) { outcome in
                then(
                    outcome.map { read in
                        switch read {
                        case .events(let events, let next, let isCutShort):
                            GroupTurns.Rebuilt(events: events, next: isCutShort ? next : nil)
                        case .gap(let gap, let next): GroupTurns.Rebuilt(gap: gap, next: next)
                        case .caughtUp, .older: GroupTurns.Rebuilt()
                        }
                    })
            }
        }
    }

    /// Finds where a group begins, and what it misses there.
    func place(
        of start: StartPosition,
        _ then: @escaping @Sendable (Result<(LogPosition, Gap?), BusError>) -> Void
    ) {
        let limit = ReadLimit(events: 1, bytes: 1)
        parts.thread.run(for: owner) {
            let read = parts.bus.read(
                from: start, matching: selector, filter: filter, limit: limit)
            settle(read, nil, limit, then)
        }
    }

    private func settle(
        _ read: LogRead, _ gap: Gap?, _ limit: ReadLimit,
        _ then: @escaping @Sendable (Result<(LogPosition, Gap?), BusError>) -> Void
    ) {
        switch read {
        case .events(let events, var next, _):
            next.after = events[0].id.predecessor
            then(.success((next, gap)))
        case .caughtUp(let next): then(.success((next, gap)))
        case .gap(let found, let next):
            goOn(next, gap.map { $0.joined(with: found) } ?? found, limit, then)
        case .older(let position): goOn(position, gap, limit, then)
        }
    }

    private func goOn(
        _ position: LogPosition, _ gap: Gap?, _ limit: ReadLimit,
        _ then: @escaping @Sendable (Result<(LogPosition, Gap?), BusError>) -> Void
    ) {
        readLong(position, limit) {
            switch $0 {
            case .failure(let error): then(.failure(error))
            case .success(let read): settle(read, gap, limit, then)
            }
        }
    }

    /// Reads on from a position: one topic or a few steps on this thread, which may be a loop or
    /// publish; the rest on another one.
    private func read(
        _ position: LogPosition, _ limit: ReadLimit,
        _ then: @escaping @Sendable (Result<LogRead, BusError>) -> Void
    ) {
        if selector.singleName != nil, filter == .all {
            let read = parts.bus.read(position, matching: selector, filter: filter, limit: limit)
            guard case .older(let position) = read else { return then(.success(read)) }
            return readLong(position, limit, then)
        }
        let long =
            place.take(at: position, limit)
            ?? parts.bus.longRead(position, matching: selector, filter: filter, limit: limit)
        var left = Limits.inlineStepsMax
        switch parts.bus.turn(of: long, &left) {
        case .done(let read): told(long, read, then)
        case .goOn, .ask:
            finish(long) { outcome in
                switch outcome {
                case .failure: then(outcome)
                case .success(let read): told(long, read, then)
                }
            }
        }
    }

    private func told(
        _ long: SelectorRead, _ read: LogRead,
        _ then: @escaping @Sendable (Result<LogRead, BusError>) -> Void
    ) {
        place.keep(long, behind: read, of: parts.bus)
        then(.success(read))
    }

    private func readLong(
        _ position: LogPosition, _ limit: ReadLimit,
        _ then: @escaping @Sendable (Result<LogRead, BusError>) -> Void
    ) {
        finish(
            parts.bus.longRead(position, matching: selector, filter: filter, limit: limit), then)
    }

    /// Takes a read to what it tells next by the turns of the thread, where users take turns: also
    /// behind a page of the store, whose threads have others to serve.
    private func finish(
        _ long: SelectorRead, _ then: @escaping @Sendable (Result<LogRead, BusError>) -> Void
    ) {
        parts.thread.run(for: owner) {
            switch parts.bus.turn(of: long) {
            case .done(let read): then(.success(read))
            case .goOn:
                EventBus.pause()
                finish(long, then)
            case .ask(let request):
                parts.bus.readPage(request, for: client) { outcome in
                    switch outcome {
                    case .failure(let error): then(.failure(error))
                    case .success(let page):
                        long.take(page)
                        finish(long, then)
                    }
                }
            }
        }
    }
}
