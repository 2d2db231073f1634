internal import Protection
internal import Topics

/// The decision of all requests of one group of entries, one after the other: each request is turns of its
/// work group, and the changes of these take the place of the request.
///
/// It follows from the state behind the groups before, from the requests, and from the time of the group:
/// all hosts decide alike. Only the answers are a matter of the host.
///
/// One thread at a time takes it further.
final class GroupDecision: Sendable {
    let group: AskedGroup
    private let shared: SharedGroups
    private let parts: WorkParts
    private let first: EventID
    private let state: Protected<State>

    typealias Then = @Sendable (Result<[StoreEntry], BusError>) -> Void

    /// The outcome of a request, which is known by its token.
    enum Outcome {
        case made(WorkGroup, LeaseToken)
        case decided(WorkGroup, WorkGroup.Decided, isRemoved: Bool)
        case revived(LeaseToken, PublishReceipt)
        /// Nil says that the group is gone.
        case refused(LeaseToken, WorkError?)
    }

    private struct State {
        var then: Then?
        /// How many entries of the group are decided.
        var count = 0
        var entries: [StoreEntry] = []
        /// The next id that an entry takes.
        var next: EventID
        var current: Current?
        var outcomes: [Outcome] = []
        /// Turns that made dead letters.
        var burials = 0
        /// Letters that were published again.
        var revived: Set<EventID> = []
        /// The read that failed, to be made again.
        var failed: (@Sendable () -> Void)?
    }

    /// The request that is decided.
    private struct Current {
        let group: WorkGroup
        var decided: WorkGroup.Decided
        var entries: [StoreEntry] = []
    }

    private enum Step {
        case again
        case fetch(WorkGroup, GroupTransaction.Fetch)
        case recall(WorkGroup, TopicName)
        case revive(WorkGroup, GroupRequest.Reviving, LeaseToken)
        case done(Then?, [StoreEntry])
    }

    init(_ group: AskedGroup, first: EventID, _ shared: SharedGroups, _ parts: WorkParts) {
        self.group = group
        self.shared = shared
        self.parts = parts
        self.first = first
        state = Protected(State(next: first))
    }

    var outcomes: [Outcome] { state.read { $0.outcomes } }

    private var time: Timestamp { group.place.time }

    /// Goes on to the end, or to a read that fails: it can be taken further then.
    func go(_ then: @escaping Then) {
        let failed = state.write { state in
            state.then = then
            defer { state.failed = nil }
            return state.failed
        }
        if let failed { failed() } else { goOn() }
    }

    private func goOn() {
        while true {
            switch state.write(advance) {
            case .again: continue
            case .fetch(let group, let fetch): return read(fetch, for: group)
            case .recall(let group, let dead): return recall(dead, for: group)
            case .revive(let group, let revival, let token):
                return revive(revival, of: group, token)
            case .done(let then, let entries):
                then?(.success(entries))
                return
            }
        }
    }

    private func reader(for group: WorkGroup) -> ExactRead {
        ExactRead(
            group.selector, group.filter, in: parts.bus, at: time, through: first.predecessor)
    }

    private func read(_ fetch: GroupTransaction.Fetch, for group: WorkGroup) {
        reader(for: group).supply(fetch) { [self] outcome in
            if case .failure(let error) = outcome {
                return stop(for: error) { self.read(fetch, for: group) }
            }
            group.state.write { $0.turns.supply(outcome, now: time.microseconds) }
            goOn()
        }
    }

    /// Lets go of everything, since the groups are gone.
    func close() {
        state.write { state in
            state.failed = nil
            state.then = nil
        }
    }

    /// Ends this attempt, since a read failed; the next one begins with that read.
    private func stop(for error: BusError, _ again: @escaping @Sendable () -> Void) {
        let then = state.write { state in
            state.failed = again
            defer { state.then = nil }
            return state.then
        }
        then?(.failure(error))
    }

    private func revive(
        _ revival: GroupRequest.Reviving, of group: WorkGroup, _ token: LeaseToken
    ) {
        let (id, dead) = (revival.letter.id, revival.letter.topic)
        reader(for: group).event(id, in: dead) { [self] outcome in
            do throws(BusError) {
                let letter = try outcome.get()
                state.write { state in
                    revive(letter, revival, of: group, token, &state)
                }
                goOn()
            } catch {
                stop(for: error) { self.revive(revival, of: group, token) }
            }
        }
    }

    private func revive(
        _ letter: Event?, _ revival: GroupRequest.Reviving, of group: WorkGroup,
        _ token: LeaseToken, _ state: inout State
    ) {
        do throws(WorkError) {
            guard let letter else { throw .letterUnknown(revival.letter.id) }
            let revived = try RevivedLetter(
                letter, of: (group.name, group.number, group.selector),
                in: revival.letter.topic, by: revival.user)
            // The replica does not have those of this group of entries.
            guard state.revived.insert(letter.id).inserted else {
                throw .letterRevived(letter.id)
            }
            let receipt = PublishReceipt(of: revived.batches[0], at: state.next, time)
            state.outcomes.append(.revived(token, receipt))
            let events = revived.batches.map {
                StoreEntry.events($0, persists: true, owner: $0.sender.uid)
            }
            put(.together(events + [.work(revived.change)]), &state)
        } catch {
            refuse(token, error, &state)
        }
    }

    /// Reads old letters, which only answers are about.
    private func recall(_ dead: TopicName, for group: WorkGroup) {
        let token = state.read { $0.current?.decided.token }
        let isOwn = token.map(shared.isOwn) ?? false
        guard isOwn else {
            group.state.write { $0.turns.recalled(.failure(.unanswered)) }
            return goOn()
        }
        let client = StoreClient(user: group.owner)
        GroupRead(Selector(dead), .all, for: client, parts).letters(of: group.name, in: dead) {
            [self] outcome in
            group.state.write { $0.turns.recalled(outcome) }
            goOn()
        }
    }

    // MARK: One step

    private func advance(_ state: inout State) -> Step {
        guard let current = state.current else { return begin(&state) }
        let group = current.group
        switch group.step(at: time) {
        case nil: end(current, &state)
        case .fetch(let fetch)?: return .fetch(group, fetch)
        case .recall(let dead)?: return .recall(group, dead)
        case .commit(let change, let batches)?: commit(change, batches, of: group, &state)
        case .answer(let answers, let counts)?:
            state.current?.decided.turns.append((answers, counts))
            if !counts.buried.isEmpty { state.burials += 1 }
            if state.burials >= Limits.sharedBurialsMax {
                group.state.write { $0.turns.endBurials() }
            }
        case .judge?: preconditionFailure("a rule of one host was asked about \(group.name)")
        }
        return .again
    }

    private func begin(_ state: inout State) -> Step {
        guard state.count < group.entries.count else {
            defer { state.then = nil }
            return .done(state.then, state.entries)
        }
        let request: GroupRequest
        switch group.entries[state.count] {
        case .entry(let entry):
            put(entry, &state)
            return .again
        case .request(let asked): request = asked
        }
        if case .make(let making) = request.verb {
            make(making, request, &state)
        } else if let group = shared.group(request.group) {
            if case .revive(let revival) = request.verb {
                return .revive(group, revival, request.token)
            }
            begin(request, of: group, &state)
        } else {
            refuse(request.token, nil, &state)
        }
        return .again
    }

    private func begin(
        _ request: GroupRequest, of group: WorkGroup, _ state: inout State
    ) {
        guard let verb = WorkRequest.Verb(request.verb, request.token, at: time) else {
            return refuse(request.token, nil, &state)
        }
        let number = group.decide(verb, mayBury: state.burials < Limits.sharedBurialsMax)
        state.current = Current(
            group: group,
            decided: WorkGroup.Decided(
                number: number, verb: request.verb, time: time, token: request.token))
    }

    private func refuse(_ token: LeaseToken, _ error: WorkError?, _ state: inout State) {
        state.outcomes.append(.refused(token, error))
        put(.together([]), &state)
    }

    private func put(_ entry: StoreEntry, _ state: inout State) {
        state.next = EventID(rawValue: state.next.rawValue + UInt64(entry.idCount))
        state.entries.append(entry)
        state.count += 1
    }

    private func make(
        _ making: GroupRequest.Making, _ request: GroupRequest, _ state: inout State
    ) {
        guard let name = try? GroupName(making.name) else {
            return refuse(
                request.token, .valueInvalid("\(making.name) is no name of a group"), &state)
        }
        if let group = shared.group(name) { return begin(request, of: group, &state) }
        guard let selector = making.wish.selector else {
            return refuse(request.token, .selectorMissing(name), &state)
        }
        let position = LogPosition(
            after: making.place.after, reportedThrough: making.place.reportedThrough)
        let made = GroupRecord.make(name, making.wish, selector, at: position, by: making.maker)
        switch made {
        case .failure(let error): refuse(request.token, error, &state)
        case .success(let record):
            var number = request.group
            while shared.group(number) != nil { number = number.next }
            var machine = GroupMachine(number, name, selector, record, isShared: true)
            if let gap = making.place.missing { machine.miss(gap) }
            let change = machine.creation
            let group = WorkGroup(machine, parts)
            shared.add(group)
            state.outcomes.append(.made(group, request.token))
            put(.together([.work(change)]), &state)
        }
    }

    private func commit(
        _ change: WorkChange, _ batches: [PublishBatch], of group: WorkGroup, _ state: inout State
    ) {
        let taken = state.current?.entries.reduce(0) { $0 + $1.idCount } ?? 0
        var next = EventID(rawValue: state.next.rawValue + UInt64(taken))
        var receipts: [PublishReceipt] = []
        for batch in batches {
            receipts.append(PublishReceipt(of: batch, at: next, time))
            next = EventID(rawValue: next.rawValue + UInt64(batch.payloads.count))
            state.current?.entries.append(
                .events(batch, persists: true, owner: batch.sender.uid))
        }
        state.current?.entries.append(.work(change))
        group.state.write { $0.turns.committed(.success(receipts), now: time.microseconds) }
    }

    private func end(_ current: Current, _ state: inout State) {
        let isRemoved = current.group.state.write { state in
            state.turns.machine.forgetWords()
            return state.turns.isRemoved
        }
        if isRemoved { shared.remove(current.group) }
        state.outcomes.append(.decided(current.group, current.decided, isRemoved: isRemoved))
        state.current = nil
        put(.together(current.entries), &state)
    }
}
