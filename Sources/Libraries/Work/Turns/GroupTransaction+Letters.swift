internal import Topics

/// How a turn comes to the events of jobs that become dead letters: whether these may go is asked
/// first, each time.
extension GroupTransaction {
    /// Asks whether letters may go, and then for the events of their jobs; each once.
    mutating func lettersWanted() -> Step? {
        guard turn.letters.isEmpty else { return nil }
        let known = dying
        guard !known.isEmpty else { return nil }
        switch turn.verdict {
        case .failure?: return nil
        case .success?:
            turn.stage = .awaiting(.letters)
            return .fetch(
                Fetch(
                    known: known, needsAll: turn.burying.isEmpty, freshMax: 0,
                    position: machine.position))
        case nil: return judgement()
        }
    }

    /// The question whether letters may go; nil where it was answered a moment ago.
    private mutating func judgement() -> Step? {
        // Thousands of jobs may be due to become letters: one refusal holds for all of them.
        if let refusedLetters, !turn.burying.isEmpty {
            turn.verdict = .failure(refusedLetters)
            return nil
        }
        guard let dead = machine.record.dead else {
            preconditionFailure("\(machine.name) writes dead letters without a dead topic")
        }
        // Rules are of one host, and are asked where a request comes from.
        if machine.isShared {
            turn.verdict = .success(())
            return lettersWanted()
        }
        turn.stage = .awaiting(.verdict)
        return .judge(machine.question(of: dead))
    }

    /// The jobs that become dead letters by this turn.
    private var dying: [(id: EventID, topic: TopicName)] {
        var ids = turn.burying
        if let (settlement, _) = turn.requests.first?.settlement, case .dead = settlement.verb,
            machine.record.dead != nil,
            case .valid(_, let meant) = machine.state(of: settlement.lease, only: settlement.only)
        {
            ids = meant
        }
        return ids.compactMap { id in machine.table.jobs[id].map { (id, $0.topic) } }
    }

    /// Takes the verdict on letters that are about to go.
    mutating func judged(_ verdict: LetterVerdict) {
        guard case .awaiting(.verdict) = turn.stage else { return }
        turn.stage = .applying
        switch verdict {
        case .allowed: turn.verdict = .success(())
        case .refused(let why): refuseLetters(.lettersRefused(why))
        case .unsure(let why): refuseLetters(.lettersUnjudged(why))
        }
    }

    /// Leaves jobs open that were dead letters too often. If a worker asked for the letters,
    /// nothing of its request is done.
    mutating func keepFromCircling() {
        let circling = turn.letters.filter { machine.isCircling($0.key, $0.value) }.keys.sorted()
        guard let first = circling.first else { return }
        guard !turn.burying.isEmpty else {
            turn.verdict = .failure(.lettersCircle(first))
            return
        }
        turn.circling = circling
        turn.burying.removeAll { circling.contains($0) }
    }

    /// Has jobs rest that were dead letters too often. Not within a change.
    mutating func refuseCircling() {
        guard let first = turn.circling.first else { return }
        if !machine.isShared {
            for id in turn.circling {
                machine.refuse(
                    id, WorkError.lettersCircle(id).description,
                    due: turn.now + Limits.circleMicroseconds)
            }
        }
        if !didTellCircle { turn.counts.circling = first }
        didTellCircle = true
    }

    /// Has a letter be part of the commit.
    mutating func write(_ letter: GroupMachine.Letter, reason: GroupMachine.Reason) {
        turn.batches.append(machine.batch(of: letter, reason: reason))
        turn.dead.append((letter.event.id, letter.lease))
    }

    // MARK: Letters that are in the log

    /// Remembers the letters that the turn has written.
    mutating func rememberLetters(_ receipts: [PublishReceipt]) {
        for (dead, (batch, receipt)) in zip(turn.dead, zip(turn.batches, receipts)) {
            machine.letters.add(
                NewestLetters.Entry(
                    job: dead.job, letter: receipt.first, topic: batch.topic, lease: dead.lease))
        }
    }

    /// Asks once for the letters of before the start, if a request is about settled jobs: those may
    /// have become letters.
    mutating func recallWanted() -> Step? {
        guard turn.recall == nil, !machine.letters.isWhole,
            let dead = machine.record.dead, turn.requests.contains(where: isSettled)
        else { return nil }
        turn.stage = .awaiting(.recall)
        return .recall(dead)
    }

    /// Whether a request is about jobs that are settled.
    private func isSettled(_ request: WorkRequest) -> Bool {
        if case .extend(let lease, _) = request.verb {
            return machine.state(of: lease, only: nil) == .settled
        }
        guard let (settlement, _) = request.settlement else { return false }
        return machine.state(of: settlement.lease, only: settlement.only) == .settled
    }

    /// Takes the letters that the dead topic has, oldest first. After an error another turn asks
    /// again.
    mutating func recalled(_ outcome: Result<[NewestLetters.Entry], BusError>) {
        guard case .awaiting(.recall) = turn.stage else { return }
        if case .success(let entries) = outcome { machine.letters.recall(entries) }
        turn.recall = outcome.map { _ in }
        turn.stage = .applying
    }

    /// How settled jobs ended, as their worker is told. Where the dead topic could not be read,
    /// nobody knows whether they are letters, and the worker asks the same again.
    func end(of lease: String, only: [EventID]?) -> WorkError {
        let end = machine.end(of: lease, only: only)
        guard case .jobSettled = end, case .failure(let error)? = turn.recall else { return end }
        return .bus(error)
    }

    private mutating func refuseLetters(_ error: WorkError) {
        turn.verdict = .failure(error)
        refusedLetters = error
    }

    /// Leaves jobs open that were to become letters and may not, each with the reason. Returns
    /// whether it did: then the turn does nothing else.
    mutating func leavesLetters() -> Bool {
        guard !turn.burying.isEmpty, case .failure(let error)? = turn.verdict else {
            return false
        }
        machine.undo()
        for id in turn.burying {
            machine.refuse(id, error.description, due: turn.now + Limits.burialMicroseconds)
        }
        turn.stage = .answering
        return true
    }
}
