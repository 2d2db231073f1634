/// Who observes what: the table of a broadcaster, as a value of one moment.
///
/// A change never looks whether an observer lives: that would hold it, and its `deinit` could come
/// to run inside the change. Dead entries are found in a snapshot, by ``dead()``, and taken out by
/// a later change: gone is for ever.
///
/// - Complexity: O(1) to look up; a change copies the topics of its protocol, and the entries of
///   those it touches.
struct Registry {
    typealias Observers = WeakObjectSet<AnyObject>

    /// Where observers stand: a protocol, by the identity of its metatype and never its printed
    /// name, and a topic of it, or nil for all topics.
    struct Place {
        let observed: ObjectIdentifier
        let topic: AnyHashable?
    }

    /// Differs between any two states of one broadcaster's registry, and rises.
    private(set) var generation: UInt64 = 0

    /// The entries there are, dead ones included.
    private(set) var entryCount = 0

    private(set) var tables: [ObjectIdentifier: [AnyHashable?: Observers]] = [:]
    private var sweepAt = BroadcastingLimits.sweepEntriesMin

    /// Adds an observer behind all others; one that is there keeps its place in the order.
    mutating func add(_ observer: WeakObject<AnyObject>, at place: Place) {
        generation += 1
        if tables[place.observed, default: [:]][place.topic, default: Observers()]
            .add(observer, number: generation)
        {
            entryCount += 1
        }
    }

    /// Takes an observer of a protocol out under every topic.
    mutating func remove(_ observer: ObjectIdentifier, of observed: ObjectIdentifier) {
        generation += 1
        for (topic, observers) in tables[observed] ?? [:]
        where observers.number(of: observer) != nil {
            drop(observer, at: Place(observed: observed, topic: topic))
        }
    }

    /// Takes all observers of a protocol out.
    mutating func removeAll(of observed: ObjectIdentifier) {
        generation += 1
        let removed = tables.removeValue(forKey: observed) ?? [:]
        entryCount -= removed.values.reduce(0) { $0 + $1.entryCount }
    }

    /// Takes out what ``dead()`` found.
    mutating func remove(_ dead: [(observer: WeakObject<AnyObject>, place: Place)]) {
        generation += 1
        for (observer, place) in dead { drop(observer.identity, at: place) }
        sweepAt = max(BroadcastingLimits.sweepEntriesMin, 2 * entryCount)
    }

    /// Whether so many entries were added since the last sweep that looking for dead ones is paid.
    var isSweepDue: Bool { entryCount >= sweepAt }

    /// The entries whose observers are gone, each with what keeps its identity from being given
    /// to another object before it is taken out. Looks at observers, so not for a change.
    func dead() -> [(observer: WeakObject<AnyObject>, place: Place)] {
        tables.flatMap { observed, table in
            table.flatMap { topic, observers in
                observers.entries.compactMap { entry in
                    guard let observer = entry?.object, observer.object == nil else { return nil }
                    return (observer, Place(observed: observed, topic: topic))
                }
            }
        }
    }

    /// Who observes all topics of a protocol or the one at `place`, each observer once, in order
    /// of registration; nil where one was removed.
    func entries(at place: Place) -> [Observers.Entry?] {
        guard let table = tables[place.observed] else { return [] }
        let general = table[nil as AnyHashable?] ?? []
        guard place.topic != nil, let particular = table[place.topic] else {
            return general.entries
        }
        return
            (Self.entries(of: general, before: particular)
            + Self.entries(of: particular, before: general)).sorted { $0.number < $1.number }
    }

    /// Whether an entry of `place` or of all topics still stands.
    func holds(_ entry: Observers.Entry, at place: Place) -> Bool {
        guard let table = tables[place.observed] else { return false }
        return [nil, place.topic].contains { topic in
            table[topic]?.number(of: entry.object.identity) == entry.number
        }
    }

    /// The entries of one set whose observers do not stand earlier in the other one.
    private static func entries(
        of observers: Observers, before others: Observers
    ) -> [Observers.Entry] {
        observers.entries.compactMap { entry in
            guard let entry, entry.number < others.number(of: entry.object.identity) ?? .max
            else { return nil }
            return entry
        }
    }

    private mutating func drop(_ observer: ObjectIdentifier, at place: Place) {
        guard var observers = tables[place.observed]?[place.topic], observers.drop(observer)
        else { return }
        entryCount -= 1
        tables[place.observed]?[place.topic] = observers.entryCount == 0 ? nil : observers
        if tables[place.observed]?.isEmpty == true { tables[place.observed] = nil }
    }
}
