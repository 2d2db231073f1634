internal import Topics

/// The requests to one group, taken through changes one after the other: a machine around
/// ``GroupMachine``, without lock, clock or callback too.
///
/// One change is under way at a time. What comes meanwhile waits and is part of the next one, many
/// requests together. Whoever owns it asks for the next ``Step`` until there is none, performs each,
/// and says what came of it.
struct GroupTurns {
    var machine: GroupMachine
    private var queue = RequestQueue()
    var turn: Turn?
    /// What requests settled that wait for a job by now.
    var settled: [RequestNumber: WorkAnswer.Settled] = [:]
    /// Whether whoever waits may get something that it could not before.
    var isWorthALook = false
    /// Whether some are served by the next turn that this one had no room for, and do not rest.
    private var isPutOff = false
    /// Whether those who wait do so until the next sweep, since the log or the store failed.
    private var isResting = false
    /// Jobs that become dead letters together, which one that is refused makes fewer.
    private var burialsMax = Limits.burialsMax
    /// Why letters may not go, until the next sweep.
    var refusedLetters: WorkError?
    /// Whether it was told that letters go in a circle, since settings changed.
    var didTellCircle = false
    /// When leases got their full time anew the last time.
    var renewed = Int64.min / 2
    /// Whether requests go before the next dead letters.
    private var didBury = false
    private(set) var isDraining = false
    private(set) var isRemoved = false

    init(_ machine: GroupMachine) {
        self.machine = machine
    }

    // MARK: What comes

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
        guard let turn, case .awaiting(let awaited) = turn.stage,
            awaited == .letters || awaited == .recall
        else { return false }
        return turn.requests.contains { $0.number == number }
    }

    /// Requests that were to wait no longer before they were looked at.
    var cancelled: Set<RequestNumber> = []
    /// Whether somebody left the line since it was looked at.
    var isLeaving = false

    /// Something may have come behind the reach, or is due.
    mutating func look() { isWorthALook = true }

    /// Nobody waits any more.
    mutating func drain() {
        isDraining = true
        isLeaving = true
    }

    /// Whether requests wait for jobs, or will.
    var hasWaiters: Bool { !machine.line.isEmpty || !queue.isEmpty }

    // MARK: The owner's part

    /// What is to be done next; nil while the owner is to say something, and where nothing is.
    mutating func step(
        now: Int64, room: GroupMachine.Room, mint: () -> LeaseToken
    ) -> Step? {
        if turn == nil { begin(now: now) }
        while let stage = turn?.stage {
            switch stage {
            case .awaiting: return nil
            case .applying:
                if let step = recallWanted() ?? lettersWanted() { return step }
                if leavesLetters(now: now) { continue }
                apply(now: now)
                turn?.stage = .serving
            case .serving:
                if let fetch = serve(in: room, now: now, mint: mint) { return fetch }
                turn?.stage = .finishing
            case .finishing:
                let batches = turn?.batches ?? []
                if let change = machine.change(now: now) {
                    turn?.stage = .awaiting(.commit)
                    return .commit(change, batches)
                }
                finish(.success([]), isCommitted: false, now: now)
            case .answering:
                let (answers, counts) = (turn?.answers ?? [], turn?.counts ?? Counts())
                turn = nil
                return .answer(answers, counts)
            }
        }
        return nil
    }

    /// What the log has of what was fetched; after an error nothing is changed.
    mutating func supply(_ outcome: Result<GroupMachine.Supply, BusError>, now: Int64) {
        guard case .awaiting(let awaited)? = turn?.stage else { return }
        switch (outcome, awaited) {
        case (.success(let supply), .letters):
            turn?.letters = supply.known
            turn?.holdsStored = supply.isOfStore
            // The others are the next turn's.
            turn?.burying.removeAll { supply.known[$0] == nil }
            keepFromCircling()
            turn?.stage = .applying
        case (.success(let supply), _):
            turn?.supply = supply
            turn?.stage = .serving
        case (.failure(let error), _):
            finish(.failure(error), isCommitted: false, now: now)
        }
    }

    /// What became of a commit.
    mutating func committed(_ outcome: Result<[PublishReceipt], BusError>, now: Int64) {
        finish(outcome, isCommitted: true, now: now)
    }

    /// Looks after what time brings; call it each second.
    mutating func sweep() {
        isResting = false
        refusedLetters = nil
        isWorthALook = true
    }

    // MARK: One turn

    private mutating func begin(now: Int64) {
        guard turn == nil else { return }
        guard !isRemoved else { return refuseAll(.groupDeleted(machine.name)) }
        let hasMore = machine.advance(to: now)
        if isDraining { machine.line.changeAll { $0.leave() } }
        let buries = !machine.table.dying.isEmpty && (!didBury || queue.isEmpty)
        let dying = buries ? machine.burials(countMax: burialsMax) : []
        let requests = buries ? [] : queue.take(countMax: Limits.requestsMax)
        let isAtHand =
            !machine.table.again.isEmpty
            && machine.table.leasedCount < machine.record.inFlightMax
        let serves =
            ((isWorthALook || isAtHand) && !isResting || isPutOff) && !machine.line.isEmpty
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
        turn = Turn(stage: .applying, requests: requests, tally: machine.record.tally)
        turn?.burying = dying.map(\.id)
    }

    private mutating func refuseAll(_ error: WorkError) {
        let waiting =
            machine.line.removeAll { _ in true }.map(\.number)
            + queue.takeAll().map(\.number)
        guard !waiting.isEmpty else { return }
        turn = Turn(stage: .answering, requests: [], tally: machine.record.tally)
        turn?.answers = waiting.map { WorkAnswer(number: $0, outcome: .failure(error)) }
    }

    private mutating func apply(now: Int64) {
        guard let turn else { return }
        if !turn.burying.isEmpty {
            let found = turn.letters.filter { turn.burying.contains($0.key) }
            for letter in machine.bury(found, now: now) {
                write(letter, reason: .attempts)
            }
        }
        for request in turn.requests { apply(request, now: now) }
    }

    /// Serves whoever waits as far as the log was asked; returns what else to ask for.
    private mutating func serve(
        in room: GroupMachine.Room, now: Int64, mint: () -> LeaseToken
    ) -> Step? {
        guard let turn, turn.burying.isEmpty else { return nil }
        var mayRead = !turn.holdsStored
        if turn.rounds > 0 {
            let (grants, goesOn) = machine.serve(
                from: turn.supply, in: room, now: now, mint: mint)
            self.turn?.grants += grants
            self.turn?.supply = GroupMachine.Supply()
            guard goesOn else { return nil }
            mayRead =
                turn.rounds < Limits.readsMax && !(turn.supply.isOfStore && !grants.isEmpty)
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
        self.turn?.rounds += 1
        self.turn?.stage = .awaiting(.supply)
        return .fetch(
            Fetch(
                known: wants.known, needsAll: false, freshMax: wants.freshMax,
                position: machine.position))
    }

    /// Leaves it to the next turn to serve those who got nothing yet: nobody can say that there is no
    /// job for them.
    private mutating func putOff() {
        (isWorthALook, isPutOff) = (true, true)
        machine.line.changeAll { $0.awaitsMore = !$0.isServed && !$0.hasLeft }
    }

    // MARK: Its end

    private mutating func finish(
        _ outcome: Result<[PublishReceipt], BusError>, isCommitted: Bool, now: Int64
    ) {
        guard let turn else { return }
        switch outcome {
        case .success(let receipts):
            let isRemoving = turn.requests.contains {
                if case .remove = $0.verb { true } else { false }
            }
            machine.keep(isCommitted: isCommitted)
            if !turn.burying.isEmpty {
                burialsMax = Limits.burialsMax
                self.turn?.counts.buried = turn.burying
            }
            refuseCircling(now: now)
            remember(turn, receipts)
            hand(turn, receipts)
            if isRemoving { isRemoved = true }
        case .failure(let error):
            machine.undo()
            fail(turn, error, now: now)
        }
        self.turn?.stage = .answering
    }

    private mutating func hand(_ turn: Turn, _ receipts: [PublishReceipt]) {
        var answers = turn.answers
        if let receipt = receipts.last, let request = turn.requests.first,
            case .done(.publish)? = request.settlement?.what.verb
        {
            settled[request.number]?.published = receipt
            answers = answers.map { $0.published(receipt) }
        }
        for grant in turn.grants {
            machine.line.remove(grant.number)
            let settled = settled.removeValue(forKey: grant.number)
            answers.append(
                WorkAnswer(number: grant.number, outcome: .success(.handout(grant, settled))))
            self.turn?.counts.taken += grant.jobs.map { ($0.event.time, $0.attempt) }
        }
        for entry in machine.line.removeAll(where: { !$0.stays }) {
            let settled = settled.removeValue(forKey: entry.number)
            answers.append(
                WorkAnswer(number: entry.number, outcome: .success(.nothing(settled))))
        }
        self.turn?.answers = answers
        self.turn?.counts.ended = machine.record.tally - turn.tally
    }

    private mutating func fail(_ turn: Turn, _ error: BusError, now: Int64) {
        // What a topic refused says nothing of the store: others go on.
        if turn.burying.isEmpty, turn.batches.isEmpty { (isResting, isPutOff) = (true, false) }
        renew(after: error, now: now)
        self.turn?.counts = Counts()
        self.turn?.answers = turn.requests.map { request in
            machine.line.remove(request.number)
            settled[request.number] = nil
            cancelled.remove(request.number)
            return WorkAnswer(number: request.number, outcome: .failure(.bus(error)))
        }
        let replaced = turn.answers.filter { answer in
            !turn.requests.contains { $0.number == answer.number }
        }
        self.turn?.answers += replaced
        // Whoever left the line meanwhile does not wait for the store, nor does who only looks.
        machine.line.changeAll { $0.awaitsMore = $0.awaitsMore && isPutOff }
        for entry in machine.line.removeAll(where: { !$0.stays }) {
            let settled = settled.removeValue(forKey: entry.number)
            // Nobody knows whether there is a job for who looked only.
            let isUnknown = settled == nil && !entry.hasLeft
            answer(entry.number, isUnknown ? .failure(.bus(error)) : .success(.nothing(settled)))
        }
        guard !turn.burying.isEmpty else { return }
        if turn.burying.count > 1 {
            burialsMax = 1
        } else {
            machine.refuse(
                turn.burying[0], error.description, due: now + Limits.burialMicroseconds)
        }
    }
}
