internal import Topics

/// The open jobs of a group, the leases that they are under, and the keys that they keep busy; with
/// a record of the change under way, by which that can be undone.
///
/// Jobs and leases change through ``put(_:at:)`` and ``set(_:at:)`` alone, so that orders, queues and
/// counts always agree with them.
struct JobTable {
    private(set) var jobs: [EventID: OpenJob] = [:]
    /// The ids of all jobs.
    private(set) var order = SortedIDs()
    /// Jobs that go to the next worker.
    private(set) var again = SortedIDs()
    /// Jobs that go to the dead topic.
    private(set) var dying = SortedIDs()
    private(set) var leases: [LeaseToken: Lease] = [:]
    /// The leases of workers with a name.
    private(set) var holders: [Holder: HeldLeases] = [:]
    var keyQueues = KeyQueues()
    /// Jobs whose lease keeps others away.
    private(set) var leasedCount = 0
    /// Whether a lease passes by time. Else somebody has to say that it has.
    private let leasesPass: Bool
    private var agenda = Agenda()
    private var journal: Journal?

    /// The old values before each step of the change under way. The first entry of a job is its
    /// value before the change.
    private struct Journal {
        var jobs: [Replaced] = []
        var leases: [(token: LeaseToken, lease: Lease?)] = []
    }

    /// A job as it was before a step; nil if there was none.
    struct Replaced {
        let id: EventID
        let job: OpenJob?
    }

    /// A table without jobs.
    init(leasesPass: Bool = true) { self.leasesPass = leasesPass }

    /// Jobs as a store retained them, ids rising: leases and delays go on, and none lasts longer from
    /// now on than it did at first.
    ///
    /// - Complexity: O(jobs).
    init(_ rows: [JobRecord], now: Int64, leasesPass: Bool = true) {
        self.leasesPass = leasesPass
        var (ids, entries) = ([EventID](), [Agenda.Entry]())
        // Of those with a key, most may be parked.
        let openMin = rows.count { $0.key == nil }
        ids.reserveCapacity(openMin)
        entries.reserveCapacity(openMin)
        jobs.reserveCapacity(openMin)
        // Jobs of a batch mostly lie together.
        var last: (token: LeaseToken, lease: Lease)?
        for row in rows {
            if let key = row.key {
                guard !keyQueues.isBusy(key) else {
                    keyQueues.park(KeyQueues.Parked(id: row.id, topic: row.topic), behind: key)
                    continue
                }
                keyQueues.open(key)
            }
            var job = OpenJob(topic: row.topic, key: row.key, attempt: row.attempt, due: now)
            job.due = min(row.until, now + row.state.span)
            if case .leased(let lease) = row.state {
                job.lease = lease.token
                job.length = lease.length
                leasedCount += 1
                if last?.token != lease.token {
                    if let last { load(last.lease, at: last.token) }
                    last = (lease.token, Lease(lease))
                }
                last?.lease.jobs.append(row.id)
            }
            if leasesPass || job.lease == nil {
                job.scheduled = job.due
                entries.append(Agenda.Entry(time: job.due, id: row.id))
            }
            jobs[row.id] = job
            ids.append(row.id)
        }
        if let last { load(last.lease, at: last.token) }
        order = SortedIDs(rising: ids)
        agenda.rebuild(entries)
        keyQueues.keep()
    }

    /// Takes a lease over, or more of its jobs.
    private mutating func load(_ lease: Lease, at token: LeaseToken) {
        if leases[token] == nil { leases[token] = lease } else { leases[token]?.jobs += lease.jobs }
        if let holder = lease.holder { note(token, of: holder) }
    }

    // MARK: Workers with a name

    /// The jobs that a worker has, ids rising.
    func jobs(of holder: Holder) -> [EventID] {
        guard let held = holders[holder] else { return [] }
        guard !held.others.isEmpty else { return leases[held.first]?.jobs ?? [] }
        return held.all.flatMap { leases[$0]?.jobs ?? [] }.sorted()
    }

    private mutating func note(_ token: LeaseToken, of holder: Holder) {
        holders[holder, default: HeldLeases(first: token)].insert(token)
    }

    // MARK: Changing

    /// Sets a job, or takes it out.
    mutating func put(_ new: OpenJob?, at id: EventID) {
        var new = new
        if let due = new?.due, new?.queue == nil, leasesPass || new?.lease == nil,
            new?.scheduled.map({ due < $0 }) ?? true
        {
            agenda.insert(id, at: due)
            new?.scheduled = due
        }
        let old: OpenJob?
        if let new {
            old = jobs.updateValue(new, forKey: id)
            if old == nil { order.insert(id) }
        } else {
            old = jobs.removeValue(forKey: id)
            if old != nil { order.remove(id) }
        }
        journal?.jobs.append(Replaced(id: id, job: old))
        leasedCount += (new?.isLeased == true ? 1 : 0) - (old?.isLeased == true ? 1 : 0)
        if old?.queue != new?.queue {
            switch old?.queue {
            case .again: again.remove(id)
            case .dying: dying.remove(id)
            case nil: break
            }
            switch new?.queue {
            case .again: again.insert(id)
            case .dying: dying.insert(id)
            case nil: break
            }
        }
    }

    /// Sets a lease, or ends it.
    mutating func set(_ new: Lease?, at token: LeaseToken) {
        let old =
            if let new { leases.updateValue(new, forKey: token) } else {
                leases.removeValue(forKey: token)
            }
        journal?.leases.append((token, old))
        if let holder = old?.holder, holder != new?.holder,
            let place = holders.index(forKey: holder), !holders.values[place].remove(token)
        {
            holders.remove(at: place)
        }
        if let holder = new?.holder { note(token, of: holder) }
    }

    /// Takes a job out of its lease, which ends with its last one; the job itself stays as it is.
    mutating func release(_ id: EventID, from token: LeaseToken) {
        guard var lease = leases[token] else { return }
        if lease.jobs.count == 1, lease.jobs[0] == id { return set(nil, at: token) }
        lease.jobs.removeAll { $0 == id }
        set(lease.jobs.isEmpty ? nil : lease, at: token)
    }

    /// Queues jobs that are due, some of them at a time. Returns whether more are.
    mutating func advance(to now: Int64, isDying: (OpenJob) -> Bool) -> Bool {
        if agenda.isStale(with: jobs.count) {
            agenda.rebuild(
                jobs.compactMap { id, job in
                    job.scheduled.map { Agenda.Entry(time: $0, id: id) }
                })
        }
        for _ in 0..<Limits.dueJobsMax {
            guard let entry = agenda.next(by: now) else { return false }
            guard var job = jobs[entry.id], job.scheduled == entry.time else { continue }
            job.scheduled = nil
            if job.queue == nil, job.due <= now, leasesPass || job.lease == nil {
                job.queue = isDying(job) ? .dying : .again
            }
            put(job, at: entry.id)
        }
        return agenda.first.map { $0 <= now } ?? false
    }

    /// When the next job is due, or earlier; nil where no time makes one due.
    var nextDue: Int64? { agenda.first }

    /// Queues the queued jobs anew, by other settings.
    mutating func requeue(isDying: (OpenJob) -> Bool) {
        for id in again.ids + dying.ids {
            guard var job = jobs[id] else { continue }
            job.queue = isDying(job) ? .dying : .again
            put(job, at: id)
        }
    }

    // MARK: One change

    /// Begins a change that can be undone.
    mutating func begin() { journal = Journal() }

    /// The jobs that were changed, added or removed since ``begin()``: each once, as it was; ids
    /// rise.
    var replaced: [Replaced] {
        guard let steps = journal?.jobs else { return [] }
        // Only places are moved: a job is large.
        let places = steps.indices.sorted {
            (steps[$0].id, $0) < (steps[$1].id, $1)
        }
        var first: [Replaced] = []
        first.reserveCapacity(places.count)
        for place in places where first.last?.id != steps[place].id {
            first.append(steps[place])
        }
        return first
    }

    /// Makes the change stay.
    mutating func keep() {
        journal = nil
        keyQueues.keep()
    }

    /// Takes the change back.
    mutating func undo() {
        guard let journal else { return }
        self.journal = nil
        let leases = Dictionary(
            journal.leases.map { ($0.token, $0.lease) }, uniquingKeysWith: { first, _ in first })
        for token in leases.keys { set(nil, at: token) }
        for case (let token, let lease?) in leases { set(lease, at: token) }
        for step in journal.jobs.reversed() {
            var job = step.job
            // Its entry in the agenda may have been taken.
            job?.scheduled = nil
            put(job, at: step.id)
        }
        keyQueues.undo()
    }
}
