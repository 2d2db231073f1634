internal import Topics

/// Settling jobs, extending leases, and giving jobs back.
extension GroupMachine {
    /// The state of a lease, for the jobs that a request means.
    enum LeaseState: Equatable {
        /// Valid: these of its jobs are meant and open.
        case valid(LeaseToken, [EventID])
        /// All jobs that are meant are settled.
        case settled
        /// A job that is meant is somebody else's, or was given back; or the lease never was.
        case lost
    }

    /// The outcome for jobs that were to be settled.
    enum Outcome: Equatable {
        /// These were settled now.
        case settled([EventID])
        case repeated
        case lost
    }

    /// How a worker ends its part.
    enum Ending {
        case done
        /// The job comes again after so many microseconds; nil for its ``RetryDelay``. The
        /// reason counts if there is no further attempt.
        case retry(delay: Int64?, reason: String? = nil)
        /// With letters to the dead topic, or without; these jobs have no event any more.
        case dead(gone: Set<EventID>)
    }

    /// Looks a lease up.
    ///
    /// Of a lease that is over only its text says which jobs it had. A batch tells no more than a
    /// range, and so counts as lost where any job of that range is open: then nothing is taken for
    /// settled that is not.
    func state(of text: String, only: [EventID]?) -> LeaseState {
        guard let lease = LeaseText(text), lease.group == number,
            lease.epoch == record.epoch & LeaseText.epochMax,
            lease.ids.upperBound <= record.reach
        else { return .lost }
        if let only, only.contains(where: { !lease.ids.contains($0) }) { return .lost }
        if let jobs = table.leases[lease.token]?.jobs {
            guard let only else { return .valid(lease.token, jobs) }
            let meant = jobs.filter(only.contains)
            if only.contains(where: { table.jobs[$0] != nil && !meant.contains($0) }) {
                return .lost
            }
            return meant.isEmpty ? .settled : .valid(lease.token, meant)
        }
        let isOpen = only?.contains { table.jobs[$0] != nil } ?? table.order.hasAny(of: lease.ids)
        return isOpen ? .lost : .settled
    }

    /// How jobs ended that are settled, as their worker is told. Of a batch, whose text tells no more
    /// than a range, the newest letter of that range counts.
    func end(of text: String, only: [EventID]?) -> WorkError {
        guard let ids = LeaseText(text)?.ids,
            let entry = letters.newest(where: { only?.contains($0.job) ?? ids.contains($0.job) })
        else { return .jobSettled }
        return .jobDead(letter: entry.letter, topic: entry.topic)
    }

    /// The newest letter of jobs that a lease had and that died under it, while others of its batch are
    /// settled by it.
    func letter(under text: String, only: [EventID]?) -> EventID? {
        guard letters.count > 0, let lease = LeaseText(text) else { return nil }
        return letters.newest {
            $0.lease == lease.token && only?.contains($0.job) ?? true
        }?.letter
    }

    /// Ends a worker's part in jobs of a lease.
    mutating func settle(
        _ text: String, only: [EventID]?, _ ending: Ending, now: Int64
    ) -> Outcome {
        switch state(of: text, only: only) {
        case .lost: return .lost
        case .settled: return .repeated
        case .valid(let token, let ids):
            for id in ids { settle(id, of: token, ending, now: now) }
            return .settled(ids)
        }
    }

    private mutating func settle(
        _ id: EventID, of token: LeaseToken, _ ending: Ending, now: Int64
    ) {
        switch ending {
        case .done: close(id, now: now, \.done)
        case .dead(let gone):
            if gone.contains(id) { lose(id, now: now) } else { close(id, now: now, \.dead) }
        case .retry(let delay, let reason):
            guard var job = table.jobs[id] else { return }
            table.release(id, from: token)
            job.words = isDying(job) ? reason : nil
            let delay =
                isDying(job)
                ? 0 : delay ?? RetryDelay.microseconds(after: job.attempt, of: id, in: name)
            job.lease = nil
            job.isRefused = false
            job.due = now + delay
            job.queue = delay == 0 ? queue(of: job) : nil
            table.put(job, at: id)
        }
    }

    /// Lets a lease pass so long from now. Returns false where the jobs that it would keep are more
    /// than the group hands out at once.
    mutating func extend(_ token: LeaseToken, by microseconds: Int64, now: Int64) -> Bool {
        guard var lease = table.leases[token] else { return false }
        let free = lease.jobs.count { table.jobs[$0]?.isLeased == false }
        guard table.leasedCount + free <= record.inFlightMax || free == 0 else { return false }
        lease.length = max(lease.length, microseconds)
        table.set(lease, at: token)
        for id in lease.jobs {
            guard var job = table.jobs[id] else { continue }
            let isSame = isShared && job.due == now + microseconds
            // Its end names it for hosts that say that it has passed, and the time of an order may stand
            // still.
            job.due = now + microseconds + (isSame ? 1 : 0)
            job.queue = nil
            job.isRefused = false
            job.length = lease.length
            table.put(job, at: id)
        }
        return true
    }

    /// Takes in that the time of a lease has passed. Nothing changes where it was extended since. It stays
    /// valid until its jobs are handed on.
    mutating func expire(_ passed: GroupRequest.PassedLease) {
        for id in table.leases[passed.token]?.jobs ?? [] {
            guard var job = table.jobs[id], job.queue == nil, job.due == passed.until else {
                continue
            }
            job.due = Limits.passed
            job.queue = queue(of: job)
            table.put(job, at: id)
        }
    }

    /// Gives every lease its full time anew. Not within a change.
    mutating func renewLeases(now: Int64) {
        for lease in table.leases.values {
            for id in lease.jobs {
                guard var job = table.jobs[id] else { continue }
                job.due = max(job.due, now + lease.length)
                job.queue = nil
                table.put(job, at: id)
            }
        }
    }

    /// Gives back a hand-out that nobody learned of: its jobs go to the next worker, and it does
    /// not count.
    ///
    /// - Returns: Whether the lease was still valid.
    mutating func giveBack(_ token: LeaseToken, telling gap: Gap?, now: Int64) -> Bool {
        if let gap { miss(gap) }
        guard let lease = table.leases[token] else { return false }
        table.set(nil, at: token)
        for id in lease.jobs {
            guard var job = table.jobs[id] else { continue }
            job.lease = nil
            job.attempt = max(0, job.attempt - 1)
            job.isRefused = false
            job.due = now
            job.queue = queue(of: job)
            table.put(job, at: id)
        }
        return true
    }
}
