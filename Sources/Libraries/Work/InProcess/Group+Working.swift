internal import Topics

/// The whole loop of a worker.
extension Group {
    /// Takes one job after the other and has `body` do it, until the task is cancelled, or the bus
    /// drains or closes.
    ///
    /// Each job is settled with the outcome that `body` returns. If `body` throws, the job is tried
    /// again (``JobOutcome/retry``), and at once if its task was cancelled. Jobs are settled and
    /// taken in one commit. While `body` runs the lease is extended: a job may take as long as it
    /// needs. While the store has no room or fails, it asks again each second. A job that another
    /// worker got meanwhile is passed over.
    ///
    /// Every job that `body` has begun on is settled when this returns. For several jobs at once have
    /// several tasks call it, each with a name of its own or with none.
    ///
    /// - Parameters:
    ///   - worker: A name of this one loop, as of ``next(worker:for:wait:)``. With one, a job that a
    ///     crash interrupted comes again at the restart, not a lease later.
    ///   - isolation: The actor of the caller, which the compiler fills in.
    ///   - body: Runs in the task and on the actor of the caller.
    /// - Throws: ``WorkError``: an error of `next` or `settle` after which asking again would not
    ///   help.
    public func work(
        worker: String? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (LeasedJob) async throws -> JobOutcome
    ) async throws(WorkError) {
        var settlement: Settlement?
        while let job = try await follow(settlement, by: worker) {
            settlement = Settlement(await outcome(of: job, body).verb, lease: job.lease)
        }
    }

    /// Settles the last job, if there is one, and takes the next; nil if the worker is to stop.
    private func follow(
        _ settlement: Settlement?, by worker: String?
    ) async throws(WorkError) -> LeasedJob? {
        var settlement = settlement
        while true {
            do throws(WorkError) {
                if let last = settlement, Task.isCancelled {
                    settlement = nil
                    _ = try await WorkGroups.answer {
                        groups.settle(name, last, by: .process, then: $0)
                    }
                }
                return try await take(max: 1, worker, nil, nil, settling: settlement).first
            } catch {
                switch error {
                case .leaseLost where settlement != nil, .jobSettled, .jobDead:
                    settlement = nil
                case .leaseLost where Task.isCancelled: return nil
                case .bus(let refusal) where refusal.isPassing && !Task.isCancelled:
                    try? await Task.sleep(for: Limits.pauseAfterFailure)
                default: throw error
                }
            }
        }
    }

    private func outcome(
        of job: LeasedJob, isolation: isolated (any Actor)? = #isolation,
        _ body: (LeasedJob) async throws -> JobOutcome
    ) async -> JobOutcome {
        let extending = Task { await extend(job) }
        defer { extending.cancel() }
        do {
            return try await body(job)
        } catch {
            return Task.isCancelled ? .retry(after: .zero) : .retry
        }
    }

    /// Extends a job's lease again and again, until the task is cancelled or the job is lost.
    private func extend(_ job: LeasedJob) async {
        while let lease = try? groups.group(name).read({ Duration.microseconds($0.record.lease) }) {
            do {
                try await Task.sleep(for: lease / 3)
                try await extend(job, for: lease)
            } catch is CancellationError {
                return
            } catch WorkError.bus {
                continue
            } catch {
                return
            }
        }
    }
}

extension BusError {
    /// Whether the same may well be done a little later.
    fileprivate var isPassing: Bool {
        switch self {
        case .storeFull, .storeFailed, .storeUnreachable, .topicFull, .keysFull, .laterFull,
            .schedulesFull, .limit:
            true
        case .topicReserved, .typeReserved, .topicUnknown, .eventTooLarge, .batchTooLarge,
            .callerTopics, .keyDiffers, .conditionFailed, .scheduleOfAnother, .unanswered,
            .draining:
            false
        }
    }
}
