internal import Topics

/// The requests of one loop that wait, found by the topic that concerns them.
///
/// Belongs to its loop. A poll stands in exactly one list: that of its topic if its selector is
/// one name, else the list of those that are asked whether they match.
///
/// - Complexity: insert and remove O(1); finding O(found) beside the polls with wider selectors.
final class SubscriptionTable {
    private var named: [TopicName: ContiguousArray<LongPoll>] = [:]
    private var wide: ContiguousArray<LongPoll> = []

    func insert(_ poll: LongPoll) {
        if let name = poll.selector.singleName {
            poll.place = named[name, default: []].count
            named[name, default: []].append(poll)
        } else {
            poll.place = wide.count
            wide.append(poll)
        }
    }

    func remove(_ poll: LongPoll) {
        guard let place = poll.place else { return }
        poll.place = nil
        guard let name = poll.selector.singleName else {
            Self.remove(at: place, from: &wide)
            return
        }
        guard let index = named.index(forKey: name) else { return }
        Self.remove(at: place, from: &named.values[index])
        if named.values[index].isEmpty { named.remove(at: index) }
    }

    /// Takes out all whose selector matches the topic.
    func takeAll(matching topic: TopicName) -> ContiguousArray<LongPoll> {
        takeAll(named: topic) + takeWide { $0.matches(topic) }
    }

    /// Takes out all whose selector is exactly this name.
    func takeAll(named topic: TopicName) -> ContiguousArray<LongPoll> {
        let taken = named.removeValue(forKey: topic) ?? []
        for poll in taken { poll.place = nil }
        return taken
    }

    /// Takes out all.
    func takeAll() -> ContiguousArray<LongPoll> {
        var taken = takeWide { _ in true }
        for name in Array(named.keys) { taken += takeAll(named: name) }
        return taken
    }

    private func takeWide(_ isWanted: (Selector) -> Bool) -> ContiguousArray<LongPoll> {
        let taken = ContiguousArray(wide.filter { isWanted($0.selector) })
        for poll in taken { remove(poll) }
        return taken
    }

    private static func remove(at place: Int, from list: inout ContiguousArray<LongPoll>) {
        let last = list.removeLast()
        guard place < list.count else { return }
        list[place] = last
        last.place = place
    }
}
