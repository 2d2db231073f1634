internal import Topics

/// The times when jobs are due: one heap, whose entries may be out of date.
///
/// An entry counts if its job still goes by its time. The others go when they are due, or when
/// there are more of them than jobs.
struct Agenda {
    /// One entry.
    struct Entry: Comparable {
        let time: Int64
        let id: EventID

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.id) < (right.time, right.id)
        }
    }

    private var heap = Heap<Entry>()

    mutating func insert(_ id: EventID, at time: Int64) {
        heap.insert(Entry(time: time, id: id))
    }

    /// The next entry that is due by `now`.
    mutating func next(by now: Int64) -> Entry? {
        guard let first = heap.first, first.time <= now else { return nil }
        return heap.removeFirst()
    }

    /// Whether most entries do not count, of so many jobs.
    func isStale(with count: Int) -> Bool { heap.count > 2 * count + Limits.staleEntriesMax }

    /// Only these entries from now on.
    mutating func rebuild(_ entries: [Entry]) { heap = Heap(entries) }

    /// When the next entry is due; nil without one.
    var first: Int64? { heap.first?.time }
}
