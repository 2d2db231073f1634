internal import Protection
internal import Topics

/// One group: its turns under a lock, and the performing of their steps.
///
/// One thread at a time drives it: the first one that comes while none does. That is a thread of a
/// requester, a thread that commits, or the one for long reads. Nothing is read, committed or
/// answered under the lock.
final class WorkGroup: Sendable {
    let name: GroupName
    let number: GroupNumber
    let selector: Selector
    let filter: EventFilter
    let owner: UInt32?
    let replies: Bool
    let parts: WorkParts
    /// Keeps its read of many topics from one turn to the next.
    let place = GroupReadCursor()
    let state: Protected<State>

    /// The callback that an answer goes to.
    enum Recipient {
        case next(@Sendable (Result<NextAnswer, WorkError>) -> Void)
        case settle(@Sendable (Result<SettleReceipt, WorkError>) -> Void)
        case plain(@Sendable (Result<Void, WorkError>) -> Void)

        func fail(_ error: WorkError) {
            switch self {
            case .next(let then): then(.failure(error))
            case .settle(let then): then(.failure(error))
            case .plain(let then): then(.failure(error))
            }
        }
    }

    struct State {
        var turns: GroupTransaction
        /// The workers of this host, and leases that may pass, on an order that hosts share.
        var line = LocalLine()
        var watch = LeaseWatch()
        /// When jobs were asked to become dead letters, there.
        var burialsAsked = Int64.min / 2
        var calls: [RequestNumber: Recipient] = [:]
        /// Requests that brought a reply nobody waits for any more.
        var late: Set<RequestNumber> = []
        var number: RequestNumber = 0
        var isDriven = false
        var isListening = false
        /// When a worker asked last.
        var asked = Int64.min / 2
        /// The first id that topics hold for it, as the bus was told last.
        var heldFrom: EventID?
        /// Its jobs, letters and waiting requests, as they were last counted in the shares.
        var open = 0
        var parked = 0
        var letters = 0
        var waiting = 0
        /// Room for the events that the turn under way has read from the store.
        var room: ReadRoom?

        /// The first id that topics are to hold by now, if a change moved it.
        mutating func takeHold() -> EventID? {
            guard !turns.isRemoved else { return nil }
            let now = turns.machine.heldFrom
            guard now != heldFrom else { return nil }
            heldFrom = now
            return now
        }

        /// The growth of its waiting requests alone.
        mutating func takeWaitingGrowth() -> JobQuota.Growth {
            let now = turns.machine.line.count + line.count
            defer { waiting = now }
            return JobQuota.Growth(open: 0, parked: 0, letters: 0, waiting: now - waiting)
        }

        /// The growth of its counts since they were last taken for the shares.
        mutating func takeGrowth() -> JobQuota.Growth {
            let table = turns.machine.table
            let open = turns.isRemoved ? 0 : table.jobs.count
            let parked = turns.isRemoved ? 0 : table.keyQueues.parkedCount
            let letters = turns.isRemoved ? 0 : turns.machine.letters.count
            defer { (self.open, self.parked, self.letters) = (open, parked, letters) }
            return JobQuota.Growth(
                open: open - self.open, parked: parked - self.parked,
                letters: letters - self.letters, waiting: takeWaitingGrowth().waiting)
        }
    }

    init(_ machine: GroupMachine, _ parts: WorkParts) {
        name = machine.name
        number = machine.number
        selector = machine.selector
        filter = machine.filter
        owner = machine.record.owner
        replies = machine.record.replies
        self.parts = parts
        var begin = State(turns: GroupTransaction(machine))
        let growth = begin.takeGrowth()
        state = Protected(begin)
        parts.quota.count(owner, growth)
    }

    /// Memory of the group in bytes, without its jobs and waiting requests.
    var bytes: Int { JobQuota.bytes(of: selector, filter, replies: replies) }

    // MARK: Requests

    /// Takes a request and drives the group, or leaves the driving to `groupBatch`.
    @discardableResult
    func add(
        _ verb: WorkRequest.Verb, for user: UInt32?, _ call: Recipient,
        in groupBatch: GroupBatch? = nil
    ) -> RequestNumber {
        if let shared = parts.shared { return ask(shared, verb, for: user, call) }
        let now = parts.clock()
        let (number, isDriven) = state.write { state in
            state.number += 1
            state.calls[state.number] = call
            if case .next = verb { state.asked = now }
            state.turns.add(WorkRequest(number: state.number, verb: verb))
            return (state.number, state.isDriven)
        }
        // The thread that drives it takes the request along.
        if isDriven { return number }
        if let groupBatch { groupBatch.add(self) } else { drive() }
        return number
    }

    /// Lets a request wait no longer.
    func cancel(_ number: RequestNumber) {
        if parts.shared != nil { return cancelWaiting(number) }
        state.write { state in
            if state.calls[number] != nil { state.turns.cancel(number) }
        }
        drive()
    }

    /// Wakes it, since an event became visible that may be a job of its own.
    func look() {
        if parts.shared != nil { return lookShared() }
        let isWaitedFor = state.write { state in
            state.turns.look()
            guard !state.turns.hasWaiters else { return true }
            if state.isListening {
                state.isListening = false
                parts.hub.ignore(self)
            }
            return false
        }
        if isWaitedFor { drive() }
    }

    /// Applies leases and retries that are due, and serves workers that rest; called each second.
    func sweep() {
        if let shared = parts.shared { return sweep(shared) }
        state.write { $0.turns.sweep() }
        drive()
    }

    /// Lets no request wait any more.
    func drain() {
        if parts.shared != nil { return drainLine() }
        state.write { $0.turns.drain() }
        drive()
    }

    /// Looks at the machine.
    func read<Value>(_ body: (GroupMachine) -> Value) -> Value {
        state.read { body($0.turns.machine) }
    }

    /// Whether a worker is there: one waits, has a job, or asked a moment ago.
    func hasWorker(now: Int64) -> Bool {
        state.read { state in
            let machine = state.turns.machine
            return !machine.line.isEmpty || !state.line.isEmpty || machine.table.leasedCount > 0
                || now - state.asked < Limits.responderMicroseconds
        }
    }

    // MARK: Driving

    /// Takes its turns further, unless another thread does.
    func drive() {
        let isFirst = state.write { state in
            defer { state.isDriven = true }
            return !state.isDriven
        }
        if isFirst { goOn() }
    }

    private func goOn() {
        for _ in 0..<Limits.drivenStepsMax {
            guard let step = nextStep() else { return }
            perform(step)
        }
        parts.thread.run(for: owner) { self.goOn() }
    }

    private func nextStep() -> GroupTransaction.Step? {
        let now = parts.clock()
        let parked = state.read { $0.parked }
        let room = parts.quota.room(for: owner, parked: parked)
        let (step, growth, heldFrom) = state.write { state in
            let step = state.turns.step(now: now, room: room)
            if state.turns.hasWaiters, !state.isListening, !state.turns.isRemoved {
                // It listens before the log is read: events that are admitted behind the read wake
                // it.
                state.isListening = true
                parts.hub.listen(self)
            }
            if step == nil { state.isDriven = false }
            let isTold = if case .answer? = step { true } else { false }
            return (step, state.takeGrowth(), isTold ? state.takeHold() : nil)
        }
        if let heldFrom { parts.bus.setHeld(group: number, from: heldFrom) }
        parts.quota.count(owner, growth)
        return step
    }

    private func perform(_ step: GroupTransaction.Step) {
        switch step {
        case .fetch(let fetch):
            let room = state.write { $0.room.take() }
            GroupRead(self).supply(fetch, in: room) { outcome, room in
                let now = self.parts.clock()
                self.state.write { state in
                    state.room = room
                    state.turns.supply(outcome, now: now)
                }
                self.drive()
            }
        case .judge(let question):
            let verdict = parts.letters.verdict(on: question)
            state.write { $0.turns.judged(verdict) }
        case .recall(let dead):
            let read = GroupRead(Selector(dead), .all, for: StoreClient(user: owner), parts)
            read.letters(of: name, in: dead) { outcome in
                self.state.write { $0.turns.recalled(outcome) }
                self.drive()
            }
        case .commit(let change, let batches):
            state.read { $0.room }?.settle()
            parts.bus.commit(change, publishing: batches) { outcome in
                let now = self.parts.clock()
                self.state.write { $0.turns.committed(outcome, now: now) }
                self.drive()
            }
        case .answer(let answers, let counts): give(answers, counts)
        }
    }

    // MARK: Answers

    private func give(_ answers: [WorkAnswer], _ counts: GroupTransaction.Counts) {
        let now = parts.bus.now
        // The time at which the clock of leases was at zero.
        let origin = now.advanced(microseconds: -parts.clock())
        parts.meters.count(counts, now: now)
        for id in counts.buried { refuse(id, nil) }
        if let id = counts.circling {
            parts.log.warning("the group \(name): \(WorkError.lettersCircle(id))")
        }
        for delivery in counts.deliveries { deliver(delivery) }
        var rooms = takeRooms(for: answers)
        for answer in answers {
            let (call, isLate) = state.write { state in
                let isLate = state.late.remove(answer.number) != nil
                return (state.calls.removeValue(forKey: answer.number), isLate)
            }
            let room = rooms.removeValue(forKey: answer.number)
            if let call { give(answer.outcome, in: room, to: call, isLate: isLate, origin) }
        }
        if state.read({ $0.turns.isRemoved && $0.isListening }) {
            state.write { $0.isListening = false }
            parts.hub.ignore(self)
        }
    }

    /// Divides the room of a turn that is over among its hand-outs.
    private func takeRooms(for answers: [WorkAnswer]) -> [RequestNumber: ReadRoom] {
        guard let room = state.write({ $0.room.take() }) else { return [:] }
        var rooms: [RequestNumber: ReadRoom] = [:]
        for answer in answers {
            guard case .success(.delivery(let grant, _)) = answer.outcome else { continue }
            rooms[answer.number] = room.part(of: grant.jobs.map(\.event))
        }
        return rooms
    }

    func give(
        _ outcome: Result<WorkAnswer.Outcome, WorkError>, in room: ReadRoom?,
        to call: Recipient, isLate: Bool, _ origin: Timestamp
    ) {
        switch (outcome, call) {
        case (.failure(let error), _): call.fail(error)
        case (.success(.nothing(let settled)), .next(let then)):
            then(.success(NextAnswer(delivery: nil, settled: settled.map { receipt($0, isLate) })))
        case (.success(.delivery(let grant, let settled)), .next(let then)):
            let settled = settled.map { receipt($0, isLate) }
            // A commit may have taken a while, and the lease has run since before.
            let deadline = origin.advanced(microseconds: grant.until)
            let delivery = delivery(grant, in: room, until: deadline)
            then(.success(NextAnswer(delivery: delivery, settled: settled)))
        case (.success(.settled(let settled)), .settle(let then)):
            then(.success(receipt(settled, isLate)))
        case (.success(.done), .plain(let then)): then(.success(()))
        case (.success, _):
            preconditionFailure("a request to the group \(name) was answered as another one")
        }
    }

    /// - Parameter deadline: When the lease passes, for people.
    func delivery(
        _ grant: GroupMachine.LeasedJobs, in room: ReadRoom?, until deadline: Timestamp
    ) -> JobDelivery {
        let jobs = grant.jobs.map { job in
            JobDelivery.Job(
                event: job.event, attempt: job.attempt,
                isReplyWanted: replies && parts.replies.isAwaited(job.event.id))
        }
        return JobDelivery(
            lease: grant.lease.text, deadline: deadline, jobs: jobs, gap: grant.gap, room: room,
            ticket: JobDelivery.Ticket(group: name, token: grant.lease.token, gap: grant.gap))
    }

    func receipt(_ settled: WorkAnswer.Settled, _ isLate: Bool) -> SettleReceipt {
        SettleReceipt(
            count: settled.ids.count, isRepeated: settled.isRepeated, isLate: isLate,
            deadLetter: settled.deadLetter, published: settled.published)
    }

    /// Delivers a reply, now that its settlement is committed; the request that settled may still
    /// wait.
    func deliver(_ delivery: WorkDelivery) {
        switch delivery.end {
        case .done:
            for id in delivery.ids { _ = answer(id, Reply(.empty, contentType: nil)) }
        case .reply(let reply):
            var isLate = false
            for id in delivery.ids where !answer(id, reply) { isLate = true }
            // The requester may wait at another host.
            guard isLate, parts.shared == nil else { return }
            parts.meters.late.add()
            _ = state.write { $0.late.insert(delivery.number) }
        case .refusal(let reply):
            for id in delivery.ids { refuse(id, reply) }
        }
    }

    private func answer(_ id: EventID, _ reply: Reply) -> Bool {
        let own = Reply(reply.payload, contentType: reply.contentType, request: id)
        return parts.replies.take(id)?.finish(.success(own)) ?? false
    }

    func refuse(_ id: EventID, _ reply: Reply?) {
        guard replies else { return }
        let own = reply.map { Reply($0.payload, contentType: $0.contentType, request: id) }
        parts.replies.take(id)?.finish(.failure(.replyRefused(own)))
    }
}
