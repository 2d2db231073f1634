internal import Queues
internal import Telemetry
internal import Topics

/// The subscriptions of one loop, found by the topics that concern them.
///
/// Belongs to its loop. A subscription stands in it until it is removed, also while it cannot take
/// anything. Subscriptions that ask for the same stand together. So a look-up for a topic visits
/// the selectors that match it, however many subscriptions or selectors there are.
///
/// - Complexity: insert and remove O(1), and O(terms of the selector) for the first that asks for it;
///   finding O(found), see `SelectorIndex`. A selector of several topics that nobody asks for any more
///   stays until ``clearOneVacant(_:)``, so that many may go together.
final class SubscriptionTable {
    /// Subscriptions as they were at one moment; some may have ended since.
    typealias Found = ContiguousArray<any HTTPSubscription>

    /// The place of a subscription in the table.
    struct Place {
        fileprivate let group: SubscriptionGroup
        fileprivate let index: Int

        init(group: SubscriptionGroup, index: Int) {
            self.group = group
            self.index = index
        }

        /// Whether nobody else asks for the same.
        var isAlone: Bool { group.members.count == 1 }
    }

    private let groups = SelectorIndex<SubscriptionGroup>()
    private let memory: MemoryBudget
    private var round = 0
    /// Groups that have no subscription, or had none when they were noted.
    private var vacant = Ring<SubscriptionGroup>()

    /// A table that counts its selectors for the bus's memory.
    init(memory: MemoryBudget) { self.memory = memory }

    /// Whether there is room for one more subscription to this selector, with this filter.
    func hasRoom(for selector: Selector, _ filter: EventFilter) -> Bool {
        let known = groups[selector] != nil ? 0 : selector.waitingBytes
        let bytes = known + filter.attributes.memoryBytes
        return bytes == 0
            || memory.used(.selectors) + bytes <= memory.bytesMax / Limits.selectorsMemoryFraction
    }

    /// Takes in a subscription that is not in the table.
    func insert(_ subscription: any HTTPSubscription) {
        assert(subscription.place == nil, "a subscription is inserted once")
        let selector = subscription.reader.selector
        let group = groups[selector] ?? takeIn(SubscriptionGroup(selector))
        // Subscriptions that ask for the same share the memory of one selector, and are known by
        // that.
        subscription.reader.limit(to: group.selector)
        memory.charge(subscription.reader.filter.attributes.memoryBytes, to: .selectors)
        group.insert(subscription)
    }

    private func takeIn(_ group: SubscriptionGroup) -> SubscriptionGroup {
        groups[group.selector] = group
        memory.charge(group.selector.waitingBytes, to: .selectors)
        return group
    }

    /// Takes it out; does nothing to one that is not in it.
    func remove(_ subscription: any HTTPSubscription) {
        guard let place = subscription.place else { return }
        subscription.place = nil
        memory.release(subscription.reader.filter.attributes.memoryBytes, from: .selectors)
        place.group.remove(at: place.index)
        let group = place.group
        guard group.members.isEmpty else { return }
        guard group.selector.singleName == nil else { return takeOut(group) }
        guard !group.isVacant else { return }
        group.isVacant = true
        vacant.append(group)
    }

    /// Whether there are selectors to take out.
    var hasVacant: Bool { !vacant.isEmpty }

    /// Takes out the next selector that has no subscription any more, and calls `forget` with it.
    ///
    /// - Returns: How many terms are gone; 0 if the selector has a subscription again.
    @discardableResult
    func clearOneVacant(_ forget: (Selector) -> Void) -> Int {
        let group = vacant.removeFirst()
        group.isVacant = false
        guard group.members.isEmpty else { return 0 }
        takeOut(group)
        forget(group.selector)
        return group.selector.termCount
    }

    private func takeOut(_ group: SubscriptionGroup) {
        groups[group.selector] = nil
        memory.release(group.selector.waitingBytes, from: .selectors)
    }

    /// The subscriptions to one selector, and the topics that concern them. If the selector is
    /// exactly one name, that topic is left out.
    typealias Woken = (members: Found, topics: [TopicName])

    /// Adds all whose selector matches some of the topics to `found`, which is empty.
    func find(matching topics: some Sequence<TopicName>, into found: inout [Woken]) {
        round += 1
        for topic in topics {
            groups.visit(topic) { group in
                guard !group.members.isEmpty else { return }
                if group.round != round {
                    group.round = round
                    group.found = found.count
                    found.append((group.members, []))
                }
                if group.selector.singleName == nil { found[group.found].topics.append(topic) }
            }
        }
    }

    /// How many have a selector that matches a topic.
    func count(matching topic: TopicName) -> Int {
        var count = 0
        groups.visit(topic) { count += $0.members.count }
        return count
    }

    /// All whose selector is exactly this name.
    func all(named topic: TopicName) -> Found { groups[Selector(topic)]?.members ?? [] }

    /// All.
    var all: Found { groups.values.reduce(into: []) { $0 += $1.members } }

    /// How many nodes of patterns were looked at so far.
    var looks: Int { groups.visitedNodes }
}

/// The subscriptions of one loop that ask for exactly the same.
final class SubscriptionGroup {
    let selector: Selector
    private(set) var members: SubscriptionTable.Found = []
    /// Whether it waits to be taken out. A subscription that comes before keeps it in.
    var isVacant = false
    /// The round of looking in which it was last found, so that it is found once a round.
    var round = 0
    /// Its place among those that were found in this round.
    var found = 0

    init(_ selector: Selector) { self.selector = selector }

    /// Adds a member, in O(1).
    func insert(_ subscription: any HTTPSubscription) {
        subscription.place = SubscriptionTable.Place(group: self, index: members.count)
        members.append(subscription)
    }

    /// Removes the member at an index, in O(1): the last one takes its place.
    func remove(at index: Int) {
        let last = members.removeLast()
        guard index < members.count else { return }
        members[index] = last
        last.place = SubscriptionTable.Place(group: self, index: index)
    }
}
