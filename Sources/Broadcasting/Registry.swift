/// Who observes what: the table of a broadcaster.
///
/// A change never looks whether an observer lives: that would hold it, and its `deinit` could come
/// to run inside the change. Dead entries are found in a snapshot, by ``dead()``, and taken out by
/// a later change: gone is for ever.
///
/// - Complexity: O(1) to look up, add and take out at one place; a list that a notification reads
///   at this moment is copied when it changes.
struct Registry {
    typealias Observers = IdentityTable<Registration>

    /// Where observers stand: a protocol, by the identity of its metatype and never its printed
    /// name, and a topic of it, or nil for all topics.
    struct Place {
        let observed: ObjectIdentifier
        let topic: AnyHashable?
    }

    /// The observers of one protocol.
    struct Table {
        /// The protocol's name with its module, for people.
        let name: String
        /// Those of all topics.
        var general = Observers()
        /// Those of one topic each.
        var particular: [AnyHashable: Observers] = [:]

        var isEmpty: Bool { general.count == 0 && particular.isEmpty }

        subscript(topic: AnyHashable?) -> Observers {
            topic.map { particular[$0] ?? Observers() } ?? general
        }
    }

    /// The entries there are, dead ones included.
    private(set) var entryCount = 0

    private(set) var tables: [ObjectIdentifier: Table] = [:]
    private var lastNumber: UInt64 = 0
    /// What changes took out, until ``takeDisplaced()``.
    private var displaced: [Any] = []
    private var sweepAt = BroadcastingLimits.sweepEntriesMin

    /// Adds an observer behind all others; one that is there keeps its place in the order.
    ///
    /// - Returns: Its registration, new or not.
    mutating func add<P>(
        _ observer: AnyObject, as conforming: P, of observed: P.Type, topic: AnyHashable?
    ) -> Registration {
        let key = ObjectIdentifier(observed)
        if let standing = tables[key]?[topic][ObjectIdentifier(observer)] { return standing }
        lastNumber += 1
        entryCount += 1
        let registration = Registration(observer, as: conforming, number: lastNumber)
        let identity = registration.observer.identity
        if tables[key] == nil { tables[key] = Table(name: String(reflecting: observed)) }
        if let topic {
            _ = tables[key]!.particular[topic, default: Observers()].add(
                registration, for: identity)
        } else {
            _ = tables[key]!.general.add(registration, for: identity)
        }
        return registration
    }

    /// Takes a registration out, if it stands.
    mutating func remove(_ registration: Registration, at place: Place) {
        let identity = registration.observer.identity
        guard tables[place.observed]?[place.topic][identity] === registration else { return }
        drop(identity, at: place)
    }

    /// Takes an observer of a protocol out under every topic.
    mutating func remove(_ observer: ObjectIdentifier, of observed: ObjectIdentifier) {
        guard let table = tables[observed] else { return }
        let topics = table.particular.filter { $0.value[observer] != nil }.map { Optional($0.key) }
        for topic in topics + [nil] {
            drop(observer, at: Place(observed: observed, topic: topic))
        }
    }

    /// Takes all observers of a protocol out.
    mutating func removeAll(of observed: ObjectIdentifier) {
        guard let table = tables.removeValue(forKey: observed) else { return }
        for list in [table.general] + table.particular.values {
            entryCount -= list.count
            for case let registration? in list.entries { registration.end() }
        }
        displaced.append(table)
    }

    /// Takes out what ``dead()`` found, as far as it stands.
    mutating func remove(_ dead: [(registration: Registration, place: Place)]) {
        for (registration, place) in dead { remove(registration, at: place) }
        sweepAt = max(BroadcastingLimits.sweepEntriesMin, 2 * entryCount)
    }

    /// Hands over what the changes so far took out, topics included: to release it may run
    /// somebody's `deinit`, which does not belong inside a change.
    mutating func takeDisplaced() -> [Any] {
        defer { displaced = [] }
        return displaced
    }

    /// Whether so many entries were added since the last sweep that looking for dead ones is paid.
    var isSweepDue: Bool { entryCount >= sweepAt }

    /// The registrations whose observers are gone. Looks at observers, so not for a change.
    func dead() -> [(registration: Registration, place: Place)] {
        var dead: [(registration: Registration, place: Place)] = []
        for (observed, table) in tables {
            for topic in [nil] + table.particular.keys.map({ Optional($0) }) {
                for case let registration? in table[topic].entries
                where registration.observer.object == nil {
                    dead.append((registration, Place(observed: observed, topic: topic)))
                }
            }
        }
        return dead
    }

    /// Who observes all topics of a protocol or the one at `place`, each observer once, in order
    /// of registration; nil where one was removed.
    func registrations(at place: Place) -> [Registration?] {
        guard let table = tables[place.observed] else { return [] }
        guard let topic = place.topic, let particular = table.particular[topic] else {
            return table.general.entries
        }
        return
            (Self.registrations(of: table.general, before: particular)
            + Self.registrations(of: particular, before: table.general))
            .sorted { $0.number < $1.number }
    }

    /// The registrations of one list whose observers do not stand earlier in the other one.
    private static func registrations(
        of list: Observers, before other: Observers
    ) -> [Registration] {
        list.entries.compactMap { registration in
            guard let registration else { return nil }
            let earlier = other[registration.observer.identity]?.number ?? .max
            return registration.number < earlier ? registration : nil
        }
    }

    private mutating func drop(_ observer: ObjectIdentifier, at place: Place) {
        guard let standing = tables[place.observed]?[place.topic][observer] else { return }
        standing.end()
        entryCount -= 1
        displaced.append(standing)
        guard let topic = place.topic else {
            _ = tables[place.observed]?.general.drop(observer)
            return forgetIfEmpty(place.observed)
        }
        _ = tables[place.observed]?.particular[topic]?.drop(observer)
        if tables[place.observed]?.particular[topic]?.count == 0,
            let index = tables[place.observed]?.particular.index(forKey: topic),
            let emptied = tables[place.observed]?.particular.remove(at: index)
        {
            displaced.append(emptied)
            forgetIfEmpty(place.observed)
        }
    }

    private mutating func forgetIfEmpty(_ observed: ObjectIdentifier) {
        if tables[observed]?.isEmpty == true { tables[observed] = nil }
    }
}
