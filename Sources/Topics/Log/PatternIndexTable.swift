/// The pattern indexes in use: a cache with a limit, since each one costs every publish a little.
struct PatternIndexTable {
    private var slots: [PatternIndex?] = []
    private var byPattern: [TopicPattern: Int] = [:]
    /// Places of topics in all indexes together.
    private(set) var places = 0

    var count: Int { byPattern.count }

    /// The index of `pattern` if there is one.
    func find(_ pattern: TopicPattern, now: Timestamp) -> PatternIndex? {
        guard let slot = byPattern[pattern], let index = slots[slot] else { return nil }
        index.lastRead = now
        return index
    }

    /// Makes the index of `pattern` from all topics there are, in place of those that were not
    /// read for the longest time.
    ///
    /// - Complexity: O(topics × log topics + tombstones).
    mutating func make(
        _ pattern: TopicPattern, of records: some Sequence<TopicRecord>, losses: Losses,
        now: Timestamp
    ) -> PatternIndex {
        let members = records.filter { pattern.matches($0.name) }.sorted { $0.newest > $1.newest }
        while count >= Limits.patternIndexesMax
            || (count > 0 && places + members.count > Limits.patternPlacesMax)
        {
            removeLeastRecentlyRead()
        }
        let index = PatternIndex(pattern: pattern, losses: losses, now: now)
        let slot = slots.firstIndex { $0 == nil } ?? slots.count
        if slot == slots.count { slots.append(index) } else { slots[slot] = index }
        byPattern[pattern] = slot
        for record in members { insert(record, slot, index, inFront: false) }
        return index
    }

    /// Adds a new topic to the indexes it belongs to.
    ///
    /// - Complexity: O(indexes).
    mutating func insert(_ record: TopicRecord, inFront: Bool) {
        for (slot, index) in slots.enumerated() {
            guard let index, index.pattern.matches(record.name) else { continue }
            insert(record, slot, index, inFront: inFront)
        }
    }

    private mutating func insert(
        _ record: TopicRecord, _ slot: Int, _ index: PatternIndex, inFront: Bool
    ) {
        let node = index.insert(record, inFront: inFront)
        record.places.append(PatternPlace(index: slot, node: node))
        places += 1
    }

    mutating func remove(_ record: TopicRecord) {
        for place in record.places { slots[place.index]?.remove(place.node) }
        places -= record.places.count
        record.places = []
    }

    /// `record` has the newest event of the bus.
    func moveToFront(_ record: TopicRecord) {
        for place in record.places { slots[place.index]?.moveToFront(place.node) }
    }

    /// `record` lost events.
    func noteLosses(of record: TopicRecord) {
        for place in record.places { slots[place.index]?.noteLosses(of: record) }
    }

    /// Drops indexes that nobody read since `time`.
    mutating func removeUnread(since time: Timestamp) {
        for (slot, index) in slots.enumerated() {
            if let index, index.lastRead < time { remove(slot, index) }
        }
    }

    private mutating func removeLeastRecentlyRead() {
        let used = slots.enumerated().compactMap { slot, index in index.map { (slot, $0) } }
        guard let (slot, index) = used.min(by: { $0.1.lastRead < $1.1.lastRead }) else { return }
        remove(slot, index)
    }

    private mutating func remove(_ slot: Int, _ index: PatternIndex) {
        index.visitAll { $0.places.removeAll { $0.index == slot } }
        places -= index.count
        byPattern[index.pattern] = nil
        slots[slot] = nil
    }
}
