/// Looks for the n-th last event of some topics, from the end, a bounded number at a time.
struct BackwardSearch {
    let filter: EventFilter
    let examinedMax: Int
    private var found = 0
    private var below: EventID?

    enum Outcome {
        /// The n-th last event.
        case found(EventID)
        /// There are fewer.
        case exhausted
        /// The store has to say.
        case older
        /// Enough for one turn.
        case goOn
    }

    private struct Tail: Comparable {
        let id: EventID
        let slot: Int
        /// The ring's index; nil where the store's part begins.
        let index: Int?

        static func < (left: Tail, right: Tail) -> Bool { left.id > right.id }
    }

    init(filter: EventFilter, examinedMax: Int = Limits.examinedEventsMax) {
        self.filter = filter
        self.examinedMax = examinedMax
    }

    mutating func look(_ count: Int, back topics: [TopicRecord]) -> Outcome {
        if topics.count == 1, filter.isAll, below == nil {
            return look(count, back: topics[0])
        }
        var tails = Heap(
            topics.enumerated().compactMap { slot, record in
                let end = below.map { record.index(before: $0) } ?? record.ring.count
                return Self.tail(of: record, slot, before: end)
            })
        var examined = 0
        while let tail = tails.first {
            guard let index = tail.index else { return .older }
            guard examined < examinedMax else { return .goOn }
            examined += 1
            below = tail.id
            let record = topics[tail.slot]
            if filter.admits(record.ring[index]) {
                found += 1
                if found == count { return .found(tail.id) }
            }
            if let next = Self.tail(of: record, tail.slot, before: index) {
                tails.replaceFirst(with: next)
            } else {
                _ = tails.removeFirst()
            }
        }
        return .exhausted
    }

    private func look(_ count: Int, back record: TopicRecord) -> Outcome {
        if record.retained.count >= count {
            return .found(record.ring[record.ring.count - count].id)
        }
        return record.older == nil ? .exhausted : .older
    }

    private static func tail(of record: TopicRecord, _ slot: Int, before end: Int) -> Tail? {
        if end > record.graced {
            return Tail(id: record.ring[end - 1].id, slot: slot, index: end - 1)
        }
        return record.older.map { Tail(id: $0.newest, slot: slot, index: nil) }
    }
}
