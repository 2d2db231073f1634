internal import Topics

/// Jobs that go through one transaction together, and the outcome of each.
///
/// Jobs are applied in their order, and each takes its ids. A transaction is only opened for jobs
/// that need the disk. Belongs to the writer's thread.
struct CommitGroup {
    /// The outcome of a job, which is told once the transaction is committed.
    enum Outcome {
        case receipt(CommitQueue.EntryJob, Result<StoreReceipt, BusError>)
        case applied(CommitQueue.EntryJob, AppliedGroup)
        case loss(CommitQueue.TrimJob, StoreLoss)
    }

    private let transaction: Transaction
    private let rows: EventRows
    private let groups: GroupRows
    private let keys: KeyRows
    private let later: LaterRows
    private var now: Timestamp
    /// The clock that nobody sets; nil where the time of an order counts.
    private let bootClock: BootClock?
    /// The place of the last group of the order that the store follows; nil for a store of its own.
    private(set) var place: OrderPlace?
    private(set) var outcomes: [Outcome] = []
    /// Removals that are still to be done, of which the log knows already.
    private(set) var rests: [StoreTrim] = []
    /// Rows that were left behind to be removed later.
    private(set) var leftovers: [TopicLoading.Leftover] = []
    private(set) var hasBegun = false
    /// The first id that it gave.
    private(set) var firstID: EventID?

    init(
        _ transaction: Transaction, _ rows: EventRows, _ groups: GroupRows, _ keys: KeyRows,
        _ later: LaterRows, after place: OrderPlace?, now: Timestamp, bootClock: BootClock
    ) {
        self.later = later
        self.bootClock = place == nil ? bootClock : nil
        self.place = place
        self.transaction = transaction
        self.rows = rows
        self.groups = groups
        self.keys = keys
        self.now = now
    }

    /// Applies a job.
    mutating func apply(
        _ job: CommitQueue.Job, _ topics: inout TopicRows, _ ids: inout IDSequence,
        _ rules: inout ReplicaRules?
    ) throws(DatabaseError) {
        switch job {
        case .trim(let job):
            try begin()
            let outcome = try Removal.trim(job.trim, &topics, rows)
            if let rest = outcome.rest { rests.append(rest) }
            outcomes.append(.loss(job, outcome.loss))
        case .entry(let job):
            if let ordered = job.ordered {
                return try apply(ordered.group, of: job, &topics, &ids, &rules)
            }
            let receipt = try place(job.entry, &topics, &ids)
            outcomes.append(.receipt(job, .success(receipt)))
        }
    }

    /// Applies a group of the order that the store follows, if it is the next one.
    private mutating func apply(
        _ group: OrderedGroup, of job: CommitQueue.EntryJob, _ topics: inout TopicRows,
        _ ids: inout IDSequence, _ rules: inout ReplicaRules?
    ) throws(DatabaseError) {
        guard let last = place, var kept = rules else {
            preconditionFailure("a store of its own follows no order")
        }
        if let error = Self.refusal(of: group.place, behind: last) {
            return outcomes.append(.receipt(job, .failure(error)))
        }
        rules = nil
        defer { rules = kept }
        try begin()
        place = group.place
        now = group.place.time
        try kept.begin(group.settings, topics)
        for entry in group.entries {
            try kept.prepare(entry, at: now, &topics)
            try kept.settle(entry, try place(entry, &topics, &ids), at: now, &topics)
        }
        // Held events come last: their ids are known once all others are.
        let due = LaterTable.Moment(time: now, now: nil)
        let (released, isMore) = try released(at: due, &topics, &ids)
        for batch in released { try kept.settle(batch, at: now, &topics) }
        let outcome = try kept.end(
            group.place, &topics, newest: EventID(rawValue: ids.next - 1),
            laterDue: isMore ? now : nextDue(topics))
        outcomes.append(.applied(job, outcome))
    }

    /// When something is due next on an order that no entry asks for.
    private func nextDue(_ topics: TopicRows) -> Timestamp? {
        let silence = topics.firstSilence().map { Timestamp(microseconds: $0.silence.due) }
        return [silence, later.nextDue].compactMap { $0 }.min()
    }

    /// Why a group cannot be applied behind another one; nil where it can.
    private static func refusal(of next: OrderPlace, behind last: OrderPlace) -> BusError? {
        guard next.sequence == last.sequence + 1 else {
            return .storeFailed(
                "group \(next.sequence) of the order cannot be applied: the store has the groups up "
                    + "to \(last.sequence)")
        }
        guard next.line >= last.line, next.time >= last.time else {
            return .storeFailed(
                "group \(next.sequence) of the order cannot be applied: its line or its time is "
                    + "lower than that of the group before")
        }
        return nil
    }

    /// Gives an entry its place. A store that follows an order keeps everything.
    private mutating func place(
        _ entry: StoreEntry, _ topics: inout TopicRows, _ ids: inout IDSequence
    ) throws(DatabaseError) -> StoreReceipt {
        switch entry {
        case .events(let batch, let persists, let owner):
            if let answer = keys.answer(to: batch, at: max(now, ids.time)) {
                burn(batch, &ids)
                return .unpublished(answer)
            }
            if let condition = batch.condition,
                let error = try version(of: batch.topic, topics).refusal(of: condition)
            {
                burn(batch, &ids)
                return .refused(error)
            }
            let isStored = persists || place != nil
            let events =
                isStored
                ? try store(batch, owner, &topics, &ids)
                : try pass(batch, owner, &topics, &ids)
            try keys.note(batch, from: events[0].id, at: events[0].time, isStored: isStored)
            firstID = firstID ?? events.first?.id
            return .events(events)
        case .registration(let name, let change, let owner):
            try begin()
            var topic = try topics.ensure(name, owner: owner)
            let settings = change.applied(to: topic.settings)
            topic.settings = settings
            topic.silence.follow(settings.expect, at: now, now: silenceNow(now))
            topics.change(topic)
            return .registration(at: now)
        case .removal(let name):
            try begin()
            let id = EventID(rawValue: ids.take(1, at: now).first)
            firstID = firstID ?? id
            try remove(name, &topics)
            try keys.forget(name)
            try later.drop(name, at: id)
            return .removal(id)
        case .work(let change):
            if change.persists || place != nil {
                try begin()
                try groups.write(change, &topics, now: now)
            }
            return .work
        case .hold(let held): return try hold(held, &ids)
        case .cancel(let ticket, let topic):
            guard later.holds(ticket, for: topic) else {
                return .cancelled(later.table.ending(of: ticket), nil)
            }
            try begin()
            return .cancelled(nil, try later.end(ticket, .cancelled, at: now))
        case .release(let bootNow):
            let moment = LaterTable.Moment(time: now, now: bootNow)
            let (released, isMore) = try released(at: moment, &topics, &ids)
            return .released(released, isMore: isMore)
        case .together(let entries):
            var receipts: [StoreReceipt] = []
            for entry in entries { receipts.append(try place(entry, &topics, &ids)) }
            return .together(receipts)
        }
    }

    private func version(
        of name: TopicName, _ topics: TopicRows
    ) throws(DatabaseError) -> TopicVersion {
        guard let topic = try topics.state(of: name) else {
            return TopicVersion(exists: false, newest: .zero)
        }
        return topic.version(last: try rows.last(topic.number)?.id)
    }

    private mutating func hold(
        _ held: HeldBatch, _ ids: inout IDSequence
    ) throws(DatabaseError) -> StoreReceipt {
        if let answer = keys.answer(to: held.batch, at: max(now, ids.time)) {
            burn(held.batch, &ids)
            return .unpublished(answer)
        }
        let other: HeldHead?
        switch later.table.answer(to: held) {
        case .refused(let error):
            burn(held.batch, &ids)
            return .refused(error)
        case .known(let head):
            burn(held.batch, &ids)
            return .known(head)
        case .new(let replaced): other = replaced
        }
        try begin()
        if let other { try later.end(other.ticket, .cancelled, at: now) }
        let (first, time) = ids.take(held.batch.payloads.count, at: now)
        let ticket = EventID(rawValue: first)
        firstID = firstID ?? ticket
        try keys.note(held.batch, from: ticket, at: time, isStored: true)
        return .held(
            try later.hold(held, ticket, at: now, bootClock?.now()), instead: other?.ticket)
    }

    /// Gives the events their places that are due, a bounded number of batches.
    private mutating func released(
        at moment: LaterTable.Moment, _ topics: inout TopicRows, _ ids: inout IDSequence
    ) throws(DatabaseError) -> ([ReleasedBatch], isMore: Bool) {
        var released: [ReleasedBatch] = []
        var count = 0
        while let (ticket, held, ttl) = try later.next(at: moment) {
            guard count < LaterTable.releasedEventsMax else {
                return (released, true)
            }
            try begin()
            let batch = held.lasting(ttl, from: max(now, ids.time))
            let persists = try topics.state(of: batch.topic)?.settings?.persists ?? true
            let owner = batch.sender.uid
            let events =
                persists || place != nil
                ? try store(batch, owner, &topics, &ids)
                : try pass(batch, owner, &topics, &ids)
            firstID = firstID ?? events[0].id
            let next = try later.published(ticket, as: events[0].id, at: now)
            count += events.count
            released.append(ReleasedBatch(ticket: ticket, events: events, next: next))
        }
        while let (name, silence) = topics.firstSilence(by: moment.now ?? now.microseconds) {
            guard count < LaterTable.releasedEventsMax else { return (released, true) }
            try begin()
            let batch = silence.announcement(in: name)
            let events =
                try topics.state(of: name)?.persists ?? true || place != nil
                ? try store(batch, nil, &topics, &ids) : try pass(batch, nil, &topics, &ids)
            firstID = firstID ?? events[0].id
            if var topic = try topics.state(of: name) {
                topic.silence?.announced()
                topics.change(topic)
            }
            count += 1
            released.append(ReleasedBatch(ticket: nil, events: events))
        }
        return (released, false)
    }

    /// The time by the clock that silences are told by.
    private func silenceNow(_ time: Timestamp) -> Int64 { bootClock?.now() ?? time.microseconds }

    /// On an order the ids of events go that are not published: hosts foretell ids before they know that.
    private func burn(_ batch: PublishBatch, _ ids: inout IDSequence) {
        if place != nil { _ = ids.take(batch.payloads.count, at: now) }
    }

    private mutating func begin() throws(DatabaseError) {
        guard !hasBegun else { return }
        try transaction.begin()
        hasBegun = true
    }

    private mutating func store(
        _ batch: PublishBatch, _ owner: UInt32?, _ topics: inout TopicRows,
        _ ids: inout IDSequence
    ) throws(DatabaseError) -> [Event] {
        try begin()
        var topic = try topics.ensure(batch.topic, owner: owner)
        let (first, time) = ids.take(batch.payloads.count, at: now)
        let events = try rows.write(batch, into: topic, first: first, time: time)
        if topic.silence != nil, !batch.metadata.isOfSilence {
            topic.silence?.hear(at: time, now: silenceNow(time))
        }
        topic.sum += EventSum(batch)
        topics.change(topic)
        return events
    }

    /// Events that need no row. Where a start would not know by the settings of the topic that
    /// they are lost, their last id is written.
    private mutating func pass(
        _ batch: PublishBatch, _ owner: UInt32?, _ topics: inout TopicRows,
        _ ids: inout IDSequence
    ) throws(DatabaseError) -> [Event] {
        let isCovered = topics.passes(batch.topic)
        if !isCovered { try begin() }
        let (first, time) = ids.take(batch.payloads.count, at: now)
        let last = EventID(rawValue: first + UInt64(batch.payloads.count) - 1)
        let isHeard = !batch.metadata.isOfSilence
        if isCovered {
            topics.note(unstored: last, of: batch.topic)
            if isHeard { topics.hear(batch.topic, at: time, now: silenceNow(time)) }
        } else {
            var topic = try topics.ensure(batch.topic, owner: owner)
            topic.unstored = last
            if isHeard { topic.silence?.hear(at: time, now: silenceNow(time)) }
            topics.change(topic)
        }
        return batch.events(from: first, at: time)
    }

    private mutating func remove(
        _ name: TopicName, _ topics: inout TopicRows
    ) throws(DatabaseError) {
        guard var topic = try topics.state(of: name) else { return }
        topic.removedThrough = max(topic.removedThrough, topic.unstored)
        if let last = try rows.last(topic.number), last.id > topic.removedThrough {
            topic.removedThrough = last.id
            topic.removedTime = last.time
            leftovers.append(TopicLoading.Leftover(topic: topic.number, through: last.id))
        }
        topic.deletedThrough = topic.removedThrough
        topic.settings = nil
        topic.silence = nil
        topic.owner = nil
        topic.sum = EventSum()
        topics.change(topic)
    }
}
