package import Topics

/// A worker's request for a job, which may settle what it had before.
package struct NextRequest: Sendable {
    /// The worker; nil for nobody in particular.
    package var worker: WorkerName?
    /// What to settle first, in the same commit.
    package var settlement: Settlement?
    /// How long its lease is to last, in microseconds; nil for what the group says.
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
    /// Checks what the caller may choose.
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

/// What a worker's request came to.
package struct NextAnswer: Sendable {
    /// What it is to do; nil where there was nothing, or it was not to wait longer.
    package let handout: Handout?
    /// What became of the settlement that the request had; nil if it had none.
    package let settled: SettleReceipt?
}

/// Jobs that are one worker's until their lease passes and they are handed on.
package struct Handout: Sendable {
    /// What settles them, as text of at most 64 bytes.
    package let lease: String
    /// When the lease passes, by the bus's clock. Nothing goes by it: it is for people.
    package let deadline: Timestamp
    /// The jobs, ids rising; at least one, and one alone where it comes again.
    package let jobs: [Job]
    /// What the group missed, and nobody was told yet.
    package let gap: Gap?
    /// Counts what only the store had until nobody has this any more.
    let room: ReadRoom?
    /// What it is given back by.
    package let ticket: Ticket

    /// What gives jobs back, without what they are.
    package struct Ticket: Sendable {
        let group: GroupName
        let token: LeaseToken
        let gap: Gap?
    }

    /// One job of a worker.
    package struct Job: Sendable {
        /// What is to be done.
        package let event: Event
        /// How often it was handed out, this time included.
        package let attempt: Int
        /// Whether somebody waits for the reply.
        package let isReplyWanted: Bool
    }
}
