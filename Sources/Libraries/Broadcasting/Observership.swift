/// The observers of one protocol under one topic, for looking at a bus from outside.
public struct Observership {
    /// The protocol's name, with its module.
    public let observed: String
    /// The topic, or nil for observers of all topics.
    public let topic: AnyHashable?
    /// The observers that live, in order of registration.
    public let observers: [AnyObject]
}

extension Broadcaster {
    /// The observers of all protocols and topics at this moment, ordered by the protocols' names.
    ///
    /// Holds the observers while the answer is held.
    ///
    /// - Complexity: O(registrations + protocols · log protocols).
    public var observerships: [Observership] {
        snapshot.tables.entries.compactMap { $0 }.sorted { $0.name < $1.name }.flatMap { table in
            table.lists.compactMap { topic, list in
                let observers = list.entries.compactMap { $0?.observer.object }
                guard !observers.isEmpty else { return nil }
                return Observership(observed: table.name, topic: topic?.topic, observers: observers)
            }
        }
    }
}
