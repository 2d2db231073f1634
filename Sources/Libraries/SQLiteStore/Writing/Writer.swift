internal import Protection
internal import Telemetry
internal import Topics

/// The writer's task: takes waiting jobs, commits them together, and tells everybody in order.
///
/// Belongs to its thread, once that runs.
final class Writer: SteppedWork {
    private let file: StoreFile
    private let database: Database
    private let clock: any BusClock
    private let bootClock: BootClock
    private let log: Log
    private let shared: SharedParts
    private let keeper: any StartedWork
    private let transaction: Transaction
    private let rows: EventRows
    private let groups: GroupRows
    private let keys: KeyRows
    private let later: LaterRows
    private let space: SpaceLimit
    private var ledger: IDLedger
    private var maintenance: StoreMaintenance
    private var topics: TopicRows
    private var ids: IDSequence
    /// The order that the store follows, as its last group left it, and the next id that the order
    /// gives; nil for a store of its own.
    private var followed: (order: FollowedOrder, ids: IDSequence)?
    private var rules: ReplicaRules?
    /// Removals of which the log knows already, or that could not be committed.
    private var postponed = PostponedTrims()
    /// Entries whose commit failed in a way that leaves open whether a start would find them:
    /// nobody is told before something else was written over it.
    private var unsettled: [(job: CommitQueue.EntryJob, error: BusError)] = []
    /// Outcomes of jobs that were committed to a file that went meanwhile, in order. They are
    /// certain once the file is back. Nothing else takes an id before they are told.
    private var held: [CommitGroup.Outcome] = []
    /// Why nothing can be written at the moment.
    private var refusal: BusError?
    private var delay = GroupCommitDelay()

    init(
        _ opening: StoreOpening, _ configuration: SQLiteStoreConfiguration, shared: SharedParts,
        keeper: any StartedWork, _ context: StoreContext, keys table: KeyTable, log: Log
    ) throws(DatabaseError) {
        file = opening.file
        database = opening.database
        ledger = opening.ledger
        ids = ledger.ids
        self.shared = shared
        self.keeper = keeper
        clock = context.clock
        bootClock = context.bootClock
        self.log = log
        let found = opening.found
        topics = try TopicRows(
            database, rowCount: found.topics.count + found.tombstones.count)
        for topic in found.topics { topics.load(topic.state) }
        transaction = try Transaction(database)
        rows = try EventRows(database)
        let bus = ledger.start.bus
        if let order = bus.order {
            followed = (order, opening.ledger.ids)
            shared.applied.value = order.place
            rules = try ReplicaRules(database, rows, order.settings)
        }
        groups = try GroupRows(database, boot: bus.order == nil ? bus.boot.number : nil)
        keys = try KeyRows(database, table, at: bus.order?.place.time ?? ids.time)
        later = try LaterRows(
            database, opening.later, boot: bus.order == nil ? bus.boot.number : nil)
        space = try SpaceLimit(database, rows, context.held, bytesMax: configuration.sizeBytesMax)
        maintenance = StoreMaintenance(
            database, rows, later, space, shared.journal, leftovers: found.leftovers,
            tombstones: found.tombstones.count,
            tombstonesMax: bus.order == nil ? configuration.tombstonesMax : .max)
        if let refusal = opening.refusal { note(refusal) }
    }

    /// Commits what waits. Once the queue is closed and empty it leaves everything in order.
    func step(mayWait: Bool) -> WorkStep {
        let jobs =
            mayWait
            ? shared.queue.take(milliseconds: pause, delay)
            : shared.queue.take(milliseconds: 0, GroupCommitDelay())
        if jobs.isEmpty, shared.queue.isClosed {
            finish()
            return .end
        }
        let isNeeded = !jobs.isEmpty || refusal != nil || postponed.count > 0
        if isNeeded { process(jobs) }
        keys.forget(at: ids.time)
        if ledger.hasBegun { maintenance.turn(isIdle: jobs.isEmpty) }
        return isNeeded ? .done : .nothing
    }

    private var pause: Int32 {
        if refusal != nil { return Limits.retryMilliseconds }
        return postponed.count == 0 ? maintenance.pause : 0
    }

    // MARK: A group

    private func process(_ jobs: [CommitQueue.Job]) {
        delay.note(entries: jobs.count { !$0.isTrim })
        // A disk that refuses is tried with a few: that is enough to see it, and to make room.
        let most = refusal == nil ? Limits.groupEntriesMax : Limits.retriedTrimsMax
        let trims = postponed.take(most)
        let jobs = trims.isEmpty ? jobs : trims.map { .trim($0) } + jobs
        shared.progress.begin()
        let begin = MonotonicClock.microseconds()
        attempt(jobs)
        shared.meters.waitingTrims.add(postponed.count - shared.meters.waitingTrims.value)
        shared.meters.commits.observe(MonotonicClock.microseconds() - begin)
        shared.meters.jobs.add(jobs.count)
        shared.progress.settle()
    }

    private func attempt(_ jobs: [CommitQueue.Job]) {
        do throws(WriteFailure) {
            if refusal != nil { try settle() }
            try reserveIDs(for: jobs)
            try makeRoom(for: jobs)
            tell(try commit(jobs))
        } catch {
            if error.isForSize, jobs.count > 1 { return jobs.forEach { attempt([$0]) } }
            refuse(jobs, error)
            // At once, too: most disks fail once.
            if !unsettled.isEmpty { try? settle() }
        }
    }

    private func reserveIDs(for jobs: [CommitQueue.Job]) throws(WriteFailure) {
        var count = 0
        for case .entry(let job) in jobs { count += job.entry.idCount }
        if !ids.has(count) { try ledger.raise(&ids, by: count) }
    }

    private func makeRoom(for jobs: [CommitQueue.Job]) throws(WriteFailure) {
        let bytes = followed == nil ? SpaceLimit.bytes(of: jobs) : 0
        guard bytes > 0 else { return }
        do throws(DatabaseError) {
            let losses = try space.makeRoom(for: bytes, &topics)
            if !losses.isEmpty {
                noteCommitted([])
                let tell = shared.tellLoss.value
                for (topic, loss) in losses { tell?(topic, loss) }
            }
            guard try space.excess(bytes) > 0 else { return }
        } catch {
            throw WriteFailure(file.path, error)
        }
        throw WriteFailure(
            .storeFull(
                "the store \(file.path) is at its size limit, and the batch does not fit: "
                    + "publish less at a time, or raise the limit"), isForSize: true)
    }

    private func commit(_ jobs: [CommitQueue.Job]) throws(WriteFailure) -> CommitGroup {
        // The order gives the ids of a group that could not be committed again.
        if let followed { ids = followed.ids }
        var group = CommitGroup(
            transaction, rows, groups, keys, later, after: followed?.order.place,
            now: clock.now(), bootClock: bootClock)
        do throws(DatabaseError) {
            for job in jobs { try group.apply(job, &topics, &ids, &rules) }
            if group.hasBegun {
                try topics.write()
                if let place = group.place, let rules {
                    try rules.write(place, next: ids.next)
                }
                try space.count()
            }
        } catch {
            throw WriteFailure(file.path, error)
        }
        guard group.hasBegun else {
            topics.passed()
            keys.committed()
            later.committed()
            return group
        }
        try checkPlace()
        let begin = MonotonicClock.microseconds()
        do throws(DatabaseError) {
            try transaction.commit()
        } catch {
            throw WriteFailure(.unwritable(file.path, error), isCertain: error.leavesNothing)
        }
        delay.note(microseconds: MonotonicClock.microseconds() - begin)
        keys.committed()
        later.committed()
        if let place = group.place, let rules {
            followed?.order.place = place
            followed?.order.settings = rules.settings
            followed?.ids = ids
            shared.applied.value = place
        }
        return group
    }

    private func noteCommitted(_ leftovers: [TopicLoading.Leftover]) {
        let changed = topics.committed()
        shared.marks.update(changed)
        maintenance.note(changed, leftovers)
    }

    /// Tells everybody the outcomes of a group, in order.
    private func tell(_ group: CommitGroup) {
        noteCommitted(group.leftovers)
        if group.hasBegun, let absence = file.absence {
            refuse([], WriteFailure(.absent(absence)))
            return hold(group)
        }
        recover()
        for rest in group.rests { postponed.add(CommitQueue.TrimJob(trim: rest, then: nil)) }
        for outcome in group.outcomes { tell(outcome) }
    }

    private func tell(_ outcome: CommitGroup.Outcome) {
        switch outcome {
        case .loss(let job, let loss): job.then?(loss)
        case .applied(let job, let group):
            job.ordered?.applied(group)
            shared.queue.finished(job)
        case .receipt(let job, let result):
            if case .success(let receipt) = result { note(receipt) }
            job.then(result)
            shared.queue.finished(job)
        }
    }

    /// Notes the events that are about to be answered.
    private func note(_ receipt: StoreReceipt) {
        switch receipt {
        case .events(let events): ledger.note(events)
        case .together(let receipts): for receipt in receipts { note(receipt) }
        case .released(let batches, _): for batch in batches { ledger.note(batch.events) }
        case .unpublished, .removal, .registration, .work, .held, .known, .cancelled, .refused:
            break
        }
    }

    /// Keeps outcomes that only the file can tell, until it is back. Readers may have seen already
    /// that something was removed. So a loss is told now, unless it reaches into events that the
    /// log does not know yet.
    private func hold(_ group: CommitGroup) {
        for rest in group.rests { postponed.add(CommitQueue.TrimJob(trim: rest, then: nil)) }
        for outcome in group.outcomes {
            if case .loss(_, let loss) = outcome, loss.removedThrough < group.firstID ?? .max {
                tell(outcome)
            } else {
                held.append(outcome)
            }
        }
    }

    // MARK: Failure

    /// Tells a group that failed, as far as that is certain. Entries that need no disk go through.
    private func refuse(_ jobs: [CommitQueue.Job], _ failure: WriteFailure) {
        if database.isInTransaction { try? database.execute("ROLLBACK") }
        topics.rolledBack()
        keys.rolledBack()
        later.rolledBack()
        if let followed { rules?.rolledBack(to: followed.order.settings) }
        space.forget()
        if !failure.isForSize { note(failure.error) }
        for job in jobs {
            switch job {
            case .trim(let job): postponed.add(job)
            case .entry(let job):
                if pass(job) { continue }
                if failure.isCertain {
                    answer(job, failure.error)
                } else {
                    unsettled.append((job, failure.error))
                }
            }
        }
    }

    private func note(_ error: BusError) {
        shared.meters.failures.add()
        if refusal == nil { log.error("\(error)") }
        refusal = error
        shared.readiness.value = .refusing("\(error)")
    }

    /// Lets an entry through that needs no row. Returns whether it did.
    private func pass(_ job: CommitQueue.EntryJob) -> Bool {
        guard job.ordered == nil, held.isEmpty, ids.has(job.entry.idCount),
            topics.needsNoRow(job.entry)
        else { return false }
        var group = CommitGroup(
            transaction, rows, groups, keys, later, after: nil, now: clock.now(),
            bootClock: bootClock)
        do throws(DatabaseError) {
            try group.apply(.entry(job), &topics, &ids, &rules)
        } catch {
            preconditionFailure("what needs no disk had \(error)")
        }
        topics.passed()
        keys.committed()
        for case .receipt(let job, let result) in group.outcomes {
            job.then(result)
            shared.queue.finished(job)
        }
        return true
    }

    private func answer(_ job: CommitQueue.EntryJob, _ error: BusError) {
        job.then(.failure(error))
        shared.queue.finished(job)
    }

    /// Finds out whether the disk takes writes again. Then it answers the publishers that could not
    /// be answered before that was certain.
    private func settle() throws(WriteFailure) {
        if let absence = file.absence { throw WriteFailure(.absent(absence)) }
        let known = held
        held = []
        for outcome in known { tell(outcome) }
        do {
            try begin()
            try ledger.seal()
        } catch {
            throw WriteFailure(file.path, error)
        }
        try checkPlace()
        let settled = unsettled
        unsettled = []
        for (job, error) in settled { answer(job, error) }
        // Pages that were copied out of the journal already may take all the room that is missing.
        if !file.hasRoom { shared.journal.empty(database) }
        guard file.hasRoom else { throw WriteFailure(refusal ?? .storeFull("the disk is full")) }
    }

    /// Begins the life, if there was no room for it before.
    private func begin() throws {
        guard !ledger.hasBegun else { return }
        // The journal of the last life may take all the room that is missing.
        if !file.hasRoom { shared.journal.empty(database) }
        try ledger.begin()
        ids = ledger.ids
    }

    /// Sees to it that the next start finds the commits, and knows how far they should reach.
    private func checkPlace() throws(WriteFailure) {
        if let absence = file.absence ?? ledger.absence { throw WriteFailure(.absent(absence)) }
    }

    private func recover() {
        guard refusal != nil else { return }
        refusal = nil
        shared.readiness.value = .ready
        log.notice("the store \(file.path) is written again")
    }

    // MARK: The end

    /// Fails the entries whose outcome nobody can know any more.
    private func abandon() {
        let error = BusError.storeFailed(
            "the store \(file.path) was closed before the outcome was known: look "
                + "for the event after the next start, and publish it again if it is missing")
        for outcome in held {
            switch outcome {
            case .receipt(let job, _), .applied(let job, _): answer(job, error)
            case .loss: break
            }
        }
        for (job, _) in unsettled { answer(job, error) }
        held = []
        unsettled = []
    }

    private func finish() {
        // Its connection must not be the last one, and the last checkpoint is not shared.
        shared.journal.close()
        keeper.join()
        if !unsettled.isEmpty || !held.isEmpty { try? settle() }
        abandon()
        guard file.absence == nil else { return }
        topics.settleUnstored()
        do throws(DatabaseError) {
            try ledger.close(ids, topics)
        } catch {
            log.error("the store \(file.path) was not closed in order: \(error.text)")
        }
    }
}
