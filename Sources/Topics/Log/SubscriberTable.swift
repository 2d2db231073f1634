/// How many subscriptions there are per selector, and so per topic.
struct SubscriberTable {
    private var byName: [TopicName: Int] = [:]
    private var bySelector: [Selector: Int] = [:]
    private var version = 0

    /// How many there are for exactly this name.
    func named(_ name: TopicName) -> Int { byName[name] ?? 0 }

    /// How many there are in all.
    private(set) var total = 0

    /// Adds `change` subscriptions, one more or one less.
    mutating func change(_ selector: Selector, by change: Int) {
        total += change
        if let name = selector.singleName {
            Self.change(&byName, name, by: change)
        } else {
            Self.change(&bySelector, selector, by: change)
            version += 1
        }
    }

    /// All that match the topic of `record`.
    ///
    /// - Complexity: O(1), or O(distinct selectors with patterns) after one of those changed.
    func matching(_ record: TopicRecord) -> Int {
        if record.matching.version != version {
            record.matching = (version, count(matching: record.name))
        }
        return record.namedSubscribers + record.matching.count
    }

    private func count(matching name: TopicName) -> Int {
        var count = 0
        for (selector, subscriptions) in bySelector where selector.matches(name) {
            count += subscriptions
        }
        return count
    }

    private static func change<Key: Hashable>(
        _ table: inout [Key: Int], _ key: Key, by change: Int
    ) {
        let count = (table[key] ?? 0) + change
        precondition(count >= 0, "a subscription to \(key) ended that never began")
        table[key] = count == 0 ? nil : count
    }
}
