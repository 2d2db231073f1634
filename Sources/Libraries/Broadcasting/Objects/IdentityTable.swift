/// Entries in order of insertion, found by the identity of the object that each is for.
///
/// The one table under weak sets and the registry of a broadcaster. It never looks at the objects:
/// the code that fills it has to ensure that an identity stays that of one object while its entry
/// is here.
///
/// - Complexity: O(1) to add, drop and look up, amortised.
struct IdentityTable<Entry> {
    /// In order of insertion; nil where one was dropped.
    private(set) var entries: [Entry?] = []

    private var positions = IdentityMap()

    /// How many entries there are.
    var count: Int { positions.count }

    /// The entry of an identity.
    subscript(identity: ObjectIdentifier) -> Entry? {
        positions[identity].flatMap { entries[$0] }
    }

    /// The index of an identity's entry in ``entries``, until the table changes.
    func position(of identity: ObjectIdentifier) -> Int? { positions[identity] }

    /// Changes the entry of an identity in place; nil if there is none.
    mutating func change<Result>(
        _ identity: ObjectIdentifier, _ body: (inout Entry) -> Result
    ) -> Result? {
        guard let position = positions[identity] else { return nil }
        return body(&entries[position]!)
    }

    /// Adds an entry behind all others; false if its identity has one already.
    mutating func add(_ entry: Entry, for identity: ObjectIdentifier) -> Bool {
        guard positions[identity] == nil else { return false }
        positions[identity] = entries.count
        entries.append(entry)
        return true
    }

    /// Takes an entry out; nil if there is none.
    mutating func drop(_ identity: ObjectIdentifier) -> Entry? {
        guard let position = positions[identity] else { return nil }
        positions[identity] = nil
        let dropped = entries[position]
        entries[position] = nil
        if entries.count >= 2 * max(count, BroadcastingLimits.sweepEntriesMin) { close() }
        return dropped
    }

    /// Takes out unwanted entries, and leaves no holes.
    ///
    /// - Complexity: O(entries).
    mutating func removeAll(where isUnwanted: (Entry) -> Bool) {
        for (position, entry) in entries.enumerated() {
            if let entry, isUnwanted(entry) { entries[position] = nil }
        }
        positions.filter { [entries] in entries[$0] != nil }
        close()
    }

    /// Closes the holes that drops have left.
    private mutating func close() {
        var moved = [Int](repeating: 0, count: entries.count)
        var kept: [Entry?] = []
        kept.reserveCapacity(count)
        for (position, entry) in entries.enumerated() where entry != nil {
            moved[position] = kept.count
            kept.append(entry)
        }
        entries = kept
        positions.update { moved[$0] }
    }
}

extension IdentityTable: Sendable where Entry: Sendable {}
