/// The lists of a protocol's topics, found by the hashes of the topics.
///
/// Not a dictionary by topic, which would copy the topic of every entry that a lookup passes, the
/// more of them the more topics there are: here a lookup passes numbers, and looks at a topic only
/// where the hashes agree.
///
/// - Complexity: O(1) to look up, add and drop, amortised.
struct TopicRegistrations {
    typealias Observers = IdentityTable<Registration>

    /// The list of one topic.
    struct Entry {
        let topic: TopicKey
        var observers = Observers()
    }

    /// By hash; hardly ever more than one in a chain, and never none.
    private var chains: [Int: [Entry]] = [:]

    var isEmpty: Bool { chains.isEmpty }

    /// The lists of all topics, in no order.
    var entries: some Sequence<Entry> { chains.values.joined() }

    /// The list of a topic.
    subscript(topic: TopicKey) -> Observers? {
        guard let chain = chains[topic.digest], let position = Self.position(of: topic, in: chain)
        else { return nil }
        return chain[position].observers
    }

    /// Adds a registration to the list of a topic, behind all others.
    mutating func add(_ registration: Registration, of topic: TopicKey) {
        let identity = registration.observer.identity
        if let position = chains[topic.digest].flatMap({ Self.position(of: topic, in: $0) }) {
            _ = chains[topic.digest]?[position].observers.add(registration, for: identity)
        } else {
            var entry = Entry(topic: topic)
            _ = entry.observers.add(registration, for: identity)
            chains[topic.digest, default: []].append(entry)
        }
    }

    /// Takes an observer of a topic out.
    ///
    /// - Returns: The topic and its list, if that was the last one.
    mutating func drop(_ observer: ObjectIdentifier, of topic: TopicKey) -> Entry? {
        guard let position = chains[topic.digest].flatMap({ Self.position(of: topic, in: $0) })
        else { return nil }
        _ = chains[topic.digest]?[position].observers.drop(observer)
        guard chains[topic.digest]?[position].observers.count == 0 else { return nil }
        let emptied = chains[topic.digest]?.remove(at: position)
        if chains[topic.digest]?.isEmpty == true { chains[topic.digest] = nil }
        return emptied
    }

    private static func position(of topic: TopicKey, in chain: [Entry]) -> Int? {
        chain.indices.first { chain[$0].topic.topic == topic.topic }
    }
}
