internal import Topics

/// One work group as a machine: no lock, no clock, no callback.
///
/// ``GroupTransaction`` owns it and takes it through changes, one at a time. A change is ``begin()``,
/// then operations, then ``change(now:)`` for the store to keep, and ``keep()`` or ``undo()``.
/// Between them it is given the events of the log. Times are microseconds of the ``BootClock``,
/// which nobody sets; `now` never falls.
///
/// On an order that hosts share, times are those of the order, and a lease passes once somebody says
/// so. All that later changes follow from is in the record and in the rows of jobs, so a host that
/// starts anew decides as others do.
///
/// The record and the jobs that are open or parked are durable. Everything else follows from them
/// and the log.
struct GroupMachine {
    let number: GroupNumber
    let name: GroupName
    let selector: Selector
    let filter: EventFilter
    /// Whether hosts share the order that it is on.
    let isShared: Bool
    var record: GroupRecord
    /// The record as the store has it.
    private(set) var committed: GroupRecord
    var table: JobTable
    var line = GroupLine()
    /// The range of events that it missed and told nobody yet.
    private(set) var untold: Gap?
    /// Why the dead topic did not take jobs that are open still.
    private(set) var refusals: [EventID: String] = [:]
    /// The newest dead letters, with the jobs that they were.
    var letters = NewestLetters(isWhole: true)
    private var before: Before?

    /// The state before the change under way, beside the changes that the table itself undoes.
    private struct Before {
        let record: GroupRecord
        let untold: Gap?
        /// The jobs as they were, where all of them are forgotten.
        var table: JobTable?
        /// Whether settings changed, which survive a restart even if progress does not.
        var isSetting = false
        var isRemoving = false
        /// Whether the reach went past an event of the bus. Without a commit, topics would hold the event until the next
        /// job.
        var hasPassedBy = false
    }

    /// A group that nothing has happened to; its record is to be committed first.
    init(
        _ number: GroupNumber, _ name: GroupName, _ selector: Selector, _ record: GroupRecord,
        isShared: Bool = false
    ) {
        self.number = number
        self.isShared = isShared
        table = JobTable(leasesPass: !isShared)
        self.name = name
        self.selector = selector
        self.record = record
        committed = record
        filter = record.settings.filter
    }

    /// A group as a store retained it: leases and delays go on.
    init(
        _ stored: StoredGroup, _ name: GroupName, _ selector: Selector, now: Int64,
        newest: EventID
    ) {
        self.init(stored.number, name, selector, stored.record)
        guard record.persists else {
            restart(at: newest)
            return
        }
        letters = NewestLetters(isWhole: record.dead == nil || record.tally.dead == 0)
        table = JobTable(stored.jobs, now: now)
    }

    /// A group on an order that hosts share, as the replica has it.
    init(shared stored: StoredGroup, _ name: GroupName, _ selector: Selector) {
        self.init(stored.number, name, selector, stored.record, isShared: true)
        letters = NewestLetters(isWhole: record.dead == nil || record.tally.dead == 0)
        table = JobTable(stored.jobs, now: .max / 2, leasesPass: false)
        for id in table.order.ids {
            guard var job = table.jobs[id], job.lease != nil, job.due == Limits.passed else {
                continue
            }
            job.queue = queue(of: job)
            table.put(job, at: id)
        }
    }

    /// Progress was in memory alone: it begins anew, and says so.
    private mutating func restart(at newest: EventID) {
        guard newest > record.reach else { return }
        miss(Gap(after: record.reach, through: newest))
        record.reach = newest
        record.reportedThrough = newest
    }

    /// The change that makes the group itself durable, with the position where it begins.
    var creation: WorkChange {
        var change = WorkChange(of: number, persists: true)
        change.record = record
        return change
    }

    // MARK: One change

    /// Begins a change.
    mutating func begin() {
        before = Before(record: record, untold: untold)
        table.begin()
    }

    /// The part of the change under way that becomes durable; nil if there is none.
    ///
    /// On one host, a reach that moved is by itself not worth a commit: it is found again by reading the
    /// log. It is worth one where it went past an event of its topics that is no job.
    mutating func change(now: Int64) -> WorkChange? {
        guard let before else { return nil }
        var change = WorkChange(
            of: number, persists: record.persists || before.isSetting || before.isRemoving)
        change.removesGroup = before.isRemoving
        if change.removesGroup { return change }
        change.forgetsJobs = before.table != nil
        let parked = table.keyQueues.newlyParked
        let added = Set(parked.map(\.job.id))
        // Jobs that were parked, opened and over within this change.
        var over: Set<EventID> = []
        for replaced in table.replaced {
            let id = replaced.id
            guard let new = table.jobs[id] else {
                if replaced.job == nil, added.contains(id) {
                    over.insert(id)
                } else {
                    change.settled.append(id)
                }
                continue
            }
            // A job that comes behind another one of its key has a row since it was parked.
            if replaced.job == nil, new.attempt == 0 { continue }
            if let old = replaced.job, old.attempt == new.attempt, old.lease == new.lease,
                old.due == new.due, new.lease == nil || old.length == new.length
            {
                continue
            }
            change.open.append(row(of: new, id, now: now))
        }
        for (key, job) in parked
        where (table.jobs[job.id]?.attempt ?? 0) == 0 && !over.contains(job.id) {
            change.open.append(
                JobRecord(
                    id: job.id, topic: job.topic, key: key, attempt: 0,
                    state: .waiting(microseconds: 0), until: now))
        }
        if record != committed { change.record = record }
        let isWorth =
            !change.open.isEmpty || !change.settled.isEmpty || change.forgetsJobs
            || change.record != nil && (isShared || hasChangedBeyondReach)
            || before.hasPassedBy
        return isWorth ? change : nil
    }

    /// Whether the record changed in more than the reach.
    private var hasChangedBeyondReach: Bool {
        var alike = committed
        alike.reach = record.reach
        alike.reportedThrough = record.reportedThrough
        return alike != record
    }

    private func row(of job: OpenJob, _ id: EventID, now: Int64) -> JobRecord {
        let state: JobRecord.State
        if let token = job.lease, let lease = table.leases[token] {
            state = .leased(
                JobLease(
                    token: token, length: lease.length, worker: lease.holder?.worker,
                    caller: lease.caller))
        } else {
            state = .waiting(microseconds: max(0, job.due - now))
        }
        return JobRecord(
            id: id, topic: job.topic, key: job.key, attempt: job.attempt, state: state,
            until: job.due)
    }

    /// Keeps the change, which is durable now; `isCommitted` is false if there was nothing to
    /// commit.
    mutating func keep(isCommitted: Bool) {
        if isCommitted { committed = record }
        if !refusals.isEmpty {
            refusals = refusals.filter { table.jobs[$0.key]?.isRefused == true }
        }
        // Jobs of before a seek may be others' by now.
        if before?.table != nil { letters = NewestLetters(isWhole: true) }
        before = nil
        table.keep()
        line.changeAll { $0.isServed = false }
    }

    /// Undoes the change: everything is as it was, and requests that were served wait again.
    mutating func undo() {
        guard let before else { return }
        self.before = nil
        if let old = before.table { table = old }
        table.undo()
        record = before.record
        untold = before.untold
        line.changeAll {
            $0.isServed = false
            $0.owed = nil
        }
    }

    // MARK: The group itself

    /// The oldest id that is not settled, or any that is to come: from it on topics hold events.
    var heldFrom: EventID {
        let next = EventID(rawValue: min(committed.reach.rawValue + 1, EventID.max.rawValue))
        return table.order.first ?? next
    }

    /// The position where it reads on.
    var position: LogPosition {
        LogPosition(
            after: record.reach, reportedThrough: record.reportedThrough, isWaiting: true)
    }

    /// Whether jobs that were tried so often are to die.
    func isDying(_ job: OpenJob) -> Bool {
        record.dead != nil && job.attempt >= record.attempts
    }

    /// Whether a job waits for a worker to ask.
    var isAtHand: Bool { !table.again.isEmpty && table.leasedCount < record.inFlightMax }

    /// The queue of a job that nobody has.
    func queue(of job: OpenJob) -> OpenJob.Queue { isDying(job) ? .dying : .again }

    /// Queues jobs that are due, some of them at a time. Returns whether more are. Not within a
    /// change.
    mutating func advance(to now: Int64) -> Bool {
        let (hasDead, attempts) = (record.dead != nil, record.attempts)
        while true {
            let hasMore = table.advance(to: now) { hasDead && $0.attempt >= attempts }
            // A host that starts anew has queued none of them.
            guard hasMore, isShared else { return hasMore }
        }
    }

    /// Lets other settings hold.
    mutating func set(_ change: (inout GroupRecord) -> Void) {
        before?.isSetting = true
        let (dead, chooser) = (record.dead, record.deadChooser)
        change(&record)
        if record.dead != dead || record.deadChooser != chooser {
            letRefusedGo(elsewhere: record.dead != dead)
        }
        let (hasDead, attempts) = (record.dead != nil, record.attempts)
        table.requeue { hasDead && $0.attempt >= attempts }
    }

    /// Queues the jobs again that a dead topic refused: for the group's new one, or for its
    /// workers.
    private mutating func letRefusedGo(elsewhere: Bool) {
        for id in refusals.keys {
            guard var job = table.jobs[id], job.isRefused else { continue }
            job.isRefused = false
            job.mayCircle = elsewhere
            job.queue = queue(of: job)
            table.put(job, at: id)
        }
    }

    /// Forgets all jobs and leases, and begins anew behind `position`.
    mutating func seek(to position: LogPosition, missing gap: Gap?) {
        before?.table = table
        table = JobTable(leasesPass: !isShared)
        table.begin()
        untold = nil
        record.epoch = (record.epoch + 1) & LeaseText.epochMax
        record.reach = position.after
        record.reportedThrough = position.reportedThrough
        if let gap { miss(gap) }
    }

    /// The group goes.
    mutating func remove() { before?.isRemoving = true }

    /// Notes that events are missing, which the next hand-out tells.
    mutating func miss(_ gap: Gap) {
        untold = untold.map { $0.widened(by: gap) } ?? gap
        record.gap = record.gap.map { $0.widened(by: gap) } ?? gap
    }

    /// Takes the range that it missed, to tell it.
    mutating func takeUntold() -> Gap? {
        defer { untold = nil }
        return untold
    }

    // MARK: Jobs

    /// Ends a job; of its key the next one is open instead, in the same change.
    mutating func close(_ id: EventID, now: Int64, _ end: WritableKeyPath<JobTally, Int64>) {
        guard let job = table.jobs[id] else { return }
        record.tally[keyPath: end] += 1
        if let token = job.lease { table.release(id, from: token) }
        table.put(nil, at: id)
        guard let key = job.key, let next = table.keyQueues.settle(key) else { return }
        var opened = OpenJob(topic: next.topic, key: key, attempt: 0, due: now)
        opened.queue = .again
        table.put(opened, at: next.id)
    }

    /// The event of a job is not there any more.
    mutating func lose(_ id: EventID, now: Int64) {
        miss(Gap(after: id.predecessor, through: id))
        close(id, now: now, \.gone)
    }

    /// Counts events that are over before they were jobs.
    mutating func skip(through id: EventID, isExpired: Bool) {
        record.reach = id
        if isExpired { record.tally.expired += 1 }
    }

    /// Goes past an event of the bus, which is no job.
    mutating func passBy(_ id: EventID) {
        record.reach = id
        before?.hasPassedBy = true
    }

    /// Everything up to this position was taken in.
    mutating func reach(_ position: LogPosition) {
        record.reach = position.after
        record.reportedThrough = position.reportedThrough
    }

    /// The dead topic did not take a job, which is tried again when `due` has come. Not within a
    /// change.
    mutating func refuse(_ id: EventID, _ reason: String, due: Int64) {
        guard var job = table.jobs[id] else { return }
        refusals[id] = reason
        job.isRefused = true
        job.queue = nil
        job.due = due
        table.put(job, at: id)
    }
}

extension Gap {
    /// One gap that covers this one and another.
    func widened(by other: Gap) -> Gap {
        Gap(after: min(after, other.after), through: max(through, other.through))
    }
}
