internal import Topics

/// The turns of one group, which take its requests through changes of a ``GroupMachine``, one after
/// the other. Like that machine, it has no lock, no clock and no callback.
///
/// One change is under way at a time. Requests that come meanwhile wait, and the next change takes
/// many of them together. The owner asks for the next ``Step`` until there is none, performs each,
/// and reports the result.
struct GroupTransaction {
    var machine: GroupMachine
    private var queue = RequestQueue()
    var turn = Turn()
    /// The results of settlements whose requests now wait for a job.
    var settled: [RequestNumber: WorkAnswer.Settled] = [:]
    /// Whether waiting workers may get a job that was not there before.
    var isWorthALook = false
    /// Whether the next turn serves the workers that this one could read no more for; they do not
    /// rest.
    private var isPutOff = false
    /// Whether waiting workers rest until the next sweep, since the log or the store failed.
    private var isResting = false
    /// How many jobs become dead letters in one change; 1 after a change of several failed.
    private var burialsMax = Limits.burialsMax
    /// Why letters may not go, until the next sweep.
    var refusedLetters: WorkError?
    /// Whether a warning of a circle of letters was given since settings changed.
    var didTellCircle = false
    /// When leases got their full time anew the last time.
    var renewed = Int64.min / 2
    /// Whether the last turn wrote due dead letters: then requests go before the next ones.
    private var didBury = false
    /// Whether jobs that are due become dead letters at this moment.
    private var mayBury = true
    private(set) var isDraining = false
    private(set) var isRemoved = false

    init(_ machine: GroupMachine) {
        self.machine = machine
    }

    // MARK: Requests

    /// Takes a request; it is answered by a step to come.
    mutating func add(_ request: WorkRequest) { queue.append(request) }

    /// Lets a request wait no longer. It is answered all the same, with a job where one was decided.
    mutating func cancel(_ number: RequestNumber) {
        machine.line.change(number) { $0.leave() }
        if isQueued(number) || isTaken(number) { cancelled.insert(number) }
        isLeaving = true
    }

    private func isQueued(_ number: RequestNumber) -> Bool {
        guard let first = queue.first else { return false }
        return number >= first
    }

    /// Whether a request is part of the turn and was not looked at, since letters are read for it.
    private func isTaken(_ number: RequestNumber) -> Bool {
        guard case .awaiting(let awaited) = turn.stage,
            awaited == .letters || awaited == .recall
        else { return false }
        return turn.requests.contains { $0.number == number }
    }

    /// Requests that were to wait no longer before they were looked at.
    var cancelled: Set<RequestNumber> = []
    /// Whether somebody left the line since it was looked at.
    var isLeaving = false

    /// Takes the next request of an order that hosts share. Nothing but the state counts for its turns,
    /// which go on until there is no step.
    mutating func decide(_ request: WorkRequest) {
        (didBury, mayBury) = (false, true)
        add(request)
    }

    /// Lets no further job become a dead letter until the next request.
    mutating func endBurials() { mayBury = false }

    /// Notes that events may have come behind the reach, or that jobs may be due.
    mutating func look() { isWorthALook = true }

    /// Lets no request wait any more, from now on.
    mutating func drain() {
        isDraining = true
        isLeaving = true
    }

    /// Whether requests wait for jobs, or will.
    var hasWaiters: Bool { !machine.line.isEmpty || !queue.isEmpty }

    // MARK: The owner's part

    /// The next step for the owner; nil while it owes a result, and if there is nothing to do.
    mutating func step(now: Int64, room: GroupMachine.Room) -> Step? {
        if case .over = turn.stage { begin(now: now) }
        while true {
            switch turn.stage {
            case .over, .awaiting: return nil
            case .applying:
                if let step = recallWanted() ?? lettersWanted() { return step }
                if leavesLetters() { continue }
                apply()
                turn.stage = .serving
            case .serving:
                if let fetch = serve(in: room) { return fetch }
                turn.stage = .finishing
            case .finishing:
                if let change = machine.change(now: turn.now) {
                    turn.stage = .awaiting(.commit)
                    return .commit(change, turn.batches)
                }
                finish(.success([]), isCommitted: false)
            case .answering:
                defer { turn = Turn() }
                return .answer(turn.answers, turn.counts)
            }
        }
    }

    /// Takes the events that a fetch found in the log. After an error nothing is changed.
    mutating func supply(_ outcome: Result<GroupMachine.Supply, BusError>, now: Int64) {
        guard case .awaiting(let awaited) = turn.stage else { return }
        turn.pass(to: now)
        switch (outcome, awaited) {
        case (.success(let supply), .letters):
            turn.letters = supply.known
            turn.holdsStored = supply.isOfStore
            // The others are the next turn's.
            turn.burying.removeAll { supply.known[$0] == nil }
            keepFromCircling()
            turn.stage = .applying
        case (.success(let supply), _):
            turn.supply = supply
            turn.stage = .serving
        case (.failure(let error), _):
            finish(.failure(error), isCommitted: false)
        }
    }

    /// Takes the result of a commit.
    mutating func committed(_ outcome: Result<[PublishReceipt], BusError>, now: Int64) {
        guard case .awaiting(.commit) = turn.stage else { return }
        turn.pass(to: now)
        finish(outcome, isCommitted: true)
    }

    /// Has resting workers and refused letters tried again, and due jobs looked for; call it each
    /// second.
    mutating func sweep() {
        isResting = false
        refusedLetters = nil
        isWorthALook = true
    }

    // MARK: One turn

    private mutating func begin(now: Int64) {
        guard !isRemoved else { return refuseAll(.groupDeleted(machine.name)) }
        let hasMore = machine.advance(to: now)
        if isDraining { machine.line.changeAll { $0.leave() } }
        let buries = mayBury && !machine.table.dying.isEmpty && (!didBury || queue.isEmpty)
        let dying = buries ? machine.burials(countMax: burialsMax) : []
        let requests = buries ? [] : queue.take(countMax: Limits.requestsMax)
        let serves =
            ((isWorthALook || machine.isAtHand) && !isResting || isPutOff) && !machine.line.isEmpty
        guard !requests.isEmpty || !dying.isEmpty || serves || isLeaving else {
            isWorthALook = isWorthALook && hasMore
            return
        }
        didBury = buries
        if !buries {
            isWorthALook = hasMore
            isLeaving = false
        }
        machine.begin()
        turn.stage = .applying
        turn.now = now
        turn.requests = requests
        turn.tally = machine.record.tally
        turn.burying = dying.map(\.id)
    }

    private mutating func refuseAll(_ error: WorkError) {
        let waiting =
            machine.line.removeAll { _ in true }.map(\.number)
            + queue.takeAll().map(\.number)
        guard !waiting.isEmpty else { return }
        turn.stage = .answering
        turn.answers = waiting.map { WorkAnswer(number: $0, outcome: .failure(error)) }
    }

    private mutating func apply() {
        if machine.isShared {
            for id in turn.circling {
                machine.rest(id, until: turn.now + Limits.circleMicroseconds)
            }
        }
        if !turn.burying.isEmpty {
            let found = turn.letters.filter { turn.burying.contains($0.key) }
            for letter in machine.bury(found, now: turn.now) {
                write(letter, reason: .attempts)
            }
        }
        for request in turn.requests { apply(request) }
    }

    /// Serves waiting workers with the events that were read. Returns the next read, if one is
    /// needed.
    private mutating func serve(in room: GroupMachine.Room) -> Step? {
        guard turn.burying.isEmpty else { return nil }
        var mayRead = !turn.holdsStored
        if turn.rounds > 0 {
            let supply = turn.supply
            turn.supply = GroupMachine.Supply()
            let (grants, goesOn) = machine.serve(from: supply, in: room, now: turn.now)
            turn.grants += grants
            guard goesOn else { return nil }
            mayRead =
                turn.rounds < Limits.readsMax && !(supply.isOfStore && !grants.isEmpty)
        } else {
            isPutOff = false
            machine.line.changeAll { $0.awaitsMore = false }
        }
        let wants = machine.wants(in: room)
        guard !wants.isEmpty else { return nil }
        guard mayRead else {
            putOff()
            return nil
        }
        turn.rounds += 1
        turn.stage = .awaiting(.supply)
        return .fetch(
            Fetch(
                known: wants.known, needsAll: false, freshMax: wants.freshMax,
                position: machine.position))
    }

    /// Leaves workers that got nothing yet to the next turn: the log may still have jobs for them.
    private mutating func putOff() {
        guard !machine.isShared else {
            turn.counts.goesOn = true
            return
        }
        (isWorthALook, isPutOff) = (true, true)
        machine.line.changeAll { $0.awaitsMore = !$0.isServed && !$0.hasLeft }
    }

    // MARK: Its end

    private mutating func finish(
        _ outcome: Result<[PublishReceipt], BusError>, isCommitted: Bool
    ) {
        switch outcome {
        case .success(let receipts):
            let isRemoving = turn.requests.contains {
                if case .remove = $0.verb { true } else { false }
            }
            machine.keep(isCommitted: isCommitted)
            if !turn.burying.isEmpty {
                burialsMax = Limits.burialsMax
                turn.counts.buried = turn.burying
            }
            refuseCircling()
            rememberLetters(receipts)
            hand(receipts)
            if isRemoving { isRemoved = true }
        case .failure(let error):
            machine.undo()
            fail(error)
        }
        turn.stage = .answering
    }

    private mutating func hand(_ receipts: [PublishReceipt]) {
        if let receipt = receipts.last, let request = turn.requests.first,
            case .done(.publish)? = request.settlement?.what.verb
        {
            settled[request.number]?.published = receipt
            turn.answers = turn.answers.map { $0.published(receipt) }
        }
        for grant in turn.grants {
            machine.line.remove(grant.number)
            let settled = settled.removeValue(forKey: grant.number)
            answer(grant.number, .success(.delivery(grant, settled)))
            for job in grant.jobs { turn.counts.taken.append((job.event.time, job.attempt)) }
        }
        for entry in machine.line.removeAll(where: { !$0.stays }) {
            let settled = settled.removeValue(forKey: entry.number)
            answer(entry.number, .success(.nothing(settled)))
        }
        turn.counts.ended = machine.record.tally - turn.tally
    }

    private mutating func fail(_ error: BusError) {
        // A topic may have refused a batch, which says nothing of the store: other requests go on.
        if turn.burying.isEmpty, turn.batches.isEmpty { (isResting, isPutOff) = (true, false) }
        renew(after: error)
        turn.counts = Counts()
        let replaced = turn.answers.filter { answer in
            !turn.requests.contains { $0.number == answer.number }
        }
        turn.answers = []
        for request in turn.requests {
            machine.line.remove(request.number)
            settled[request.number] = nil
            cancelled.remove(request.number)
            answer(request.number, .failure(.bus(error)))
        }
        turn.answers += replaced
        // Requests that left meanwhile, or that only look for a job, do not wait for the store.
        machine.line.changeAll { $0.awaitsMore = $0.awaitsMore && isPutOff }
        for entry in machine.line.removeAll(where: { !$0.stays }) {
            let settled = settled.removeValue(forKey: entry.number)
            // Nobody knows whether there is a job for a request that only looked.
            let isUnknown = settled == nil && !entry.hasLeft
            answer(entry.number, isUnknown ? .failure(.bus(error)) : .success(.nothing(settled)))
        }
        guard !turn.burying.isEmpty else { return }
        if turn.burying.count > 1 {
            burialsMax = 1
        } else {
            machine.refuse(
                turn.burying[0], error.description,
                due: turn.now + Limits.burialMicroseconds)
        }
    }
}
