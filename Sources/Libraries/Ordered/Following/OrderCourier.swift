internal import Protection
internal import Topics

/// Does the calls that an ``OrderHost`` asks for: of the order, of the replica, and of those that wait
/// for an answer.
///
/// Safe from any thread. Nothing is called under its lock, but the source of tokens.
final class OrderCourier: SteppedWork, Sendable {
    private let order: any Order
    private let replica: any ReplicaStore
    private let context: StoreContext
    private let draw: @Sendable () -> UInt128
    private let wakeUp = WakeUp()
    private let state: Protected<State>

    private struct State {
        var host: OrderHost
        /// The highest id that the observer was told.
        var newest: EventID
        var isTold = false
        var isClosed = false
        /// When the clients of reads were looked at last.
        var swept: Int64 = .min
        // Weak: the bus owns its store, and work groups own their bus.
        weak var observer: (any StoreObserver)?
        weak var decider: (any RequestDecider)?
        /// The time of the last group that everybody was told, and when that was.
        var time: Timestamp
        var toldAt: Int64
    }

    init(
        _ order: any Order, _ replica: any ReplicaStore, _ host: OrderHost, newest: EventID,
        time: Timestamp, _ context: StoreContext, _ draw: @escaping @Sendable () -> UInt128
    ) {
        self.order = order
        self.replica = replica
        self.context = context
        self.draw = draw
        state = Protected(
            State(host: host, newest: newest, time: time, toldAt: context.bootClock.now()))
    }

    private var now: OrderHost.Moment {
        OrderHost.Moment(passed: context.bootClock.now(), time: context.clock.now())
    }

    var readiness: Readiness {
        let now = now
        return state.read { $0.host.readiness(now) }
    }

    /// Tells this observer the news of the order from now on.
    func begin(telling observer: any StoreObserver) {
        state.write { state in
            state.observer = observer
            state.isTold = true
        }
        wakeUp.signal()
    }

    /// The time of the order by now, as this host guesses it.
    var orderTime: Timestamp {
        let now = context.bootClock.now()
        return state.read { $0.time.advanced(microseconds: max(0, now - $0.toldAt)) }
    }

    /// Has requests decided from now on.
    func begin(deciding decider: any RequestDecider) {
        state.write { state in
            state.decider = decider
            state.host.beginDeciding()
        }
        wakeUp.signal()
    }

    // MARK: Verbs

    func ask(
        _ request: GroupRequest, for user: UInt32?,
        _ failing: @escaping @Sendable (BusError) -> Void
    ) {
        commit(.request(request), for: user) {
            if case .failure(let error) = $0 { failing(error) }
        }
    }

    func commit(_ entry: StoreEntry, _ then: @escaping OrderHost.Answer) {
        do throws(BusError) {
            let (asked, user) = try Self.asked(entry, at: now.time)
            commit(asked, for: user, then)
        } catch {
            then(.failure(error))
        }
    }

    private func commit(
        _ entry: OrderedEntry, for user: UInt32?, _ then: @escaping OrderHost.Answer
    ) {
        let now = now
        do throws(BusError) {
            try state.write { state throws(BusError) in
                guard !state.isClosed else { throw .draining }
                try state.host.commit(entry, for: user, now, then)
            }
        } catch {
            return then(.failure(error))
        }
        wakeUp.signal()
    }

    /// The entry as the order is asked for it, with lengths of time in place of ends, and its user.
    private static func asked(
        _ entry: StoreEntry, at now: Timestamp
    ) throws(BusError) -> (entry: OrderedEntry, user: UInt32?) {
        switch entry {
        case .events(let batch, _, let owner):
            return (.publish(batch, ttl: batch.ttl(at: now), owner: owner), batch.sender.uid)
        case .removal(let topic): return (.removal(topic), nil)
        case .registration(let topic, let change, let owner):
            return (.registration(topic, change, owner: owner), owner)
        case .hold(let held): return (.hold(held), held.batch.sender.uid)
        case .cancel(let ticket, let topic): return (.cancel(ticket, topic), nil)
        case .release: throw .storeFailed("events of an order are due by its time alone")
        case .work, .together:
            throw .storeFailed("a bus of several hosts takes no change of a work group by itself")
        }
    }

    /// Takes a read at a cursor that is ahead of this host; false where it is at none. Such a read ends
    /// at its cursor. Others end at an event that the log has shown, perhaps of the group that is
    /// told at this moment.
    func ask(_ read: OrderHost.AheadRead) -> Bool {
        guard case .after(let cursor) = read.request.start, read.request.through == cursor else {
            return false
        }
        do throws(BusError) {
            let isAhead = try state.write { state throws(BusError) in
                guard cursor > state.newest else { return false }
                guard !state.isClosed else { throw .draining }
                try state.host.ask(read)
                return true
            }
            if isAhead { wakeUp.signal() }
            return isAhead
        } catch {
            read.then(.failure(error))
            return true
        }
    }

    /// Ends it by its next step, which closes the order too: no call of the order is under way then.
    func close() {
        state.write { $0.isClosed = true }
        wakeUp.signal()
    }

    // MARK: Steps

    func step(mayWait: Bool) -> WorkStep {
        let now = now
        let (action, isClosed) = state.write { state in
            (
                state.isTold && !state.isClosed ? state.host.next(now, draw: draw) : nil,
                state.isClosed
            )
        }
        if isClosed { return end() }
        if let action {
            perform(action)
            return .done
        }
        if sweep(now) { return .done }
        if mayWait {
            let retries = state.read { $0.host.retries }
            wakeUp.wait(
                milliseconds: retries ? Limits.retryMilliseconds : Limits.courierMilliseconds)
        }
        return .nothing
    }

    private func perform(_ action: OrderHost.Action) {
        switch action {
        case .look(let sequence):
            order.stand(at: sequence) { [self] found in take { $0.looked(found, $1) } }
        case .read(let sequence, let bytesMax):
            order.read(from: sequence, bytesMax: bytesMax) { [self] shown in
                take { $0.read(shown, $1) }
            }
        case .append(let append):
            order.append(append) { [self] outcome in
                take { $0.appended(append.token, outcome, $1) }
            }
        case .decide(let group):
            let (decider, newest) = state.read { ($0.decider, $0.newest) }
            let first = EventID(rawValue: newest.rawValue + 1)
            guard let decider else {
                return take { $0.decided(.failure(.draining), $1) }
            }
            decider.decide(group, first: first) { [self] outcome in
                take { $0.decided(outcome, $1) }
            }
        case .apply(let group):
            replica.apply(group) { [self] outcome in applied(outcome) }
        case .refuse(let answers, let error):
            for answer in answers { answer(.failure(error)) }
        case .end(let reads, let error):
            for read in reads { read.then(.failure(error)) }
        case .answer(let reads):
            let (observer, newest) = state.read { ($0.observer, $0.newest) }
            observer?.storeLearned(idsThrough: newest)
            for read in reads { read.then(.success(.empty(at: read.request))) }
        }
    }

    /// Takes an outcome in, and has the next call made.
    private func take<Outcome>(
        _ body: (inout OrderHost, OrderHost.Moment) -> Outcome
    ) -> Outcome {
        let now = now
        defer { wakeUp.signal() }
        return state.write { body(&$0.host, now) }
    }

    /// Tells the outcome of a group, step by step.
    private func applied(_ outcome: Result<AppliedGroup, BusError>) {
        guard let applied = take({ $0.applied(outcome, $1) }) else { return }
        let (observer, decider) = state.read { ($0.observer, $0.decider) }
        var entries = applied.entries[...]
        for step in applied.steps {
            switch step {
            case .receipt(let receipt):
                let entry = entries.removeFirst()
                if entry.isDecided || entry.answer == nil {
                    for arrival in StoreArrival.all(of: entry.entry, receipt) {
                        observer?.storeApplied(arrival)
                    }
                }
                entry.answer?(.success(receipt))
            case .loss(let topic, let loss): observer?.storeRemoved(loss, of: topic)
            case .released(let batch): observer?.storeApplied(.released(batch))
            case .floor(let id, let time): observer?.storeMerged(lossesThrough: id, time: time)
            }
        }
        observer?.storeApplied(.reached(applied.newest))
        // Last: a cursor is ahead of the observer until then.
        state.write { state in
            state.newest = max(state.newest, applied.newest)
            (state.time, state.toldAt) = (applied.time, now.passed)
        }
        if applied.wasDecided { decider?.decidedWasTold() }
        state.write { $0.host.tell(applied) }
        wakeUp.signal()
    }

    /// Ends the reads whose clients have left, once a second. Returns whether there were any.
    private func sweep(_ now: OrderHost.Moment) -> Bool {
        let reads = state.write { state -> [Int: OrderHost.AheadRead] in
            guard state.swept == .min || now.passed - state.swept >= Limits.sweepMicroseconds else {
                return [:]
            }
            state.swept = now.passed
            return state.host.waitingReads
        }
        let left = reads.filter { $0.value.request.client.hasLeft() }.keys.sorted()
        guard !left.isEmpty else { return false }
        for read in state.write({ $0.host.forget(left) }) { read.then(.failure(.clientLeft)) }
        return true
    }

    private func end() -> WorkStep {
        order.close()
        let (refused, unknown, reads) = state.write { $0.host.close() }
        for answer in refused { answer(.failure(.draining)) }
        for answer in unknown { answer(.failure(.unanswered)) }
        for read in reads { read.then(.failure(.draining)) }
        return .end
    }
}

extension StorePage {
    /// A page that has looked at everything and found nothing.
    fileprivate static func empty(at request: StoreRead) -> StorePage {
        StorePage(events: [], after: request.through, through: request.through)
    }
}

extension StoreArrival {
    /// The arrivals that an entry brings, at the place that it took.
    fileprivate static func all(of entry: StoreEntry, _ receipt: StoreReceipt) -> [StoreArrival] {
        switch (entry, receipt) {
        case (.events(_, _, let owner), .events(let events)): [.events(events, owner: owner)]
        case (.events, .unpublished), (.events, .refused): []
        case (.removal(let topic), .removal(let id)): [.removal(topic, id)]
        case (.registration(let topic, let change, let owner), .registration(let time)):
            [.registration(topic, change, owner: owner, at: time)]
        case (.hold, .held(let head, let other)): [.held(head, instead: other)]
        case (.hold, .unpublished), (.hold, .refused), (.hold, .known): []
        case (.cancel, .cancelled(_, let head)): head.map { [.cancelled($0.ticket)] } ?? []
        case (.work(let change), .work): change.revived.map { [.revival($0)] } ?? []
        case (.together(let entries), .together(let receipts)):
            zip(entries, receipts).flatMap { all(of: $0, $1) }
        default: preconditionFailure("the replica took an entry as something else")
        }
    }
}
