extension EventLog {
    /// One turn of a read under the lock.
    enum Turn {
        case done(LogRead)
        /// Enough was looked at for one hold of the lock; go on from here.
        case goOn(LogPosition)
    }

    /// Reads what lies after `position` into `batch`, which earlier turns may have begun.
    mutating func read(
        _ position: LogPosition, _ selector: Selector, _ batch: inout ReadBatch,
        now: Timestamp
    ) -> Turn {
        if let name = selector.singleName {
            let record = records[name]
            if let record { applyRetention(to: record, at: now) }
            let losses = record.map(losses(of:)) ?? losses(of: name)
            if let outcome = detectGap(position, losses) ?? older(position, record?.older) {
                return batch.interrupted(by: outcome, at: position)
            }
            if let record { gather(record, position, &batch) }
            return batch.turn(from: position, newest: newest)
        }
        // A cursor of another life is told what all topics lost.
        let cursor = position.after > newest ? .zero : position.after
        let topics = collect(selector, newerThan: cursor, now: now)
        for record in topics { applyRetention(to: record, at: now) }
        let gap =
            mayMiss(position) ? detectGap(position, losses(of: selector, now: now)) : nil
        if let outcome = gap ?? older(position, topics) {
            return batch.interrupted(by: outcome, at: position)
        }
        if topics.count == 1 {
            gather(topics[0], position, &batch)
        } else {
            merge(topics, position, &batch)
        }
        return batch.turn(from: position, newest: newest)
    }

    // MARK: Losses and gaps

    /// Whether any topic at all lost something that a reader here was not told of. Readers that
    /// keep up miss nothing, and are spared the question what each of their topics lost.
    private func mayMiss(_ position: LogPosition) -> Bool {
        let cursor = position.stated ?? position.after
        let lost = mostLost.highest(isWaiting: position.isWaiting)
        return cursor > newest || cursor < lost && position.reportedThrough < lost
    }

    /// The gap a position has to be told first, if any.
    func detectGap(_ position: LogPosition, _ losses: Losses) -> LogRead? {
        let cursor = position.stated ?? position.after
        var next = position
        next.stated = nil
        if cursor > newest {
            next.after = .zero
            next.reportedThrough = losses.removedThrough
            return .gap(Gap(after: cursor, through: losses.removedThrough), next: next)
        }
        let lost = losses.highest(isWaiting: position.isWaiting)
        guard cursor < lost, position.reportedThrough < lost else { return nil }
        next.reportedThrough = lost
        return .gap(Gap(after: cursor, through: lost), next: next)
    }

    private func older(_ position: LogPosition, _ older: OlderEvents?) -> LogRead? {
        if position.unresolved != nil { return .older(position) }
        guard let older, older.newest > position.after else { return nil }
        return .older(position)
    }

    private func older(_ position: LogPosition, _ topics: [TopicRecord]) -> LogRead? {
        let newest = topics.lazy.compactMap(\.older).max { $0.newest < $1.newest }
        return older(position, newest)
    }

    func losses(of record: TopicRecord) -> Losses {
        var losses = tombstones.floor
        losses.rise(to: record)
        return losses
    }

    func losses(of name: TopicName) -> Losses {
        if let record = records[name] { return losses(of: record) }
        var losses = tombstones.floor
        if let left = tombstones[name] { losses.rise(to: left) }
        return losses
    }

    mutating func losses(of selector: Selector, now: Timestamp) -> Losses {
        if let name = selector.singleName { return losses(of: name) }
        var losses = tombstones.floor
        for term in selector.terms {
            switch term {
            case .name(let name): losses.rise(to: self.losses(of: name))
            case .pattern(let pattern):
                losses.rise(to: index(of: pattern, selector.visibility, now: now).losses)
            }
        }
        return losses
    }

    // MARK: Topics of a selector

    private mutating func index(
        of pattern: TopicPattern, _ visibility: TopicVisibility?, now: Timestamp
    ) -> PatternIndex {
        let scope = PatternScope(pattern: pattern, visibility: visibility)
        return indexes.find(scope, now: now)
            ?? indexes.make(
                scope, of: records.values, losses: tombstones.losses(matching: scope), now: now)
    }

    /// The topics of a selector that ever had events after `id`, each once.
    mutating func collect(
        _ selector: Selector, newerThan id: EventID, now: Timestamp
    ) -> [TopicRecord] {
        if let name = selector.singleName {
            return records[name].map { $0.newest > id ? [$0] : [] } ?? []
        }
        var collected: [TopicRecord] = []
        // Of a list, either what changed is looked at or what is listed, whichever is less.
        if let names = selector.names {
            let isAll = order.visit(newerThan: id, atMost: names.count) { record in
                if names.contains(record.name) { collected.append(record) }
            }
            if isAll { return collected }
            collected = []
        }
        collections += 1
        func add(_ record: TopicRecord) {
            guard record.collected != collections else { return }
            record.collected = collections
            collected.append(record)
        }
        for term in selector.terms {
            switch term {
            case .name(let name):
                if let record = records[name], record.newest > id { add(record) }
            case .pattern(let pattern):
                index(of: pattern, selector.visibility, now: now).visit(newerThan: id, add)
            }
        }
        return collected
    }

    // MARK: Events

    private func gather(
        _ record: TopicRecord, _ position: LogPosition, _ batch: inout ReadBatch
    ) {
        var index = record.index(after: position.after, isWaiting: position.isWaiting)
        while index < record.ring.count, batch.take(record.ring[index]) { index += 1 }
    }

    private func merge(
        _ topics: [TopicRecord], _ position: LogPosition, _ batch: inout ReadBatch
    ) {
        var heads = Heap(
            topics.enumerated().compactMap { slot, record -> MergeHead? in
                let index = record.index(after: position.after, isWaiting: position.isWaiting)
                guard index < record.ring.count else { return nil }
                return MergeHead(id: record.ring[index].id, slot: slot, index: index)
            })
        while let head = heads.first, batch.take(topics[head.slot].ring[head.index]) {
            let ring = topics[head.slot].ring
            if head.index + 1 < ring.count {
                heads.replaceFirst(
                    with: MergeHead(
                        id: ring[head.index + 1].id, slot: head.slot, index: head.index + 1))
            } else {
                _ = heads.removeFirst()
            }
        }
    }
}

/// The next event of one topic while several are merged by id.
struct MergeHead: Comparable {
    let id: EventID
    let slot: Int
    let index: Int

    static func < (left: MergeHead, right: MergeHead) -> Bool { left.id < right.id }
}
