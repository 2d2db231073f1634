/// The places of topics, each with a key. The smallest key is first, and any may be changed.
///
/// - Complexity: O(log places) to change, O(1) to look; of ``rising`` O(log n) for each of the first n.
struct IndexedHeap<Key: Comparable & Sendable>: Sendable {
    /// A place and its key.
    typealias Entry = (key: Key, place: Int)

    private var entries: [Entry] = []
    /// The index of each place among the entries, or `none`.
    private var indices: [Int] = []

    private static var none: Int { -1 }

    var first: Entry? { entries.first }
    var count: Int { entries.count }

    /// The key of a place; setting nil takes the place out.
    subscript(place: Int) -> Key? {
        get { index(of: place).map { entries[$0].key } }
        set {
            switch (index(of: place), newValue) {
            case (let index?, let key?):
                let isEarlier = key < entries[index].key
                entries[index].key = key
                if isEarlier { rise(from: index) } else { sink(from: index) }
            case (let index?, nil): remove(at: index)
            case (nil, let key?):
                while indices.count <= place { indices.append(Self.none) }
                entries.append((key, place))
                indices[place] = entries.count - 1
                rise(from: entries.count - 1)
            case (nil, nil): break
            }
        }
    }

    /// All entries, the smallest first.
    var rising: Rising { Rising(entries) }

    /// Entries in the order of their keys, found one by one.
    struct Rising: Sequence, IteratorProtocol {
        private let entries: [Entry]
        /// The indices of the entries that may be the next.
        private var candidates = Heap<Candidate>()

        private struct Candidate: Comparable {
            let key: Key
            let index: Int

            static func < (left: Self, right: Self) -> Bool { left.key < right.key }
            static func == (left: Self, right: Self) -> Bool { left.key == right.key }
        }

        fileprivate init(_ entries: [Entry]) {
            self.entries = entries
            consider(0)
        }

        mutating func next() -> Entry? {
            guard candidates.count > 0 else { return nil }
            let index = candidates.removeFirst().index
            consider(2 * index + 1)
            consider(2 * index + 2)
            return entries[index]
        }

        private mutating func consider(_ index: Int) {
            guard index < entries.count else { return }
            candidates.insert(Candidate(key: entries[index].key, index: index))
        }
    }

    private func index(of place: Int) -> Int? {
        guard place < indices.count, indices[place] != Self.none else { return nil }
        return indices[place]
    }

    private mutating func remove(at index: Int) {
        indices[entries[index].place] = Self.none
        let last = entries.removeLast()
        guard index < entries.count else { return }
        put(last, at: index)
        rise(from: index)
        sink(from: index)
    }

    private mutating func put(_ entry: Entry, at index: Int) {
        entries[index] = entry
        indices[entry.place] = index
    }

    private mutating func rise(from start: Int) {
        let entry = entries[start]
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.key < entries[parent].key else { break }
            put(entries[parent], at: index)
            index = parent
        }
        put(entry, at: index)
    }

    private mutating func sink(from start: Int) {
        let entry = entries[start]
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].key < entries[child].key { child += 1 }
            guard entries[child].key < entry.key else { break }
            put(entries[child], at: index)
            index = child
        }
        put(entry, at: index)
    }
}
