internal import Topics

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
