/// The pattern indexes in use: a cache with a limit, since they take memory.
struct PatternIndexTable {
    private let countMax: Int
    private var slots: [PatternIndex?] = []
    private var freeSlots: [Int] = []
    private var byScope: [PatternScope: Int] = [:]
    private let byPattern = PatternTree<PatternIndex>()
    /// Places of topics in all indexes together.
    private(set) var places = 0

    var count: Int { byScope.count }

    /// What the indexes take in memory.
    var bytes: Int { count * Overhead.indexBytes + places * Overhead.placeBytes }

    init(countMax: Int = Limits.patternIndexesMax) {
        self.countMax = countMax
    }

    /// The index of a scope if there is one.
    func find(_ scope: PatternScope, now: Timestamp) -> PatternIndex? {
        guard let slot = byScope[scope], let index = slots[slot] else { return nil }
        index.lastRead = now
        return index
    }

    /// Makes the index of a scope from all topics there are, in place of those that were not
    /// read for the longest time.
    ///
    /// - Complexity: O(topics × log topics + tombstones).
    mutating func make(
        _ scope: PatternScope, of records: some Sequence<TopicRecord>, losses: Losses,
        now: Timestamp
    ) -> PatternIndex {
        let members = records.filter { scope.matches($0.name) }.sorted { $0.newest > $1.newest }
        while count >= countMax
            || (count > 0 && places + members.count > Limits.patternPlacesMax)
        {
            removeLeastRecentlyRead()
        }
        let slot = freeSlots.popLast() ?? slots.count
        let index = PatternIndex(scope: scope, slot: slot, losses: losses, now: now)
        if slot == slots.count { slots.append(index) } else { slots[slot] = index }
        byScope[scope] = slot
        byPattern.add(index, at: scope.pattern)
        for record in members { insert(record, index, inFront: false) }
        return index
    }

    /// Adds a new topic to the indexes it belongs to.
    ///
    /// - Complexity: O(beginnings of patterns that its name has + indexes it belongs to).
    mutating func insert(_ record: TopicRecord, inFront: Bool) {
        var found: [PatternIndex] = []
        byPattern.visit(record.name) { index in
            if index.scope.visibility?.shows(record.name) != false { found.append(index) }
        }
        for index in found { insert(record, index, inFront: inFront) }
    }

    private mutating func insert(
        _ record: TopicRecord, _ index: PatternIndex, inFront: Bool
    ) {
        let node = index.insert(record, inFront: inFront)
        record.places.append(PatternPlace(index: index.slot, node: node))
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
        for case .some(let index) in slots where index.lastRead < time { remove(index) }
    }

    private mutating func removeLeastRecentlyRead() {
        let used = slots.lazy.compactMap(\.self)
        if let index = used.min(by: { $0.lastRead < $1.lastRead }) { remove(index) }
    }

    private mutating func remove(_ index: PatternIndex) {
        index.visitAll { $0.places.removeAll { $0.index == index.slot } }
        places -= index.count
        byScope[index.scope] = nil
        byPattern.remove(index, at: index.scope.pattern)
        slots[index.slot] = nil
        freeSlots.append(index.slot)
    }
}
