/// Looks for the n-th last event of some topics, from the end, in turns.
struct BackwardSearch {
    enum Outcome {
        /// The n-th last event.
        case found(EventID)
        /// There are fewer.
        case exhausted
        /// Only the store can find where the last events of this number begin.
        case older(Int)
    }

    private let count: Int
    private let filter: EventFilter
    private var found = 0
    private var tails: Heap<TopicTail>

    init(for count: Int, _ filter: EventFilter, from tails: Heap<TopicTail>) {
        self.count = count
        self.filter = filter
        self.tails = tails
    }

    /// Looks on; nil where another turn is needed.
    mutating func look(_ steps: inout Int) -> Outcome? {
        if tails.count == 1, filter.isAll, found == 0, let record = tails.first?.record {
            return look(into: record)
        }
        while let tail = tails.first {
            guard steps > 0 else { return nil }
            steps -= 1
            guard !tail.isOlder else { return .older(count) }
            let record = tail.record
            let end = record.index(before: tail.id)
            // Events that were removed meanwhile took all earlier ones of their topic with them.
            if end < record.ring.count, record.ring[end].id == tail.id {
                if filter.admits(record.ring[end]) { found += 1 }
                if found == count { return .found(tail.id) }
            }
            if let next = TopicTail(record, before: end) {
                tails.replaceFirst(with: next)
            } else {
                _ = tails.removeFirst()
            }
        }
        return .exhausted
    }

    private func look(into record: TopicRecord) -> Outcome {
        if record.retained.count >= count {
            return .found(record.ring[record.ring.count - count].id)
        }
        return record.older == nil ? .exhausted : .older(count)
    }
}

/// The last event of one topic that a search of several topics from the end has not looked at.
struct TopicTail: Comparable {
    let id: EventID
    let record: TopicRecord
    /// Whether only the store has it.
    let isOlder: Bool

    /// The last event of all.
    init?(_ record: TopicRecord) {
        self.init(record, before: record.ring.count)
    }

    /// The last event before an index of the ring.
    init?(_ record: TopicRecord, before end: Int) {
        self.record = record
        if end > record.graced {
            id = record.ring[end - 1].id
            isOlder = false
        } else if let older = record.older {
            id = older.newest
            isOlder = true
        } else {
            return nil
        }
    }

    static func < (left: TopicTail, right: TopicTail) -> Bool { left.id > right.id }
    static func == (left: TopicTail, right: TopicTail) -> Bool { left.id == right.id }
}
