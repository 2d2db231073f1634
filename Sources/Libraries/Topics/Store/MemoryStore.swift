internal import Glibc
internal import Protection

/// A store without a disk: events live in the log alone, and a restart gaps everything.
///
/// Commits of several threads are made by one of them, which finds the store idle, in the order they
/// came and outside every lock; so `then` usually runs before `commit` returns, always in id order,
/// and one at a time. Its turn is bounded while others come, see `CommitLine`. With a ceiling, ids
/// stay unique over restarts.
package final class MemoryStore: EventStore {
    private let ceiling: IDCeiling?
    private let idsAhead: UInt64
    private let queue: Protected<CommitLine<Job>>
    /// Open to tests, which wait among them as another thread would.
    let waiters = CommitWaiters()
    private let sequence: Protected<Sequence>
    private let observer = Protected(Observer())
    /// The thread that commits and tells at this moment.
    private let committer = ThreadMark()

    private struct Job {
        let entry: StoreEntry
        let queuedBytes: Int
        let then: @Sendable (Result<StoreReceipt, BusError>) -> Void
    }

    /// The bus, which owns its store. Not weak: each count of an object that something weak refers to takes longer.
    private struct Observer {
        unowned var bus: (any StoreObserver)?
    }

    /// The next id and time. Only the thread that commits touches it.
    private struct Sequence {
        var next: UInt64 = 0
        var ceiling: UInt64 = 0
        var time = Timestamp.distantPast
        var clock: (any BusClock)?
        var failure: String?
        var keys = KeyTable()
        var later = HeldInMemory()
        var silences = SilencesInMemory()

        mutating func take(_ count: Int, at now: Timestamp) -> (first: UInt64, time: Timestamp) {
            let first = next
            next += UInt64(count)
            failure = nil
            time = max(time, now)
            return (first, time)
        }
    }

    /// A store whose ids rise over restarts as `ceiling` remembers, or by the clock alone.
    package convenience init(ceiling: IDCeiling?) {
        self.init(ceiling: ceiling, idsAhead: Limits.idsAhead)
    }

    init(
        ceiling: IDCeiling?, idsAhead: UInt64, turnBytesMax: Int = Limits.commitTurnBytesMax
    ) {
        self.ceiling = ceiling
        self.idsAhead = idsAhead
        queue = Protected(CommitLine(turnBytesMax: turnBytesMax))
        sequence = Protected(Sequence())
    }

    /// Keeps nothing beyond memory.
    package var capabilities: StoreCapabilities { StoreCapabilities(keepsOlder: false) }

    /// Refusing while the ceiling of ids can not be raised.
    package var readiness: Readiness {
        sequence.read { $0.failure.map { .refusing($0) } ?? .ready }
    }

    /// Everything below the first id is lost: no cursor of another life is taken for one of this.
    package func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        let now = context.clock.now()
        let clockID = UInt64(max(1, now.microseconds))
        let first = max(clockID, ceiling?.found ?? 0)
        guard first <= EventID.rawMax - idsAhead else {
            throw StoreError(
                detail: "the next id would be \(first), and ids end at \(EventID.rawMax): set "
                    + "the clock right, and remove the id ceiling if it is wrong")
        }
        queue.write { $0.queuedBytesMax = context.commitQueueBytesMax }
        sequence.write {
            $0.next = first
            $0.ceiling = ceiling == nil ? EventID.rawMax : first
            $0.clock = context.clock
            $0.keys = KeyTable(in: context.memory)
            $0.later.now = context.bootClock.now
        }
        try prepare(1)
        let floor = EventID(rawValue: first - 1)
        // The first life that the ceiling knows of: nothing was given before.
        return StoreContents(
            newest: floor, floor: floor, floorTime: now,
            unusedThrough: ceiling?.found == 0 ? floor : .zero)
    }

    /// Takes `entry` at once, or right after the entries that other threads brought before.
    package func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
    ) {
        let bytes = entry.queuedBytes
        waiters.arrive()
        let (place, isToCommit) = queue.write { line in
            waiters.leave()
            return line.add(bytes: bytes) { Job(entry: entry, queuedBytes: bytes, then: then) }
        }
        switch place {
        case .first: if finish(entry, bytes, then, rest: []) == .more { commitWhatWaits() }
        case .queued: break
        case .closed: then(.failure(.draining))
        case .tooMuch: then(.failure(.commitQueueFull))
        }
        if isToCommit { commitWhatWaits() }
    }

    /// Reads held events: nothing else is older than memory.
    package func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) {
        guard request.isOfHeld, case .after(let after) = request.start else {
            preconditionFailure("a store in memory has nothing older than memory")
        }
        let events = sequence.read { $0.later.events(of: request, after: after) }
        then(.success(StorePage(events: events, after: after, through: request.through)))
    }

    /// Never asked: events that the log lets go are gone.
    package func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {
        preconditionFailure("a store in memory has nothing to trim")
    }

    /// Takes nothing more, and waits for the threads of callers that still commit. A call by the
    /// committing thread does not wait: that thread goes on with the entries that wait when this
    /// has returned.
    package func close() {
        queue.write { $0.close() }
        if committer.isOwn() { return }
        while !queue.read({ $0.isSettled }) { usleep(Limits.closeMicroseconds) }
    }

    /// The log knows the versions of topics: all that was committed is visible before the next entry takes its turn.
    package func tell(_ observer: any StoreObserver) {
        self.observer.write { $0.bus = observer }
    }

    /// How often a thread left the rest of its turn to another one.
    var handOvers: Int { queue.read { $0.handOvers } }

    private func commitWhatWaits() {
        var jobs: [Job] = []
        while true {
            queue.write { line in
                line.take(into: &jobs)
                waiters.requestHandOver(line.isTurnOver)
            }
            for (index, job) in jobs.enumerated() {
                let rest = jobs[(index + 1)...]
                guard finish(job.entry, job.queuedBytes, job.then, rest: rest) == .more
                else { return }
            }
            jobs.removeAll(keepingCapacity: true)
        }
    }

    private func finish(
        _ entry: StoreEntry, _ bytes: Int,
        _ then: @Sendable (Result<StoreReceipt, BusError>) -> Void, rest: ArraySlice<Job>
    ) -> CommitLine<Job>.Next {
        committer.set()
        then(perform(entry))
        committer.clear()
        return queue.write { line in
            defer { waiters.requestHandOver(line.isTurnOver) }
            return line.finish(bytes: bytes, rest: rest, hasWaiters: !waiters.isEmpty)
        }
    }

    private func perform(_ entry: StoreEntry) -> Result<StoreReceipt, BusError> {
        switch entry {
        case .registration(let topic, let change, _):
            let now = clockTime()
            return sequence.write { sequence in
                let time = max(sequence.time, now)
                sequence.silences.apply(change, to: topic, at: time, sequence.later.now)
                return .success(.registration(at: time))
            }
        case .removal(let topic):
            return ids(1).map { place in
                sequence.write {
                    _ = $0.keys.forget(topic)
                    $0.keys.committed()
                    $0.later.drop(topic)
                    $0.silences.drop(topic)
                }
                return .removal(EventID(rawValue: place.first))
            }
        case .work:
            return .success(.work)
        case .together(let entries):
            return together(entries)
        case .events(let batch, _, _):
            if let answer = answer(to: batch) { return .success(.unpublished(answer)) }
            if let condition = batch.condition,
                let error = version(of: batch.topic).refusal(of: condition)
            {
                return .success(.refused(error))
            }
            return ids(of: batch).map { first, time in
                note(batch, first, time)
                return .events(batch.events(from: first, at: time))
            }
        case .hold(let held):
            return hold(held)
        case .cancel(let ticket, let topic):
            return .success(
                sequence.write { sequence in
                    sequence.later.cancel(ticket, of: topic, at: sequence.time)
                })
        case .release(let now):
            return release(now)
        }
    }

    /// Remembers the key of a batch, if it has one.
    private func note(_ batch: PublishBatch, _ first: UInt64, _ time: Timestamp) {
        guard let key = batch.idempotencyKey,
            let known = batch.known(from: EventID(rawValue: first), at: time)
        else { return }
        sequence.write {
            _ = $0.keys.note(key.identity, known)
            $0.keys.committed()
        }
    }

    private func hold(_ held: HeldBatch) -> Result<StoreReceipt, BusError> {
        if let answer = answer(to: held.batch) { return .success(.unpublished(answer)) }
        switch sequence.read({ $0.later.table.answer(to: held) }) {
        case .refused(let error): return .success(.refused(error))
        case .known(let head): return .success(.known(head))
        case .new(let other):
            return ids(held.batch.payloads.count).map { first, time in
                note(held.batch, first, time)
                let ticket = EventID(rawValue: first)
                return sequence.write { sequence in
                    if let other { sequence.later.end(other.ticket, .cancelled, at: time) }
                    return .held(
                        sequence.later.hold(held, ticket, at: time), instead: other?.ticket)
                }
            }
        }
    }

    private func release(_ now: Int64) -> Result<StoreReceipt, BusError> {
        var released: [ReleasedBatch] = []
        var count = 0
        let time = clockTime()
        let moment = LaterTable.Moment(time: time, now: now)
        while let (ticket, next) = sequence.write({ $0.later.next(at: moment) }) {
            guard count < Limits.releasedEventsMax else {
                return .success(.released(released, isMore: true))
            }
            switch ids(of: next.batch) {
            case .failure(let error):
                return released.isEmpty
                    ? .failure(error) : .success(.released(released, isMore: false))
            case .success(let (first, time)):
                let events = next.batch.lasting(next.ttl, from: time).events(from: first, at: time)
                count += events.count
                let next = sequence.write { sequence in
                    sequence.later.published(ticket, as: events[0].id, at: moment.time)
                }
                released.append(ReleasedBatch(ticket: ticket, events: events, next: next))
            }
        }
        return announce(now, released, count)
    }

    /// Says which topics are silent, or are not any more, behind held events that were due.
    private func announce(
        _ now: Int64, _ released: [ReleasedBatch], _ count: Int
    ) -> Result<StoreReceipt, BusError> {
        var released = released
        while let (topic, silence) = sequence.read({ $0.silences.first(by: now) }) {
            guard released.count + count < Limits.releasedEventsMax else {
                return .success(.released(released, isMore: true))
            }
            switch ids(1) {
            case .failure(let error):
                return released.isEmpty
                    ? .failure(error) : .success(.released(released, isMore: false))
            case .success(let (first, time)):
                let events = silence.announcement(in: topic).events(from: first, at: time)
                sequence.write { $0.silences.announced(topic) }
                released.append(ReleasedBatch(ticket: nil, events: events))
            }
        }
        return .success(.released(released, isMore: false))
    }

    /// Commits several entries. The ids of all are there before the first takes its own, so that
    /// nothing fails from then on.
    private func together(_ entries: [StoreEntry]) -> Result<StoreReceipt, BusError> {
        do throws(StoreError) {
            try prepare(entries.reduce(0) { $0 + $1.idCount })
        } catch {
            return .failure(.storeFailed(error.detail))
        }
        var receipts: [StoreReceipt] = []
        for entry in entries {
            switch perform(entry) {
            case .success(let receipt): receipts.append(receipt)
            case .failure(let error): return .failure(error)
            }
        }
        return .success(.together(receipts))
    }

    /// The time of the clock, which is somebody else's: it is asked outside every lock.
    private func clockTime() -> Timestamp { sequence.read { $0.clock }?.now() ?? .distantPast }

    /// The version of a topic, by everything that was committed.
    private func version(of topic: TopicName) -> TopicVersion {
        observer.read { $0.bus }?.version(of: topic)
            ?? TopicVersion(exists: false, newest: .zero)
    }

    /// The answer to a batch that its key does not let through; nil for one that is published.
    private func answer(to batch: PublishBatch) -> KeyTable.Answer? {
        guard let key = batch.idempotencyKey else { return nil }
        let now = clockTime()
        return sequence.write { sequence in
            let time = max(sequence.time, now)
            return sequence.keys.refusal(of: key, by: batch.sender.uid, at: time) { _ in }
        }
    }

    /// The ids for the events of a publisher.
    private func ids(
        of batch: PublishBatch
    ) -> Result<(first: UInt64, time: Timestamp), BusError> {
        ids(batch.payloads.count, of: batch.metadata.isOfSilence ? nil : batch.topic)
    }

    /// - Parameter topic: The topic that has an event by them which is expected; nil for others.
    private func ids(
        _ count: Int, of topic: TopicName? = nil
    ) -> Result<(first: UInt64, time: Timestamp), BusError> {
        do throws(StoreError) {
            try prepare(count)
            let now = clockTime()
            return .success(
                sequence.write { sequence in
                    let place = sequence.take(count, at: now)
                    if let topic {
                        sequence.silences.hear(topic, at: place.time, sequence.later.now)
                    }
                    return place
                })
        } catch {
            return .failure(.storeFailed(error.detail))
        }
    }

    /// Sees to it that `count` ids lie below a ceiling that is on the disk.
    private func prepare(_ count: Int) throws(StoreError) {
        let needed = sequence.read { $0.next + UInt64(count) > $0.ceiling ? $0.next : nil }
        guard let needed else { return }
        guard let ceiling, needed + UInt64(count) <= EventID.rawMax else {
            throw StoreError(detail: "ids end at \(EventID.rawMax): set the clock right")
        }
        let raised = min(needed + UInt64(count) + idsAhead, EventID.rawMax)
        do throws(StoreError) {
            try ceiling.raise(to: raised)
        } catch {
            sequence.write { $0.failure = error.detail }
            throw error
        }
        sequence.write {
            $0.ceiling = raised
        }
    }
}
