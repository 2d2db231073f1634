/// Who observes what: the table of a broadcaster, as a value of one moment.
///
/// - Complexity: a look-up is one hash; a change copies the list it changes.
struct Registry: Sendable {
    /// A protocol by the identity of its metatype, never its printed name, and perhaps a topic.
    // @unchecked: `AnyHashable` is not Sendable, but it is only made of Sendable topics.
    struct Key: Hashable, @unchecked Sendable {
        let observed: ObjectIdentifier
        let topic: AnyHashable?
    }

    private var lists: [Key: [Registration]] = [:]
    private var nextNumber: UInt64 = 0

    /// Adds an observer unless it is there already; prunes the list it joins.
    ///
    /// - Returns: Everything that the caller has to release outside: what was displaced, and the
    ///   observers looked at, any of which this look may be the last to hold.
    mutating func add(_ observer: AnyObject, to key: Key) -> [AnyObject] {
        var change = Change()
        var list = change.kept(of: lists[key] ?? []) { _ in false }
        if !change.observers.contains(where: { $0 === observer }) {
            list.append(Registration(observer, number: nextNumber))
            nextNumber += 1
        }
        lists[key] = list
        return change.observers + change.displaced
    }

    /// Takes an observer out under every topic; returns what the caller has to release outside.
    mutating func remove(_ observer: AnyObject, of observed: ObjectIdentifier) -> [AnyObject] {
        remove(of: observed) { $0 === observer }
    }

    /// Takes all observers of a protocol out; returns what the caller has to release outside.
    mutating func removeAll(of observed: ObjectIdentifier) -> [AnyObject] {
        remove(of: observed) { _ in true }
    }

    /// The observers of exactly this key, in order of registration.
    func list(_ key: Key) -> [Registration] { lists[key] ?? [] }

    private mutating func remove(
        of observed: ObjectIdentifier, where isUnwanted: (AnyObject) -> Bool
    ) -> [AnyObject] {
        var change = Change()
        for (key, list) in lists where key.observed == observed {
            let kept = change.kept(of: list, unless: isUnwanted)
            lists[key] = kept.isEmpty ? nil : kept
        }
        return change.observers + change.displaced
    }

    /// What one change looked at and took out.
    private struct Change {
        var observers: [AnyObject] = []
        var displaced: [Registration] = []

        mutating func kept(
            of list: [Registration], unless isUnwanted: (AnyObject) -> Bool
        ) -> [Registration] {
            list.filter { registration in
                guard let observer = registration.active else {
                    displaced.append(registration)
                    return false
                }
                observers.append(observer)
                guard isUnwanted(observer) else { return true }
                registration.end()
                displaced.append(registration)
                return false
            }
        }
    }
}
