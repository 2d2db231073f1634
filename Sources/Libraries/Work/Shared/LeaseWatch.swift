internal import Topics

/// When this host says that leases of one group have passed, on an order that hosts share. It counts the
/// time of each from when it learned of it: by its own clock, so later than the worker does.
struct LeaseWatch {
    private struct Entry: Comparable {
        let at: Int64
        let lease: GroupRequest.PassedLease

        static func < (left: Entry, right: Entry) -> Bool { left.at < right.at }
        static func == (left: Entry, right: Entry) -> Bool { left.at == right.at }
    }

    private var entries = Heap<Entry>()

    /// Notes a lease, and when its time is over.
    mutating func add(_ lease: GroupRequest.PassedLease, at time: Int64) {
        entries.insert(Entry(at: time, lease: lease))
    }

    /// The leases whose time is over by `now`, as far as the group has them still. Each comes again a while
    /// later, as the request for it may be lost.
    mutating func takePassed(by now: Int64, in table: JobTable) -> [GroupRequest.PassedLease] {
        var passed: [GroupRequest.PassedLease] = []
        while passed.count < Limits.passedLeasesMax, let first = entries.first, first.at <= now {
            let lease = entries.removeFirst().lease
            guard let end = table.end(of: lease.token), end == lease.until else { continue }
            passed.append(lease)
        }
        for lease in passed { add(lease, at: now + Limits.passedAgainMicroseconds) }
        return passed
    }
}

extension JobTable {
    /// The end of a lease, by the time of the order; nil where it is over.
    func end(of token: LeaseToken) -> Int64? {
        guard let id = leases[token]?.jobs.first, let job = jobs[id], job.queue == nil else {
            return nil
        }
        return job.due
    }
}
