/// The table of a broadcaster: the observers of each protocol and topic.
///
/// A change never looks whether an observer lives: that would hold it, and its `deinit` could come
/// to run inside the change. Dead entries are found in a snapshot, by ``dead()``, and taken out by
/// a later change: gone is for ever.
///
/// - Complexity: O(1) to look up, add and take out at one place; a list that a notification reads
///   at this moment is copied when it changes.
struct Registry {
    typealias Observers = IdentityTable<Registration>

    /// The key of a list of observers. It has a protocol, by the identity of its metatype and never
    /// its printed name, and a topic of it, or nil for all topics.
    struct Place {
        let observed: ObjectIdentifier
        let topic: TopicKey?
    }

    /// The observers of one protocol.
    struct Table {
        /// The protocol's name with its module, for people.
        let name: String
        let observed: ObjectIdentifier
        /// Those of all topics.
        var general = Observers() {
            didSet { sole = Self.sole(of: general) }
        }
        /// Those of one topic each.
        var particular = TopicRegistrations()

        /// The registration of all topics that there is, if it is the only one.
        // Unmanaged: `general` holds it, and a notification need not.
        private(set) var sole: Unmanaged<Registration>?

        // Unmanaged: see `sole`.
        private static func sole(of list: Observers) -> Unmanaged<Registration>? {
            guard list.entries.count == 1 else { return nil }
            // Unmanaged: see `sole`.
            return list.entries[0].map { Unmanaged.passUnretained($0) }
        }

        var isEmpty: Bool { general.count == 0 && particular.isEmpty }

        subscript(topic: TopicKey?) -> Observers {
            topic.map { particular[$0] ?? Observers() } ?? general
        }

        /// All lists, that of all topics first.
        var lists: [(topic: TopicKey?, observers: Observers)] {
            [(nil, general)] + particular.entries.map { ($0.topic, $0.observers) }
        }
    }

    /// The entries there are, dead ones included.
    private(set) var entryCount = 0

    private(set) var tables = IdentityTable<Table>()
    private var lastNumber: UInt64 = 0
    /// Objects that changes took out, until ``takeDisplaced()``.
    private var displaced: [Any] = []
    private var sweepAt = BroadcastingLimits.sweepEntriesMin

    /// Adds an observer behind all others; one that is there keeps its place in the order.
    ///
    /// - Returns: Its registration, new or not.
    mutating func add<P>(
        _ observer: AnyObject, as conforming: P, of observed: P.Type, topic: TopicKey?
    ) -> Registration {
        let key = ObjectIdentifier(observed)
        if let standing = tables[key]?[topic][ObjectIdentifier(observer)] { return standing }
        lastNumber += 1
        entryCount += 1
        let registration = Registration(observer, as: conforming, number: lastNumber)
        if tables.position(of: key) == nil {
            _ = tables.add(Table(name: String(reflecting: observed), observed: key), for: key)
        }
        _ = tables.change(key) { table in
            if let topic {
                table.particular.add(registration, of: topic)
            } else {
                _ = table.general.add(registration, for: registration.observer.identity)
            }
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
        for topic in topics(of: observer, in: observed) + [nil] {
            drop(observer, at: Place(observed: observed, topic: topic))
        }
    }

    /// Takes all observers of a protocol out.
    mutating func removeAll(of observed: ObjectIdentifier) {
        guard let table = tables.drop(observed) else { return }
        for list in [table.general] + table.particular.entries.map(\.observers) {
            entryCount -= list.count
            for case let registration? in list.entries { registration.end() }
        }
        displaced.append(table)
    }

    /// Takes out the registrations that ``dead()`` found, as far as they stand.
    mutating func remove(_ dead: [(registration: Registration, place: Place)]) {
        for (registration, place) in dead { remove(registration, at: place) }
        sweepAt = max(BroadcastingLimits.sweepEntriesMin, 2 * entryCount)
    }

    /// Hands over the objects that changes took out so far, topics included. Releasing them may run
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
        for case let table? in tables.entries {
            for (topic, list) in table.lists {
                for case let registration? in list.entries
                where registration.observer.object == nil {
                    dead.append((registration, Place(observed: table.observed, topic: topic)))
                }
            }
        }
        return dead
    }

    /// The observers that a notification of a protocol without topic reaches.
    ///
    /// May hold an observer, and so must be handed out of the lock before it is released.
    func audience(of observed: ObjectIdentifier) -> Audience {
        guard let position = tables.position(of: observed) else { return .nobody }
        if let sole = tables.entries[position]?.sole {
            var audience = Audience.nobody
            sole._withUnsafeGuaranteedRef { audience = Audience(of: $0) }
            return audience
        }
        let registrations = tables.entries[position]?.general.entries ?? []
        return registrations.isEmpty ? .nobody : .many(registrations)
    }

    /// The registrations for all topics of a protocol, in order; nil where one was removed.
    func registrations(of observed: ObjectIdentifier) -> [Registration?] {
        guard let position = tables.position(of: observed) else { return [] }
        return tables.entries[position]?.general.entries ?? []
    }

    /// The registrations for all topics of a protocol or for the one at `place`, each observer
    /// once, in order of registration; nil where one was removed.
    func registrations(at place: Place) -> [Registration?] {
        guard let topic = place.topic, let position = tables.position(of: place.observed),
            let particular = tables.entries[position]?.particular[topic]
        else { return registrations(of: place.observed) }
        guard let general = tables.entries[position]?.general, general.count > 0 else {
            return particular.entries
        }
        return Self.merged(general, particular)
    }

    /// The registrations of both lists in one order.
    private static func merged(_ left: Observers, _ right: Observers) -> [Registration?] {
        var merged: [Registration?] = []
        var rest = registrations(of: right, before: left)[...]
        for registration in registrations(of: left, before: right) {
            while let next = rest.first, next.number < registration.number {
                merged.append(rest.removeFirst())
            }
            merged.append(registration)
        }
        return merged + rest.map { Optional($0) }
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

    /// The topics of a protocol under which an observer stands.
    private func topics(
        of observer: ObjectIdentifier, in observed: ObjectIdentifier
    ) -> [TopicKey?] {
        guard let table = tables[observed] else { return [] }
        return table.particular.entries.filter { $0.observers[observer] != nil }.map(\.topic)
    }

    private mutating func drop(_ observer: ObjectIdentifier, at place: Place) {
        guard let standing = tables[place.observed]?[place.topic][observer] else { return }
        standing.end()
        entryCount -= 1
        displaced.append(standing)
        guard let topic = place.topic else {
            _ = tables.change(place.observed) { $0.general.drop(observer) }
            return forgetIfEmpty(place.observed)
        }
        let emptied = tables.change(place.observed) { $0.particular.drop(observer, of: topic) }
        if let emptied, let emptied {
            displaced.append(emptied)
            forgetIfEmpty(place.observed)
        }
    }

    private mutating func forgetIfEmpty(_ observed: ObjectIdentifier) {
        if tables[observed]?.isEmpty == true { _ = tables.drop(observed) }
    }
}
