internal import Topics

/// The reads of the log for a group. Reads in memory are done at once; those that may take long run
/// on the ``WorkThread``.
struct GroupRead: Sendable {
    private let selector: Selector
    private let filter: EventFilter
    /// The client that it reads for, in the turns of its user.
    private let client: StoreClient
    private let parts: WorkParts
    private let place: GroupReadCursor

    /// Reads for the group itself, in the turns of its maker.
    init(_ group: WorkGroup) {
        self.init(
            group.selector, group.filter, for: StoreClient(user: group.owner), group.parts,
            at: group.place)
    }

    /// Reads in the topics of a group for another client.
    init(_ group: WorkGroup, for client: StoreClient) {
        self.init(group.selector, group.filter, for: client, group.parts)
    }

    /// - Parameter place: The place where the last read stopped; a new one begins anew.
    init(
        _ selector: Selector, _ filter: EventFilter, for client: StoreClient, _ parts: WorkParts,
        at place: GroupReadCursor = GroupReadCursor()
    ) {
        self.place = place
        self.selector = selector
        self.filter = filter
        self.client = client
        self.parts = parts
    }

    // MARK: Jobs

    /// Takes the result of a read, with the room of events that the store was read for.
    typealias Then<Value> = @Sendable (Result<Value, BusError>, ReadRoom?) -> Void

    /// Reads the events that a turn wants; `then` runs before this returns, or on another thread.
    ///
    /// - Parameter room: The room of the turn, which forgets the events that were read before; nil
    ///   to take room once it is needed.
    func supply(
        _ fetch: GroupTransaction.Fetch, in room: ReadRoom?,
        _ then: @escaping Then<GroupMachine.Supply>
    ) {
        room?.forget()
        var supply = GroupMachine.Supply()
        var older: [(id: EventID, topic: TopicName, position: LogPosition)] = []
        for (id, topic) in fetch.known {
            switch parts.bus.event(id, in: topic) {
            case .found(let event): supply.known[id] = found(event)
            case .older(let position): older.append((id, topic, position))
            case .removed, .unknown: supply.known[id] = .gone
            }
        }
        guard !older.isEmpty else { return readFresh(fetch, supply, room, then) }
        supply.isOfStore = true
        within(room) { [older, supply] room in
            readOlder(older[...], fetch.needsAll, supply, 0, room, then)
        }
    }

    /// Reads events of open jobs that only the store has, one after the other. The next turn reads
    /// events that do not fit, and those behind the reach: a turn has one room.
    private func readOlder(
        _ older: ArraySlice<(id: EventID, topic: TopicName, position: LogPosition)>,
        _ needsAll: Bool, _ supply: GroupMachine.Supply, _ bytes: Int, _ room: ReadRoom,
        _ then: @escaping Then<GroupMachine.Supply>
    ) {
        guard let next = older.first, needsAll || bytes < Limits.readBytesMax else {
            return then(.success(supply), room)
        }
        parts.bus.readStore(
            next.position, matching: Selector(next.topic), filter: .all,
            limit: ReadLimit(events: 1, bytes: 1), for: client
        ) { outcome in
            var (supply, bytes) = (supply, bytes)
            switch outcome {
            case .failure(let error): return then(.failure(error), room)
            case .success(.events(let events, _, _)) where events[0].id == next.id:
                room.note(events)
                bytes += events[0].payload.count
                supply.known[next.id] = found(events[0])
            case .success: supply.known[next.id] = .gone
            }
            readOlder(older.dropFirst(), needsAll, supply, bytes, room, then)
        }
    }

    private func readFresh(
        _ fetch: GroupTransaction.Fetch, _ supply: GroupMachine.Supply, _ room: ReadRoom?,
        _ then: @escaping Then<GroupMachine.Supply>
    ) {
        guard fetch.freshMax > 0 else { return then(.success(supply), room) }
        let limit = ReadLimit(
            events: min(fetch.freshMax, Limits.readEventsMax),
            bytes: Limits.readBytesMax)
        read(fetch.position, limit, room) { [supply] outcome, room in
            then(
                outcome.map { read in
                    var supply = supply
                    supply.fresh = fresh(read)
                    supply.isOfStore = room != nil
                    return supply
                }, room)
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
        guard let expires = event.metadata.expires else { return false }
        return expires <= now || parts.replies.isOver(event.id)
    }

    // MARK: Places

    /// Counts events behind a position, up to a bound; nil where only the store knows, or where it
    /// takes more than one turn. Adds the steps that it takes.
    func count(behind position: LogPosition, _ steps: inout Int) -> Int? {
        parts.bus.count(behind: position, matching: selector, filter: filter, &steps)
    }

    /// Finds the position where a group begins, and the gap there; called on the ``WorkThread``.
    func place(
        of start: StartPosition,
        _ then: @escaping @Sendable (Result<(LogPosition, Gap?), BusError>) -> Void
    ) {
        let limit = ReadLimit(events: 1, bytes: 1)
        let long = parts.bus.longRead(
            from: start, matching: selector, filter: filter, limit: limit)
        settle(long, nil, then)
    }

    private func settle(
        _ long: SelectorRead, _ gap: Gap?,
        _ then: @escaping @Sendable (Result<(LogPosition, Gap?), BusError>) -> Void
    ) {
        goOn(long, nil) { outcome, room in
            // The event counts until its id is taken.
            withExtendedLifetime(room) {}
            switch outcome {
            case .failure(let error): then(.failure(error))
            case .success(.events(let events, var next, _)):
                next.after = events[0].id.predecessor
                then(.success((next, gap)))
            case .success(.caughtUp(let next)), .success(.older(let next)):
                then(.success((next, gap)))
            case .success(.gap(let found, _)):
                settle(long, gap.map { $0.joined(with: found) } ?? found, then)
            }
        }
    }

    /// Finds the first event behind a position, however long that takes; nil for none. An event
    /// that was read from the store comes with its room.
    func first(behind position: LogPosition, _ then: @escaping Then<Event?>) {
        let limit = ReadLimit(events: 1, bytes: 1)
        parts.thread.run(for: client.user) {
            first(
                of: parts.bus.longRead(
                    position, matching: selector, filter: filter, limit: limit), then)
        }
    }

    private func first(of long: SelectorRead, _ then: @escaping Then<Event?>) {
        goOn(long, nil) { outcome, room in
            switch outcome {
            case .failure(let error): then(.failure(error), nil)
            case .success(.events(let events, _, _)): then(.success(events[0]), room)
            case .success(.gap): first(of: long, then)
            case .success(.caughtUp), .success(.older): then(.success(nil), nil)
            }
        }
    }

    // MARK: Letters

    /// Finds the letters of a group among the newest events of its dead topic, oldest first.
    ///
    /// - Complexity: O(``Limits/rememberedLettersMax`` events), a megabyte at a time.
    func letters(
        of group: GroupName, in dead: TopicName,
        _ then: @escaping @Sendable (Result<[NewestLetters.Entry], BusError>) -> Void
    ) {
        let limit = ReadLimit(
            events: Limits.rememberedLettersMax, bytes: Limits.readBytesMax)
        parts.thread.run(for: client.user) {
            let long = parts.bus.longRead(
                from: .last(limit.events), matching: selector, filter: filter, limit: limit)
            goOn(long, of: group, in: dead, left: limit.events, [], then)
        }
    }

    private func goOn(
        _ long: SelectorRead, of group: GroupName, in dead: TopicName, left: Int,
        _ found: [NewestLetters.Entry],
        _ then: @escaping @Sendable (Result<[NewestLetters.Entry], BusError>) -> Void
    ) {
        goOn(long, nil) { outcome, room in
            // The events count until their attributes are read.
            withExtendedLifetime(room) {}
            switch outcome {
            case .failure(let error): then(.failure(error))
            case .success(.events(let events, let next, let isCutShort)):
                let found =
                    found + events.compactMap { NewestLetters.Entry($0, of: group, in: dead) }
                let left = left - events.count
                guard isCutShort, left > 0 else { return then(.success(found)) }
                let limit = ReadLimit(events: left, bytes: Limits.readBytesMax)
                let rest = parts.bus.longRead(
                    next, matching: selector, filter: filter, limit: limit)
                parts.thread.run(for: client.user) {
                    goOn(rest, of: group, in: dead, left: left, found, then)
                }
            case .success(.gap): goOn(long, of: group, in: dead, left: left, found, then)
            case .success(.caughtUp), .success(.older): then(.success(found))
            }
        }
    }

    // MARK: Reads that may be long

    /// Reads on from a position. One topic or a few steps are read on this thread, which may be a
    /// loop or publish. The rest is read on another one, and from the store once there is room. Events of the
    /// bus are read too: the group goes past them, so that topics hold them no longer.
    private func read(
        _ position: LogPosition, _ limit: ReadLimit, _ room: ReadRoom?,
        _ then: @escaping Then<LogRead>
    ) {
        var position = position
        let kept = place.take(at: position, limit)
        if kept == nil {
            let short = parts.bus.shortRead(
                &position, matching: selector, filter: filter.toPassBy, limit: limit)
            switch short {
            case nil, .older: break
            case let read?: return then(.success(read), room)
            }
        }
        let long =
            kept?.read
            ?? parts.bus.longRead(
                position, matching: selector, filter: filter.toPassBy, limit: limit)
        let told: Then<LogRead> = { outcome, room in
            if case .success(let read) = outcome {
                place.keep(long, behind: read, of: parts.bus)
            }
            then(outcome, room)
        }
        if long.hasPage {
            return within(room) { room in
                // The events of its page count in the room from now on.
                withExtendedLifetime(kept) {}
                goOn(long, room, told)
            }
        }
        var left = Limits.inlineStepsMax
        switch parts.bus.turn(of: long, &left) {
        case .done(let read): told(.success(read), room)
        case .goOn, .ask: parts.thread.run(for: client.user) { goOn(long, room, told) }
        }
    }

    /// Takes a read to its next result on the ``WorkThread``, where users take turns. It does so
    /// behind a page of the store too: the store's threads have others to serve. It asks the store
    /// once there is room.
    private func goOn(_ long: SelectorRead, _ room: ReadRoom?, _ then: @escaping Then<LogRead>) {
        if client.hasLeft() { return then(.failure(.clientLeft), room) }
        switch parts.bus.turn(of: long) {
        case .goOn:
            EventBus.pause()
            parts.thread.run(for: client.user) { goOn(long, room, then) }
        case .done(let read):
            if case .events(let events, _, _) = read { room?.note(events) }
            then(.success(read), room)
        case .ask(let request):
            within(room) { room in readPage(request, of: long, room, then) }
        }
    }

    private func readPage(
        _ request: StoreRead, of long: SelectorRead, _ room: ReadRoom,
        _ then: @escaping Then<LogRead>
    ) {
        parts.bus.readPage(request, for: client) { outcome in
            switch outcome {
            case .failure(let error): then(.failure(error), room)
            case .success(let page):
                long.take(page)
                // A page without events needs no room: a search without a match lets others read
                // meanwhile.
                let kept = page.events.isEmpty ? nil : room
                parts.thread.run(for: client.user) { goOn(long, kept, then) }
            }
        }
    }

    /// Runs `begin` once there is room for a read of the store: here if `room` is given, else on
    /// the ``WorkThread``.
    private func within(_ room: ReadRoom?, _ begin: @escaping @Sendable (ReadRoom) -> Void) {
        if let room { return begin(room) }
        // Events of jobs come one by one, up to a bound and one event more.
        let bytes = Limits.readBytesMax + parts.bus.limits.eventBytesMax
        parts.space.read(bytes, for: client.user, begin)
    }
}

extension NewestLetters.Entry {
    /// The letter of a group that an event of a dead topic is; nil if it is none of its letters.
    fileprivate init?(_ event: Event, of group: GroupName, in dead: TopicName) {
        let attributes = event.metadata.attributes
        guard attributes[DeathAttribute.group.rawValue] == group.text,
            let job = attributes[DeathAttribute.id.rawValue].flatMap({ EventID(decimal: $0) })
        else { return nil }
        self.init(job: job, letter: event.id, topic: dead)
    }
}
