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
    ///
    /// - Parameter table: The leases that the group has: others are forgotten once they are the most.
    mutating func add(
        _ lease: GroupRequest.PassedLease, at time: Int64, in table: JobTable
    ) {
        if entries.count > 2 * table.leases.count + Limits.staleEntriesMax {
            entries.keep { table.end(of: $0.lease.token) == $0.lease.until }
        }
        entries.insert(Entry(at: time, lease: lease))
    }

    /// How many it has, those that are over included.
    var count: Int { entries.count }

    /// The leases whose time is over by `now`, as far as the group has them still. Each comes again a while
    /// later, as the request for it may be lost.
    mutating func takePassed(by now: Int64, in table: JobTable) -> [GroupRequest.PassedLease] {
        var passed: [GroupRequest.PassedLease] = []
        while passed.count < Limits.passedLeasesMax, let first = entries.first, first.at <= now {
            let lease = entries.removeFirst().lease
            guard table.end(of: lease.token) == lease.until else { continue }
            passed.append(lease)
        }
        for lease in passed { add(lease, at: now + Limits.passedAgainMicroseconds, in: table) }
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
