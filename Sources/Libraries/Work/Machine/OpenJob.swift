internal import Topics

/// One open job in memory.
struct OpenJob {
    /// The queue of a job that is due.
    enum Queue {
        /// To be handed out again.
        case again
        /// To become a dead letter.
        case dying
    }

    let topic: TopicName
    /// Its key, where the group is ordered by key.
    let key: String?
    /// How often it was handed out.
    var attempt: Int
    /// The lease that it is under; it stays valid until the job is handed on.
    var lease: LeaseToken?
    /// How long that lease lasts in all, in microseconds.
    var length: Int64 = 0
    /// When its lease passes, or it may be handed out, in microseconds of the ``BootClock``.
    var due: Int64
    /// The queue that it is in since it is due; nil if it is in none.
    var queue: Queue?
    /// When its event became visible; nil where only the log knows.
    var visible: Timestamp?
    /// Whether the dead topic did not take it.
    var isRefused = false
    /// Why its last attempt failed, in the words of the worker: the reason of the letter that it becomes.
    var words: String?
    /// Whether it may become a dead letter however often it was one: the dead topic is another by now.
    var mayCircle = false
    /// The time of its one entry in the agenda that counts.
    var scheduled: Int64?

    /// Whether its lease keeps others away.
    var isLeased: Bool { lease != nil && queue == nil && !isRefused }
}

/// The lease of one worker on some jobs, until it passes.
struct Lease {
    /// Its jobs that are open still, ids rising.
    var jobs: [EventID]
    /// How long it lasts in all, in microseconds: so long from a boot of the machine on.
    var length: Int64
    /// The worker; nil where it gave no name.
    let holder: Holder?
    /// The identity of the caller that has it.
    let caller: String?
}

extension Lease {
    /// A lease as a store retained it, without its jobs.
    init(_ lease: JobLease) {
        let holder = lease.worker.map { Holder(worker: $0, caller: lease.caller ?? "") }
        self.init(jobs: [], length: lease.length, holder: holder, caller: lease.caller)
    }
}

/// The leases of one worker: mostly one, beside it those with the rest of batches.
struct HeldLeases {
    private(set) var first: LeaseToken
    /// Without any this takes no memory of its own.
    private(set) var others: [LeaseToken] = []

    init(first: LeaseToken) { self.first = first }

    var all: [LeaseToken] { [first] + others }

    mutating func insert(_ token: LeaseToken) {
        if token != first, !others.contains(token) { others.append(token) }
    }

    /// Takes a lease out; false where it was the last one, and stays.
    mutating func remove(_ token: LeaseToken) -> Bool {
        guard token == first else {
            others.removeAll { $0 == token }
            return true
        }
        guard let next = others.popLast() else { return false }
        first = next
        return true
    }
}

/// A worker with a name: two callers with one name are two workers.
struct Holder: Hashable {
    let worker: String
    let caller: String

    // Few callers share a name, and each look-up would hash both.
    func hash(into hasher: inout Hasher) { hasher.combine(worker) }
}
