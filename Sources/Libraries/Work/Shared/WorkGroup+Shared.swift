internal import Topics

/// A group on an order that hosts share: its requests go into the order, its workers wait on their host,
/// and the effects of all requests are told here.
extension WorkGroup {
    /// The group as it is.
    var description: GroupDescription {
        state.read { state in
            var description = state.turns.machine.description
            description.workers += state.line.count
            return description
        }
    }

    /// How many workers wait on this host, for jobs of all hosts.
    var localWorkers: Int { state.read { $0.line.count } }

    // MARK: Requests

    /// Has the order take a request.
    func ask(
        _ shared: SharedGroups, _ verb: WorkRequest.Verb, for user: UInt32?, _ call: Recipient
    ) -> RequestNumber {
        if let error = refusal(of: verb) {
            call.fail(error)
            return 0
        }
        guard case .next(let next) = verb, case .next(let then) = call else {
            shared.ask(
                verb.asked(at: parts.bus.now), of: number, for: user, .call(self, call))
            return 0
        }
        let now = parts.clock()
        let (number, replaced) = state.write { state in
            state.number += 1
            state.asked = now
            // Nobody told it of events meanwhile.
            if !state.isListening { state.line.wake() }
            let worker = LocalLine.Worker(
                number: state.number, next: next, user: user, then: then)
            return (state.number, state.line.add(worker))
        }
        tellReplaced(replaced)
        askForWorkers(shared)
        return number
    }

    /// Why this host does not ask for something. Its topics and rules are asked here, and never where the
    /// request is decided.
    private func refusal(of verb: WorkRequest.Verb) -> WorkError? {
        let settlement: Settlement?
        switch verb {
        case .next(let next): settlement = next.settlement
        case .settle(let what, _): settlement = what
        default: settlement = nil
        }
        switch settlement?.verb {
        case .done(.publish(let batch)): return parts.bus.refusal(of: [batch]).map { .bus($0) }
        case .dead:
            let question = read { machine in
                machine.record.dead.map { machine.question(of: $0) }
            }
            switch question.map(parts.letters.verdict) {
            case .allowed?, nil: return nil
            case .refused(let why)?: return .lettersRefused(why)
            case .unsure(let why)?: return .lettersUnjudged(why)
            }
        default: return nil
        }
    }

    /// Has the order take the requests of workers that are to ask.
    private func askForWorkers(_ shared: SharedGroups) {
        let ready = state.write { state in
            let ready = state.line.takeReady()
            if !state.isListening, !state.line.isEmpty, !state.turns.isRemoved {
                state.isListening = true
                // Before they ask: events that come behind that wake it.
                parts.hub.listen(self)
            }
            return ready
        }
        for worker in ready {
            shared.ask(
                WorkRequest.Verb.next(worker.next).asked(at: parts.bus.now), of: number,
                for: worker.user, .take(self, worker.number, sent: parts.clock()))
        }
        count()
    }

    /// Counts its waiting workers. Jobs are counted where they are decided: the room for the next ones follows
    /// from that.
    private func count() {
        let growth = state.write { $0.takeWaitingGrowth() }
        parts.quota.count(owner, growth)
    }

    func cancelWaiting(_ number: RequestNumber) {
        answerNothing(state.write { $0.line.cancel(number) }.map { [$0] } ?? [])
        count()
    }

    func drainLine() {
        answerNothing(state.write { $0.line.drain() })
        count()
    }

    private func answerNothing(_ workers: [LocalLine.Worker]) {
        for worker in workers {
            if worker.isReplaced, worker.settled == nil {
                tellReplaced(worker)
            } else {
                worker.then(.success(NextAnswer(delivery: nil, settled: worker.settled)))
            }
        }
    }

    /// Tells a worker that another one of its name came.
    private func tellReplaced(_ worker: LocalLine.Worker?) {
        guard let worker, let holder = worker.next.holder else { return }
        worker.then(.failure(.workerReplaced(holder.worker)))
    }

    // MARK: News

    func lookShared() {
        let hasWaiting = state.write { state in
            if state.line.isEmpty, state.isListening {
                state.isListening = false
                parts.hub.ignore(self)
            }
            state.line.wake()
            return state.line.hasWaiting
        }
        if hasWaiting, let shared = parts.shared { askForWorkers(shared) }
    }

    /// Says which leases have passed, and looks whether jobs are due; called each second.
    func sweep(_ shared: SharedGroups) {
        let (now, time) = (parts.clock(), shared.time.microseconds)
        let (passed, buries, asks) = state.write { state in
            let table = state.turns.machine.table
            let passed = state.watch.takePassed(by: now, in: table)
            let buries =
                !table.dying.isEmpty
                && now - state.burialsAsked >= Limits.passedAgainMicroseconds
            if buries { state.burialsAsked = now }
            state.line.sweep()
            let isDue = table.nextDue.map { $0 <= time } ?? false
            if isDue || state.turns.machine.isAtHand { state.line.wake() }
            return (passed, buries, state.line.hasWaiting)
        }
        // The host that asks counts the effects.
        let own = SharedGroups.Own.call(self, .plain { _ in })
        if !passed.isEmpty { shared.ask(.expire(passed), of: number, for: owner, own) }
        if buries { shared.ask(.bury, of: number, for: owner, own) }
        if asks { askForWorkers(shared) }
    }

    /// Watches all leases, as this host begins.
    func watchLeases() {
        let now = parts.clock()
        state.write { state in
            let table = state.turns.machine.table
            for (token, lease) in table.leases {
                guard let end = table.end(of: token) else { continue }
                state.watch.add(
                    GroupRequest.PassedLease(token, until: end),
                    at: now + lease.length + Limits.othersLeaseMicroseconds, in: table)
            }
        }
    }

    // MARK: Deciding

    /// Takes the next request of the order. Returns its number.
    func decide(_ verb: WorkRequest.Verb, mayBury: Bool) -> RequestNumber {
        state.write { state in
            state.number += 1
            state.turns.decide(WorkRequest(number: state.number, verb: verb))
            if !mayBury { state.turns.endBurials() }
            return state.number
        }
    }

    /// The next step of a decision, at a time of the order.
    func step(at time: Timestamp) -> GroupTransaction.Step? {
        let parked = state.read { $0.parked }
        let room = parts.quota.room(for: owner, parked: parked)
        let (step, growth) = state.write { state in
            let step = state.turns.step(now: time.microseconds, room: room)
            return (step, state.takeGrowth())
        }
        parts.quota.count(owner, growth)
        return step
    }

    // MARK: Telling

    /// One request of the order, and its turns.
    struct Decided {
        let number: RequestNumber
        let verb: GroupRequest.Verb
        /// The time of the order.
        let time: Timestamp
        /// The token of the request.
        let token: LeaseToken
        var turns: [(answers: [WorkAnswer], counts: GroupTransaction.Counts)] = []
    }

    /// Tells the effects of a request, now that the replica has them.
    ///
    /// - Parameter own: The caller that asked; nil for a request of another host.
    func tell(_ decided: Decided, _ own: SharedGroups.Own?, _ shared: SharedGroups) {
        if own == nil, case .take(let take) = decided.verb, let name = take.worker {
            let holder = Holder(worker: name, caller: take.caller)
            tellReplaced(state.write { $0.line.replaceWaiting(holder) })
        }
        for (answers, counts) in decided.turns {
            // Each host counts the requests that it was asked for.
            if own != nil { parts.meters.count(counts, now: parts.bus.now) }
            for id in counts.buried { refuse(id, nil) }
            if let id = counts.circling {
                parts.log.warning("the group \(name): \(WorkError.lettersCircle(id))")
            }
            for delivery in counts.deliveries { deliver(delivery) }
            note(answers, of: decided, isOwn: own != nil)
            for answer in answers where answer.number == decided.number {
                answerOwn(answer.outcome, decided, own, goesOn: counts.goesOn, shared)
            }
        }
        let heldFrom = state.write { state in
            if isNews(decided.verb) || state.turns.machine.isAtHand { state.line.wake() }
            _ = state.late.remove(decided.number)
            return state.takeHold()
        }
        if let heldFrom { parts.bus.setHeld(group: number, from: heldFrom) }
        askForWorkers(shared)
    }

    /// Whether a request may have made room for jobs. One that only takes jobs does not: else hosts would wake
    /// each other for ever.
    private func isNews(_ verb: GroupRequest.Verb) -> Bool {
        switch verb {
        case .take(let take): take.settling != nil
        case .extend: false
        default: true
        }
    }

    /// Watches the leases that are new, or last longer.
    private func note(_ answers: [WorkAnswer], of decided: Decided, isOwn: Bool) {
        let later = isOwn ? 0 : Limits.othersLeaseMicroseconds
        let now = parts.clock()
        state.write { state in
            func watch(_ token: LeaseToken) {
                let table = state.turns.machine.table
                guard let end = table.end(of: token) else { return }
                let length = end - decided.time.microseconds
                state.watch.add(
                    GroupRequest.PassedLease(token, until: end), at: now + length + later,
                    in: table)
            }
            for answer in answers {
                if case .success(.delivery(let grant, _)) = answer.outcome {
                    watch(grant.lease.token)
                }
            }
            if case .extend(let text, _) = decided.verb, let lease = LeaseText(text) {
                watch(lease.token)
            }
        }
    }

    private func answerOwn(
        _ outcome: Result<WorkAnswer.Outcome, WorkError>, _ decided: Decided,
        _ own: SharedGroups.Own?, goesOn: Bool, _ shared: SharedGroups
    ) {
        let isLate = state.read { $0.late.contains(decided.number) }
        switch own {
        case nil, .revive?: break
        case .make(let then)?: then(outcome.map { _ in (self, false) })
        case .call(_, let call)?:
            give(outcome, in: nil, to: call, isLate: isLate, parts.bus.now)
        case .take(_, let worker, let sent)?:
            answer(worker, outcome, decided, sent: sent, isLate: isLate, goesOn: goesOn, shared)
        }
    }

    private func answer(
        _ worker: RequestNumber, _ outcome: Result<WorkAnswer.Outcome, WorkError>,
        _ decided: Decided, sent: Int64, isLate: Bool, goesOn: Bool, _ shared: SharedGroups
    ) {
        switch outcome {
        case .failure(let error):
            state.write { $0.line.remove(worker) }?.then(.failure(error))
        case .success(.delivery(let grant, let settled)):
            let settled = settled.map { receipt($0, isLate) }
            // The worker counts from before it asked, by a clock that may be slower than others.
            let length = grant.until - decided.time.microseconds
            // Another request of the same group of entries may have ended it.
            guard state.read({ $0.turns.machine.table.leases[grant.lease.token] != nil }) else {
                return unserved(worker, settled, goesOn: true)
            }
            let left = length - (parts.clock() - sent) - length / 100
            guard left > length / 4 else {
                shared.ask(
                    .giveBack(grant.lease.token, gap: grant.gap), of: number, for: owner, nil)
                return unserved(worker, settled, goesOn: true)
            }
            guard let worker = state.write({ $0.line.served(worker) }) else { return }
            let deadline = parts.bus.now.advanced(microseconds: left)
            worker.then(
                .success(
                    NextAnswer(
                        delivery: delivery(grant, in: nil, until: deadline),
                        settled: settled ?? worker.settled)))
        case .success(.nothing(let settled)):
            unserved(worker, settled.map { receipt($0, isLate) }, goesOn: goesOn)
            let room = parts.quota.room(for: owner, parked: state.read { $0.parked })
            // Another group may make room, of which this one is told nothing.
            if room.open <= 0 || room.parked <= 0 { state.write { $0.line.tryLater() } }
        case .success: preconditionFailure("a worker of \(name) was answered as another one")
        }
    }

    private func unserved(_ worker: RequestNumber, _ settled: SettleReceipt?, goesOn: Bool) {
        let worker = state.write { $0.line.unserved(worker, settled: settled, goesOn: goesOn) }
        answerNothing(worker.map { [$0] } ?? [])
    }

    /// The order did not take the request of a worker.
    func failed(_ worker: RequestNumber, _ error: WorkError) {
        let mayWait =
            switch error {
            case .bus(.draining): false
            case .bus: true
            default: false
            }
        state.write { mayWait ? $0.line.failed(worker) : $0.line.remove(worker) }?
            .then(.failure(error))
        count()
    }

    /// Tells workers that wait that the group is gone.
    func endLine() {
        for worker in state.write({ $0.line.removeAll() }) {
            worker.then(.failure(.groupDeleted(name)))
        }
        count()
    }
}
