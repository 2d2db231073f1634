/// A set of objects that it does not keep alive, in order of insertion.
///
/// Members are told apart by identity. One that has gone is no member any more. Its entry is
/// dropped when the set next grows past twice the members that lived at the last sweep, so no entry
/// has to be removed by hand. Dead entries never take more than the living ones took at that sweep,
/// or 16 entries.
///
/// Does not promise that ``count`` still holds when it returns: members may go at any time.
///
/// - Complexity: O(1) to insert, remove and look up, amortised; O(entries) to iterate and count.
/// - Important: A value like any set: guard it where threads share it. Iterating, counting and
///   inserting look at members and hold them meanwhile: if all others let go then, a `deinit` runs
///   inside that call.
public struct WeakObjectSet<Object: AnyObject> {
    private(set) var table = IdentityTable<WeakObject<Object>>()
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
        table[ObjectIdentifier(object)] != nil
    }

    /// Adds `object` behind all others; a member keeps its place.
    ///
    /// - Returns: Whether it was added, and the object.
    @discardableResult
    public mutating func insert(
        _ object: Object
    ) -> (inserted: Bool, memberAfterInsert: Object) {
        if table.count >= sweepAt { sweep() }
        return (table.add(WeakObject(object), for: ObjectIdentifier(object)), object)
    }

    /// Takes `object` out.
    ///
    /// - Returns: The object, or nil if it was no member.
    @discardableResult
    public mutating func remove(_ object: Object) -> Object? {
        table.drop(ObjectIdentifier(object)) == nil ? nil : object
    }

    private mutating func sweep() {
        table.removeAll { $0.object == nil }
        sweepAt = Swift.max(BroadcastingLimits.sweepEntriesMin, 2 * table.count)
    }
}

extension WeakObjectSet: Sequence {
    /// The living members in order of insertion, as the set was when the iteration began.
    public struct Iterator: IteratorProtocol {
        fileprivate var entries: IndexingIterator<[WeakObject<Object>?]>

        /// The next member that lives.
        public mutating func next() -> Object? {
            while let entry = entries.next() {
                if let object = entry?.object { return object }
            }
            return nil
        }
    }

    /// Iterates over the living members in order of insertion.
    public func makeIterator() -> Iterator {
        Iterator(entries: table.entries.makeIterator())
    }
}

extension WeakObjectSet: Sendable where Object: Sendable {}
