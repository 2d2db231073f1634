/// How many subscriptions there are per selector, and so per topic.
///
/// How many there are for exactly the name of a topic is with the topic's record.
struct SubscriberTable {
    /// The numbers of subscriptions to names that no topic has.
    private var byName: [TopicName: Int] = [:]
    private let bySelector = SelectorIndex<Int>()
    private var version = 0

    /// How many subscriptions there are to exactly this name, which no topic has.
    func named(_ name: TopicName) -> Int { byName[name] ?? 0 }

    /// How many there are in all.
    private(set) var total = 0

    /// Adds `change` subscriptions, one more or one less.
    ///
    /// - Parameters:
    ///   - record: The topic of which the selector is the name, if there is one.
    ///   - isForgotten: Whether a selector that is not one name goes with its last subscription, else
    ///     by ``forget(_:)``.
    mutating func change(
        _ selector: Selector, of record: TopicRecord?, by change: Int, isForgotten: Bool = true
    ) {
        total += change
        if let record {
            let count = Self.count(record.namedSubscribers, by: change, selector)
            record.namedSubscribers = count ?? 0
        } else if let name = selector.singleName {
            byName[name] = Self.count(byName[name], by: change, selector)
        } else {
            let count = Self.count(bySelector[selector], by: change, selector)
            bySelector[selector] = isForgotten ? count : count ?? 0
            version += 1
        }
    }

    /// Takes out a selector that is not one name, if there is no subscription to it.
    mutating func forget(_ selector: Selector) {
        if bySelector[selector] == 0 { bySelector[selector] = nil }
    }

    /// Hands the number of subscriptions to exactly its name to a topic that has come.
    mutating func hand(to record: TopicRecord) {
        record.namedSubscribers = byName.removeValue(forKey: record.name) ?? 0
    }

    /// Takes the number of subscriptions to exactly its name from a topic that goes.
    mutating func take(from record: TopicRecord) {
        if record.namedSubscribers > 0 { byName[record.name] = record.namedSubscribers }
    }

    /// How many subscriptions match the topic of `record`.
    ///
    /// - Complexity: O(1); after a selector that is not one name came or went, that of visiting a
    ///   ``SelectorIndex``.
    func matching(_ record: TopicRecord) -> Int {
        if record.matching.version != version {
            record.matching = (version, count(matching: record.name))
        }
        return record.namedSubscribers + record.matching.count
    }

    private func count(matching name: TopicName) -> Int {
        var count = 0
        bySelector.visit(name) { count += $0 }
        return count
    }

    /// The number of subscriptions to one selector after a change; nil for none.
    private static func count(_ count: Int?, by change: Int, _ selector: Selector) -> Int? {
        let count = (count ?? 0) + change
        precondition(count >= 0, "a subscription to \(selector) ended that never began")
        return count == 0 ? nil : count
    }
}
