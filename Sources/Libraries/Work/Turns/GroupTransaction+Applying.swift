internal import Topics

/// How each request changes the machine, within a turn.
extension GroupTransaction {
    /// Performs the operation of a request.
    mutating func apply(_ request: WorkRequest) {
        let now = turn.now
        let number = request.number
        switch request.verb {
        case .next(let next):
            if let settlement = next.settlement {
                switch settle(settlement, of: request) {
                case .success(let done): settled[number] = done
                // Hosts that share an order give jobs alike, whether or not each can read old letters.
                case .failure(.bus) where machine.isShared: fallthrough
                case .failure(.jobSettled):
                    settled[number] = WorkAnswer.Settled(ids: [], isRepeated: true)
                case .failure(.jobDead(let letter, _)):
                    settled[number] = WorkAnswer.Settled(
                        ids: [], isRepeated: true, deadLetter: letter)
                case .failure(.leaseLost) where !next.isPatient && machine.hasJobs(next.holder):
                    break
                case .failure(let error):
                    cancelled.remove(number)
                    return answer(number, .failure(error))
                }
            }
            let isCancelled = cancelled.remove(number) != nil
            let isOver = isDraining || isCancelled
            var entry = GroupLine.Entry(
                number: number, holder: next.holder, caller: next.caller, length: next.length,
                countMax: next.countMax, token: next.token, waits: next.waits)
            if isOver { entry.leave() }
            if let replaced = machine.enter(entry, now: now), let holder = next.holder {
                settled[replaced] = nil
                answer(replaced, .failure(.workerReplaced(holder.worker)))
            }
        case .settle(let settlement, _):
            let outcome = settle(settlement, of: request)
            answer(number, outcome.map { .settled($0) })
        case .extend(let lease, let microseconds):
            answer(number, extend(lease, by: microseconds))
        case .giveBack(let token, let gap):
            _ = machine.giveBack(token, telling: gap, now: now)
            answer(number, .success(.done))
        case .set(let wish, let caller):
            refusedLetters = nil
            didTellCircle = false
            answer(number, machine.set(wish, by: caller).map { .done })
        case .seek(let position, let gap):
            machine.seek(to: position, missing: gap)
            answer(number, .success(.done))
        case .remove:
            machine.remove()
            answer(number, .success(.done))
        case .expire(let leases):
            for lease in leases { machine.expire(lease) }
            answer(number, .success(.done))
        case .bury: answer(number, .success(.done))
        }
    }

    /// Answers a request when the turn is over.
    mutating func answer(
        _ number: RequestNumber, _ outcome: Result<WorkAnswer.Outcome, WorkError>
    ) {
        turn.answers.append(WorkAnswer(number: number, outcome: outcome))
    }

    private mutating func settle(
        _ settlement: Settlement, of request: WorkRequest
    ) -> Result<WorkAnswer.Settled, WorkError> {
        let (ending, reply): (GroupMachine.Ending, WorkDelivery.End?)
        switch settlement.verb {
        case .done(.reply(let body)):
            guard machine.record.replies else { return .failure(.repliesNot(machine.name)) }
            (ending, reply) = (.done, .reply(body))
        case .done(let output):
            if case .publish(let batch) = output,
                case .valid = machine.state(of: settlement.lease, only: settlement.only)
            {
                turn.batches.append(batch)
            }
            (ending, reply) = (.done, machine.record.replies ? .done : nil)
        case .retry(let delay):
            (ending, reply) = (.retry(delay: delay, reason: settlement.reason), nil)
        case .dead(let body):
            guard machine.record.dead != nil || request.settlement?.isReplyAwaited == true else {
                return .failure(.deadMissing(machine.name))
            }
            if case .failure(let error)? = turn.verdict { return .failure(error) }
            (ending, reply) = (.dead(gone: writeLetters(settlement)), .refusal(body))
        }
        let outcome = machine.settle(
            settlement.lease, only: settlement.only, ending, now: turn.now)
        switch outcome {
        case .settled(let ids):
            if case .retry = ending { turn.counts.retried += ids.count }
            if let reply {
                turn.counts.deliveries.append(
                    WorkDelivery(number: request.number, ids: ids, end: reply))
            }
            let letter = machine.letter(under: settlement.lease, only: settlement.only)
            return .success(WorkAnswer.Settled(ids: ids, deadLetter: letter))
        case .repeated: return .failure(end(of: settlement.lease, only: settlement.only))
        case .lost:
            turn.counts.lost += 1
            return .failure(.leaseLost)
        }
    }

    /// Gives leases their full time again after the store failed, since nobody could settle
    /// meanwhile.
    mutating func renew(after error: BusError) {
        switch error {
        case .storeFull, .storeFailed: break
        default: return
        }
        guard turn.now - renewed >= Limits.renewalMicroseconds else { return }
        renewed = turn.now
        machine.renewLeases(now: turn.now)
    }

    /// Writes the dead letters of jobs that a worker ends as dead. Returns jobs without an event.
    private mutating func writeLetters(_ settlement: Settlement) -> Set<EventID> {
        guard machine.record.dead != nil,
            case .valid(_, let ids) = machine.state(of: settlement.lease, only: settlement.only)
        else { return [] }
        var gone: Set<EventID> = []
        for id in ids {
            switch turn.letters[id] {
            case .event(let event), .over(let event):
                let attempts = machine.table.jobs[id]?.attempt ?? 0
                let letter = GroupMachine.Letter(
                    event: event, attempts: attempts, words: settlement.reason)
                write(letter, reason: .worker)
            case .gone, nil: gone.insert(id)
            }
        }
        return gone
    }

    private mutating func extend(
        _ lease: String, by microseconds: Int64
    ) -> Result<WorkAnswer.Outcome, WorkError> {
        switch machine.state(of: lease, only: nil) {
        case .settled: return .failure(end(of: lease, only: nil))
        case .lost:
            turn.counts.lost += 1
            return .failure(.leaseLost)
        case .valid(let token, _):
            guard machine.extend(token, by: microseconds, now: turn.now) else {
                return .failure(
                    .limit(
                        .inFlight,
                        "the lease has passed, and the group hands out "
                            + "\(machine.record.inFlightMax) jobs at once at most: settle the job"))
            }
            return .success(.done)
        }
    }
}
