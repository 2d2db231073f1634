/// A set of objects that it does not keep alive, in order of insertion.
///
/// Members are told apart by identity. One that has gone is no member any more, and its entry is
/// dropped when the set next grows past twice of what lived: no entry has to be removed by hand,
/// and what the dead take is never more than what the living took at the last sweep, or 16 entries.
///
/// Does not promise that ``count`` still holds when it returns: members may go at any time.
///
/// - Complexity: O(1) to insert, remove and look up, amortised; O(entries) to iterate and count.
/// - Important: A value like any set: guard it where threads share it. Iterating, counting and
///   inserting look at members and hold them meanwhile: if all others let go then, a `deinit` runs
///   inside that call.
public struct WeakObjectSet<Object: AnyObject> {
    /// A member and its place in the order.
    struct Entry {
        let object: WeakObject<Object>
        let number: UInt64
    }

    /// In rising order of their numbers; nil where one was removed.
    private(set) var entries: [Entry?] = []

    private var positions: [ObjectIdentifier: Int] = [:]
    private var nextNumber: UInt64 = 0
    /// The number of entries at which the next insertion sweeps first.
    private(set) var sweepAt = BroadcastingLimits.sweepEntriesMin

    /// An empty set.
    public init() {}

    /// How many members live.
    public var count: Int { reduce(0) { count, _ in count + 1 } }

    /// Whether no member lives.
    public var isEmpty: Bool { !contains { _ in true } }

    /// Whether `object` is a member.
    public func contains(_ object: Object) -> Bool {
        positions[ObjectIdentifier(object)] != nil
    }

    /// Adds `object` behind all others; a member keeps its place.
    ///
    /// - Returns: Whether it was added, and the object.
    @discardableResult
    public mutating func insert(
        _ object: Object
    ) -> (inserted: Bool, memberAfterInsert: Object) {
        if entryCount >= sweepAt { sweep() }
        return (add(WeakObject(object), number: nextNumber), object)
    }

    /// Takes `object` out.
    ///
    /// - Returns: The object, or nil if it was no member.
    @discardableResult
    public mutating func remove(_ object: Object) -> Object? {
        drop(ObjectIdentifier(object)) ? object : nil
    }
}

// What the registry of a broadcaster needs beside: nothing here looks whether an object lives, so
// that none can go meanwhile.
extension WeakObjectSet {
    /// The entries there are, dead ones included.
    var entryCount: Int { positions.count }

    /// The place of a member in the order; nil for others.
    func number(of identity: ObjectIdentifier) -> UInt64? {
        positions[identity].flatMap { entries[$0]?.number }
    }

    /// Adds an object at a place behind all others; false if it is there already.
    mutating func add(_ object: WeakObject<Object>, number: UInt64) -> Bool {
        precondition(number >= nextNumber, "\(number) is not behind the place \(nextNumber)")
        guard positions[object.identity] == nil else { return false }
        positions[object.identity] = entries.count
        entries.append(Entry(object: object, number: number))
        nextNumber = number + 1
        return true
    }

    /// Takes an entry out, whether its object lives or not; false if it is not there.
    mutating func drop(_ identity: ObjectIdentifier) -> Bool {
        guard let position = positions.removeValue(forKey: identity) else { return false }
        entries[position] = nil
        if entries.count >= 2 * Swift.max(entryCount, BroadcastingLimits.sweepEntriesMin) {
            keep(entries.compactMap { $0 })
        }
        return true
    }

    private mutating func sweep() {
        let living = entries.compactMap { entry in
            entry.flatMap { entry in entry.object.object.map { (entry, $0) } }
        }
        keep(living.map(\.0))
        sweepAt = Swift.max(BroadcastingLimits.sweepEntriesMin, 2 * living.count)
    }

    private mutating func keep(_ kept: [Entry]) {
        entries = kept
        positions = [:]
        positions.reserveCapacity(kept.count)
        for (position, entry) in kept.enumerated() { positions[entry.object.identity] = position }
    }
}

extension WeakObjectSet: Sequence {
    /// The living members in order of insertion, as the set was when the iteration began.
    public struct Iterator: IteratorProtocol {
        fileprivate var entries: IndexingIterator<[Entry?]>

        /// The next member that lives.
        public mutating func next() -> Object? {
            while let entry = entries.next() {
                if let object = entry?.object.object { return object }
            }
            return nil
        }
    }

    /// Iterates over the living members in order of insertion.
    public func makeIterator() -> Iterator {
        Iterator(entries: entries.makeIterator())
    }
}

extension WeakObjectSet: Sendable where Object: Sendable {}
extension WeakObjectSet.Entry: Sendable where Object: Sendable {}
