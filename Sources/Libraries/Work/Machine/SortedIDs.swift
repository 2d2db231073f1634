internal import Queues
internal import Topics

/// Ids that rise, each once.
///
/// - Complexity: Looking O(log count). Changing moves the ids that lie behind, 8 bytes each: ids
///   mostly come at the end, and there are at most as many as a group has open jobs.
struct SortedIDs {
    private(set) var ids: [EventID]

    /// - Parameter ids: They rise, each once.
    init(rising ids: [EventID] = []) {
        assert(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }, "the ids do not rise")
        self.ids = ids
    }

    var count: Int { ids.count }
    var isEmpty: Bool { ids.isEmpty }
    var first: EventID? { ids.first }

    /// The place of the first id behind `id`.
    func index(after id: EventID) -> Int { ids.partition { $0 > id } }

    /// Whether an id of `range` is among them.
    func hasAny(of range: ClosedRange<EventID>) -> Bool {
        let index = index(after: range.lowerBound.predecessor)
        return index < ids.count && ids[index] <= range.upperBound
    }

    mutating func insert(_ id: EventID) {
        guard let last = ids.last, last >= id else { return ids.append(id) }
        let index = index(after: id)
        if index == 0 || ids[index - 1] != id { ids.insert(id, at: index) }
    }

    mutating func remove(_ id: EventID) {
        let index = index(after: id)
        if index > 0, ids[index - 1] == id { ids.remove(at: index - 1) }
    }
}
