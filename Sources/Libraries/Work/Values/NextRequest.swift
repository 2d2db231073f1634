package import Topics

/// A worker's request for a job, which may settle jobs that it had before.
package struct NextRequest: Sendable {
    /// The worker; nil for nobody in particular.
    package var worker: WorkerName?
    /// The settlement to perform first, in the same commit.
    package var settlement: Settlement?
    /// How long its lease is to last, in microseconds; nil for the group's setting.
    package var lease: Int64?
    /// How many jobs at most, 1 to 256, all under one lease.
    package var countMax: Int
    /// Whether to wait where there is no job.
    package var waits: Bool
    /// Whether it is refused with ``WorkError/leaseLost`` where the job that it settles went to another
    /// loop of its worker, instead of getting that job again at once.
    package var isPatient = false

    /// A request for one job.
    package init(
        worker: WorkerName? = nil, settlement: Settlement? = nil, lease: Int64? = nil,
        countMax: Int = 1, waits: Bool = true
    ) {
        self.worker = worker
        self.settlement = settlement
        self.lease = lease
        self.countMax = countMax
        self.waits = waits
    }
}

extension NextRequest {
    /// Checks the values that the caller may choose.
    func check() throws(WorkError) {
        if let lease { try Self.check(lease: lease) }
        guard Limits.batchJobs.contains(countMax) else {
            throw .valueInvalid("a batch has 1 to 256 jobs, not \(countMax)")
        }
        try settlement?.check()
    }

    static func check(lease: Int64) throws(WorkError) {
        guard GroupSettings.leaseRange.contains(lease) else {
            throw .valueInvalid("a lease lasts 1 s to 12 h")
        }
    }
}

/// The answer to a worker's request for a job.
package struct NextAnswer: Sendable {
    /// The jobs that it gets; nil if there were none, or it was not to wait longer.
    package let delivery: JobDelivery?
    /// The result of the settlement that the request had; nil if it had none.
    package let settled: SettleReceipt?
}

/// Jobs that are one worker's until their lease passes and they are handed on.
package struct JobDelivery: Sendable {
    /// The lease that settles them, as text of at most 64 bytes.
    package let lease: String
    /// When the lease passes, by the bus's clock. Nothing goes by it: it is for people.
    package let deadline: Timestamp
    /// The jobs, ids rising; at least one, and one alone where it comes again.
    package let jobs: [Job]
    /// The range of events that the group missed and told nobody yet.
    package let gap: Gap?
    /// Counts the memory of events from the store until nobody has this any more.
    let room: ReadRoom?
    /// The ticket by which it is given back.
    package let ticket: Ticket

    /// A ticket that gives jobs back, without their events.
    package struct Ticket: Sendable {
        let group: GroupName
        let token: LeaseToken
        let gap: Gap?
    }

    /// One job of a worker.
    package struct Job: Sendable {
        /// The event that the worker is to handle.
        package let event: Event
        /// How often it was handed out, this time included.
        package let attempt: Int
        /// Whether somebody waits for the reply.
        package let isReplyWanted: Bool
    }
}
