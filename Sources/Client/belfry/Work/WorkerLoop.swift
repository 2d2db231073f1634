internal import BelfryClient
internal import Topics

/// One worker: takes a job, runs the program with it, and settles it with the request for the next
/// one.
struct WorkerLoop: Sendable {
    private let plan: WorkPlan
    private let shift: WorkShift
    /// The name under which the bus hands it a job again that an answer lost.
    private let worker: String

    init(_ plan: WorkPlan, _ shift: WorkShift, named worker: String) {
        self.plan = plan
        self.shift = shift
        self.worker = worker
    }

    /// Works until it is told to stop, or nothing more is to be done.
    func run() async throws(CommandFailure) {
        var settlement: ClientSettlement?
        do throws(CommandFailure) {
            while let job = try await next(&settlement) {
                guard !shift.watch.isStopping else {
                    settlement = job.settled(.retry(delay: 0))
                    break
                }
                settlement = plan.retry(of: job)
                settlement = try await work(job)
            }
        } catch {
            try? await settle(settlement)
            throw error
        }
        try await settle(settlement)
    }

    // MARK: Taking

    /// The next job; nil if there is to be none. Settles the one before first.
    private func next(
        _ settlement: inout ClientSettlement?
    ) async throws(CommandFailure) -> ClientJob? {
        while shift.takes() {
            do throws(ClientError) {
                let take = try await ask(settlement)
                shift.reached()
                if case .done? = settlement?.verb, let letter = take.deadLetter {
                    Output.say(
                        "the job before is a dead letter by now, \(letter): if it was done, do not "
                            + "revive it")
                }
                settlement = nil
                if let job = take.job { return tell(job) }
                shift.gotNone()
                if take.isCrowded {
                    try? await Task.sleep(for: .seconds(1))
                } else if plan.isUntilEmpty {
                    return nil
                }
            } catch {
                shift.gotNone()
                settlement = try recover(from: error, settlement)
            }
        }
        return nil
    }

    private func tell(_ job: ClientJob) -> ClientJob {
        if let gap = job.gap {
            Output.say(
                "the group missed events behind \(gap.after) up to \(gap.through): they were removed"
            )
        }
        return job
    }

    /// Asks for a job until there is an answer, or until it is time to stop.
    private func ask(_ settlement: ClientSettlement?) async throws(ClientError) -> ClientTake {
        let (plan, shift, worker) = (plan, shift, worker)
        let asking = Task { () -> Result<ClientTake, ClientError> in
            do throws(ClientError) {
                return .success(
                    try await plan.session.insist(while: { shift.isPatient }) {
                        () throws(ClientError) in
                        try await plan.group.next(
                            worker: worker, settling: settlement, of: plan.selector,
                            lease: plan.lease, wait: plan.isUntilEmpty ? 0 : Limits.waitMicroseconds
                        )
                    })
            } catch {
                return .failure(error)
            }
        }
        let wait = shift.watch.waits { asking.cancel() }
        defer { shift.watch.doneWaiting(wait) }
        return try await asking.value.get()
    }

    /// The settlement of the last job to send again, after a request with it failed; nil for none.
    private func recover(
        from error: ClientError, _ settlement: ClientSettlement?
    ) throws(CommandFailure) -> ClientSettlement? {
        // A settlement that the end of the wait left open is sent once more, alone.
        if shift.watch.isStopping, error.isOpen { return settlement }
        guard case .refused(let refusal) = error else { throw CommandFailure(error) }
        guard let settlement else {
            guard refusal.code == "GROUP_UNKNOWN" else { throw CommandFailure(error) }
            let name = plan.group.name
            throw CommandFailure(
                .nothing,
                "there is no group \(name): 'belfry group set \(name) --of SELECTOR' makes it, and so "
                    + "does a SELECTOR behind its name here")
        }
        return try replaced(settlement, refusal)
    }

    // MARK: Working

    private func work(_ job: ClientJob) async throws(CommandFailure) -> ClientSettlement {
        let extensions = Task { await extend(job) }
        defer { extensions.cancel() }
        let run = try await plan.program.run(
            for: job.event,
            [("ATTEMPT", "\(job.attempt)"), ("GROUP", plan.group.name), ("LEASE", job.lease)])
        let settlement = try plan.settlement(of: job, run)
        if case .done = settlement.verb { return settlement }
        let words = plan.words(of: run)
        guard case .retry = settlement.verb else { return settlement.because(words) }
        if shift.watch.isStopping { return job.settled(.retry(delay: 0)).because(words) }
        let group = try? await plan.group.description()
        let refusal = group.flatMap {
            job.isReplyWanted
                ? plan.refusal(of: job, words, attempts: $0.settings.attempts ?? .max) : nil
        }
        Output.say(
            "\(plan.how(run)) for job \(job.event.id), attempt \(job.attempt): "
                + (refusal == nil ? Self.fate(of: job, in: group) : "it is refused"))
        return (refusal ?? settlement).because(words)
    }

    /// The fate of a job that failed, in words.
    ///
    /// - Parameter group: Its group; nil if the bus does not tell it.
    private static func fate(of job: ClientJob, in group: ClientGroupDescription?) -> String {
        guard let group else { return "it comes again, if that was not its last attempt" }
        guard let dead = group.settings.dead?.topic, job.attempt >= group.settings.attempts ?? .max
        else { return "it comes again" }
        return "that was its last attempt, and it goes to \(dead)"
    }

    /// Extends the lease while the program runs. It goes on while the bus is away, which is therefore
    /// asked soon again.
    private func extend(_ job: ClientJob) async {
        var pause = plan.lease / 3
        while true {
            try? await Task.sleep(for: .microseconds(pause))
            guard !Task.isCancelled else { return }
            do throws(ClientError) {
                try await plan.group.extend(job.lease, by: plan.lease)
                pause = plan.lease / 3
            } catch {
                guard case .refused(let refusal) = error, !refusal.isPassing,
                    refusal.status != 507, !Task.isCancelled
                else {
                    pause = min(pause, Limits.extensionPauseMicroseconds)
                    continue
                }
                return Output.say("the lease of job \(job.event.id) ends: \(refusal)")
            }
        }
    }

    // MARK: Settling

    private func settle(_ settlement: ClientSettlement?) async throws(CommandFailure) {
        var left = settlement
        while let settlement = left {
            do throws(ClientError) {
                let (plan, shift) = (plan, shift)
                _ = try await plan.session.insist(while: { shift.isPatient }) {
                    () throws(ClientError) in try await plan.group.settle(settlement)
                }
                left = nil
            } catch {
                guard case .refused(let refusal) = error else { throw CommandFailure(error) }
                left = try replaced(settlement, refusal)
            }
        }
    }

    /// The settlement to send instead of one that the bus refused; nil for none.
    private func replaced(
        _ settlement: ClientSettlement, _ refusal: BusRefusal
    ) throws(CommandFailure) -> ClientSettlement? {
        switch (refusal.code, settlement.verb) {
        case ("JOB_SETTLED", _): return nil
        case ("LEASE_LOST", _), ("JOB_DEAD", _):
            Output.say("\(refusal)")
            return nil
        // It was refused already, or its asker has gone: there is nobody to tell.
        case ("PARAMETER_INVALID", .dead(refusal: _?)):
            return ClientSettlement(
                .retry(delay: nil), lease: settlement.lease, reason: settlement.reason)
        // Too much came out of it, or there is no place for dead letters that may take them.
        case ("EVENT_TOO_LARGE", .done), ("PARAMETER_INVALID", .dead), ("ACCESS_DENIED", .dead):
            Output.say("\(refusal): the job comes again")
            return ClientSettlement(
                .retry(delay: nil), lease: settlement.lease, reason: settlement.reason)
        default: throw CommandFailure(.refused(refusal))
        }
    }
}

extension ClientError {
    /// Whether the outcome of the request is unknown.
    fileprivate var isOpen: Bool {
        switch self {
        case .cancelled, .outcomeUnknown, .unreachable: true
        case .refused, .untrusted, .uncertified, .malformedAnswer, .unsendable: false
        }
    }
}
