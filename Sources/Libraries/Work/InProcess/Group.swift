internal import Topics

/// One work group, by its name, for workers of this process.
///
/// A worker is a task that takes a job, does it, and settles it. As many tasks as wish work on one
/// group, and each job is in one worker's hands at a time:
///
/// ```swift
/// let mail = try await groups.group("mail", of: "jobs.mail")
/// try await withThrowingDiscardingTaskGroup { workers in
///     for number in 1...4 {
///         workers.addTask {
///             try await mail.work(worker: "w\(number)") { job in
///                 show(job.event.payload.text)
///                 return .done
///             }
///         }
///     }
/// }
/// ```
///
/// A value that holds its ``WorkGroups``. Where the group is removed and made again, it stands for the
/// new one. Every verb may be called from any task.
public struct Group: Sendable {
    /// The name that it goes by.
    public let name: GroupName
    let groups: WorkGroups

    // MARK: Jobs

    /// Takes a job, or waits for one.
    ///
    /// The workers that wait longest get jobs first; jobs that come again go before new ones. The job
    /// is this worker's until it is settled, or its lease has passed and another worker takes it.
    ///
    /// If the task is cancelled it waits no longer. A job that was decided for it meanwhile goes to
    /// the next worker, and the attempt does not count.
    ///
    /// - Parameters:
    ///   - worker: A name of one loop: 1 to 64 of `A-Z a-z 0-9 . _ -`. If it has a job, it gets that
    ///     again at once, as the next attempt. Nil for nobody in particular.
    ///   - length: How long the lease lasts, 1 s to 12 h; nil for the group's setting.
    ///   - wait: How long to wait for a job; nil for as long as it takes.
    /// - Returns: Nil where there was none in time, the task is cancelled, or the bus drains or closed.
    /// - Throws: ``WorkError``: ``WorkError/groupDeleted(_:)`` where the group goes meanwhile;
    ///   ``WorkError/workerReplaced(_:)`` where another task waits under the same name.
    public func next(
        worker: String? = nil, for length: Duration? = nil, wait: Duration? = nil
    ) async throws(WorkError) -> LeasedJob? {
        try await take(max: 1, worker, length, wait).first
    }

    /// Takes several jobs under one lease, or waits for the first of them.
    ///
    /// It waits like ``next(worker:for:wait:)``. A job that comes again comes alone, so that a job
    /// that breaks workers costs no other job an attempt. The rest of a batch stays its worker's
    /// while that one asks again, until the lease has passed.
    ///
    /// - Parameters:
    ///   - max: How many at most, 1 to 256; they have 256 KiB of payload at most, but are at least one.
    ///   - worker: A name of one loop; nil for nobody in particular.
    ///   - length: How long the lease lasts, 1 s to 12 h; nil for the group's setting.
    ///   - wait: How long to wait for a job; nil for as long as it takes.
    /// - Returns: None where there was none in time, the task is cancelled, or the bus drains or closed.
    public func next(
        max: Int, worker: String? = nil, for length: Duration? = nil, wait: Duration? = nil
    ) async throws(WorkError) -> [LeasedJob] {
        try await take(max: max, worker, length, wait)
    }

    /// Settles jobs first, if told to, and then takes jobs: in the same commit if a job is at hand.
    func take(
        max: Int, _ worker: String?, _ length: Duration?, _ wait: Duration?,
        settling settlement: Settlement? = nil
    ) async throws(WorkError) -> [LeasedJob] {
        if settlement == nil, Task.isCancelled { return [] }
        let isPatient = wait.map { $0 > .zero } ?? true
        let request = NextRequest(
            worker: try Self.checked(worker), settlement: settlement,
            lease: length?.wholeMicroseconds, countMax: max, waits: isPatient)
        // The groups wake nobody once they are gone.
        defer { withExtendedLifetime(groups) {} }
        let answer = try await TaskWait.answer(within: isPatient ? wait : nil) { then in
            let waiting = groups.next(name, request, by: .process, then: then)
            return { waiting.cancel() }
        }.get()
        guard let delivery = answer.delivery else { return [] }
        guard !Task.isCancelled else {
            await withCheckedContinuation { continuation in
                groups.giveBack(delivery.ticket) { continuation.resume() }
            }
            return []
        }
        return LeasedJob.all(of: delivery)
    }

    private static func checked(_ worker: String?) throws(WorkError) -> WorkerName? {
        guard let worker else { return nil }
        do throws(WorkNameError) {
            return try WorkerName(worker)
        } catch {
            throw .valueInvalid(error.description)
        }
    }

    /// Settles a job with its outcome. Any task may call it, a cancelled one too.
    ///
    /// It returns once that is committed. A worker whose lease has passed settles all the same while
    /// the job was handed to nobody else.
    ///
    /// - Throws: ``WorkError``: ``WorkError/leaseLost`` where the job is somebody else's by now, which
    ///   may be done twice; ``WorkError/jobSettled`` where it is settled already;
    ///   ``WorkError/jobDead(letter:topic:)`` where it became a dead letter meanwhile.
    @discardableResult
    public func settle(
        _ job: LeasedJob, _ outcome: JobOutcome
    ) async throws(WorkError) -> SettleReceipt {
        try await settle([job], outcome)
    }

    /// Settles several jobs of one batch with the same outcome, all in one commit.
    ///
    /// Otherwise it is like ``settle(_:_:)-(LeasedJob,_)``.
    ///
    /// - Precondition: One `next` handed them out together, and there is at least one.
    @discardableResult
    public func settle(
        _ jobs: [LeasedJob], _ outcome: JobOutcome
    ) async throws(WorkError) -> SettleReceipt {
        let lease = Self.lease(of: jobs)
        let settlement = Settlement(outcome.verb, lease: lease, only: jobs.map(\.event.id))
        return try await WorkGroups.answer {
            groups.settle(name, settlement, by: .process, then: $0)
        }
    }

    private static func lease(of jobs: [LeasedJob]) -> String {
        guard let lease = jobs.first?.lease, jobs.allSatisfy({ $0.lease == lease }) else {
            fatalError(
                "jobs that are settled together are at least one, of one batch: settle others apart"
            )
        }
        return lease
    }

    /// Has the lease of a job, and so of its whole batch, pass so long from now.
    ///
    /// - Parameters:
    ///   - job: A job whose lease it is.
    ///   - length: 1 s to 12 h.
    /// - Throws: ``WorkError``, as settling does; ``WorkError/limit(_:_:)`` where the lease has passed and
    ///   other jobs took its place among those that the group leases at once.
    public func extend(_ job: LeasedJob, for length: Duration) async throws(WorkError) {
        try await WorkGroups.answer {
            groups.extend(
                name, lease: job.lease, by: length.wholeMicroseconds, caller: .process, then: $0)
        }
    }
}
