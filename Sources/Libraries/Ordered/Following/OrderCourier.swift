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
        // Weak: the bus owns its store.
        weak var observer: (any StoreObserver)?
    }

    init(
        _ order: any Order, _ replica: any ReplicaStore, _ host: OrderHost, newest: EventID,
        _ context: StoreContext, _ draw: @escaping @Sendable () -> UInt128
    ) {
        self.order = order
        self.replica = replica
        self.context = context
        self.draw = draw
        state = Protected(State(host: host, newest: newest))
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

    // MARK: Verbs

    func commit(_ entry: StoreEntry, _ then: @escaping OrderHost.Answer) {
        let now = now
        do throws(BusError) {
            let (asked, user) = try Self.asked(entry, at: now.time)
            try state.write { state throws(BusError) in
                guard !state.isClosed else { throw .draining }
                try state.host.commit(asked, for: user, now, then)
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
            let ttl = batch.metadata.expires.map { expires in
                let (left, isOver) = expires.microseconds.subtractingReportingOverflow(
                    now.microseconds)
                return isOver ? Int64.max : max(left, 0)
            }
            return (.publish(batch, ttl: ttl, owner: owner), batch.sender.uid)
        case .removal(let topic): return (.removal(topic), nil)
        case .registration(let topic, let settings, let owner):
            return (.registration(topic, settings, owner: owner), owner)
        case .work, .together:
            throw .storeFailed("a bus of several hosts has no work groups yet")
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
        let observer = state.read { $0.observer }
        var (entries, newest) = (applied.entries[...], EventID.zero)
        for step in applied.steps {
            switch step {
            case .receipt(let receipt):
                newest = max(newest, receipt.newest ?? .zero)
                let (entry, answer) = entries.removeFirst()
                if let answer {
                    answer(.success(receipt))
                } else {
                    observer?.storeApplied(StoreArrival(entry, receipt))
                }
            case .loss(let topic, let loss): observer?.storeRemoved(loss, of: topic)
            case .floor(let id, let time): observer?.storeMerged(lossesThrough: id, time: time)
            }
        }
        // Last: a cursor is ahead of the observer until then.
        state.write { state in
            state.newest = max(state.newest, newest)
            state.host.tell(applied)
        }
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

extension StoreReceipt {
    /// The highest id in it; nil where it has none.
    fileprivate var newest: EventID? {
        switch self {
        case .events(let events): events.last?.id
        case .removal(let id): id
        case .registration, .work: nil
        case .together(let receipts): receipts.compactMap(\.newest).max()
        }
    }
}

extension StoreArrival {
    /// The entry of another host, at the place that it took.
    fileprivate init(_ entry: StoreEntry, _ receipt: StoreReceipt) {
        switch (entry, receipt) {
        case (.events(_, _, let owner), .events(let events)): self = .events(events, owner: owner)
        case (.removal(let topic), .removal(let id)): self = .removal(topic, id)
        case (.registration(let topic, let settings, let owner), .registration):
            self = .registration(topic, settings, owner: owner)
        default: preconditionFailure("the replica took an entry as something else")
        }
    }
}
