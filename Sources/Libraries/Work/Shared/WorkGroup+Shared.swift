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

    // MARK: Requests

    /// Has the order take a request.
    func ask(
        _ shared: SharedGroups, _ verb: WorkRequest.Verb, for user: UInt32?, _ call: Recipient
    ) -> RequestNumber {
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
        if let replaced, let holder = replaced.next.holder {
            replaced.then(.failure(.workerReplaced(holder.worker)))
        }
        askForWorkers(shared)
        return number
    }

    /// Has the order take the requests of workers that are to ask.
    private func askForWorkers(_ shared: SharedGroups) {
        let (ready, listens) = state.write { state in
            let ready = state.line.takeReady()
            let listens = !state.isListening && !state.line.isEmpty
            if listens { state.isListening = true }
            return (ready, listens)
        }
        // Before they ask: events that come behind that wake it.
        if listens { parts.hub.listen(self) }
        for worker in ready {
            shared.ask(
                WorkRequest.Verb.next(worker.next).asked(at: parts.bus.now), of: number,
                for: worker.user, .take(self, worker.number, sent: parts.clock()))
        }
        count()
    }

    private func count() {
        let growth = state.write { $0.takeGrowth() }
        parts.quota.count(owner, growth)
    }

    func cancelWaiting(_ number: RequestNumber) {
        answerNothing(state.write { $0.line.cancel(number) }.map { [$0] } ?? [])
    }

    func drainLine() { answerNothing(state.write { $0.line.drain() }) }

    private func answerNothing(_ workers: [LocalLine.Worker]) {
        for worker in workers {
            worker.then(.success(NextAnswer(delivery: nil, settled: worker.settled)))
        }
    }

    // MARK: News

    func lookShared() {
        let (isOver, hasWaiting) = state.write { state in
            let isOver = state.line.isEmpty && state.isListening
            if isOver { state.isListening = false }
            state.line.wake()
            return (isOver, state.line.hasWaiting)
        }
        if isOver { parts.hub.ignore(self) }
        if hasWaiting, let shared = parts.shared { askForWorkers(shared) }
    }

    /// Says which leases have passed, and looks whether jobs are due; called each second.
    func sweep(_ shared: SharedGroups) {
        let (now, time) = (parts.clock(), parts.bus.now.microseconds)
        let (passed, buries, asks) = state.write { state in
            let table = state.turns.machine.table
            let passed = state.watch.takePassed(by: now, in: table)
            let buries =
                !table.dying.isEmpty
                && now - state.burialsAsked >= Limits.passedAgainMicroseconds
            if buries { state.burialsAsked = now }
            state.line.sweep()
            if let due = table.nextDue, due <= time { state.line.wake() }
            return (passed, buries, state.line.hasWaiting)
        }
        if !passed.isEmpty { shared.ask(.expire(passed), of: number, for: owner, nil) }
        if buries { shared.ask(.bury, of: number, for: owner, nil) }
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
                    at: now + lease.length + Limits.othersLeaseMicroseconds)
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
        /// The caller that asked; nil for a request of another host.
        let own: SharedGroups.Own?
        var turns: [(answers: [WorkAnswer], counts: GroupTransaction.Counts)] = []
    }

    /// Tells the effects of a request, now that the replica has them.
    func tell(_ decided: Decided, _ shared: SharedGroups) {
        for (answers, counts) in decided.turns {
            // Each host counts the requests that it was asked for.
            if decided.own != nil { parts.meters.count(counts, now: parts.bus.now) }
            for id in counts.buried { refuse(id, nil) }
            if let id = counts.circling {
                parts.log.warning("the group \(name): \(WorkError.lettersCircle(id))")
            }
            for delivery in counts.deliveries { deliver(delivery) }
            note(answers, of: decided)
            for answer in answers where answer.number == decided.number {
                answerOwn(answer.outcome, decided, goesOn: counts.goesOn, shared)
            }
        }
        let heldFrom = state.write { state in
            if isNews(decided.verb) { state.line.wake() }
            _ = state.late.remove(decided.number)
            return state.takeHold()
        }
        if let heldFrom { parts.bus.setHeld(group: number, from: heldFrom) }
        askForWorkers(shared)
    }

    /// Whether a request may bring workers a job that was not there before. One that only takes jobs does
    /// not: else hosts would wake each other for ever.
    private func isNews(_ verb: GroupRequest.Verb) -> Bool {
        if case .take(let take) = verb { take.settling != nil } else { true }
    }

    /// Watches the leases that are new, or last longer.
    private func note(_ answers: [WorkAnswer], of decided: Decided) {
        let later = decided.own == nil ? Limits.othersLeaseMicroseconds : 0
        let now = parts.clock()
        state.write { state in
            func watch(_ token: LeaseToken) {
                guard let end = state.turns.machine.table.end(of: token) else { return }
                let length = end - decided.time.microseconds
                state.watch.add(
                    GroupRequest.PassedLease(token, until: end), at: now + length + later)
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
        _ outcome: Result<WorkAnswer.Outcome, WorkError>, _ decided: Decided, goesOn: Bool,
        _ shared: SharedGroups
    ) {
        let isLate = state.read { $0.late.contains(decided.number) }
        switch decided.own {
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
        case .success: preconditionFailure("a worker of \(name) was answered as another one")
        }
    }

    private func unserved(_ worker: RequestNumber, _ settled: SettleReceipt?, goesOn: Bool) {
        let worker = state.write { $0.line.unserved(worker, settled: settled, goesOn: goesOn) }
        answerNothing(worker.map { [$0] } ?? [])
    }

    /// The order did not take the request of a worker.
    func failed(_ worker: RequestNumber, _ error: WorkError) {
        state.write { $0.line.failed(worker) }?.then(.failure(error))
    }

    /// Tells workers that wait that the group is gone.
    func endLine() {
        for worker in state.write({ $0.line.removeAll() }) {
            worker.then(.failure(.groupDeleted(name)))
        }
        count()
    }
}
