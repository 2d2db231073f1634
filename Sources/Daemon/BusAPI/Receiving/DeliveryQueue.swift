internal import Topics

/// What was admitted and is to be delivered on one loop: so many subscriptions a turn, so that the
/// loop's other connections do not wait for all.
///
/// Belongs to its loop. Rounds are delivered one after the other, in the order of admission.
struct DeliveryQueue {
    private struct Round {
        var woken: [SubscriptionTable.Woken]
        let after: EventID
        let through: EventID
        var group = 0
        var member = 0
    }

    private var rounds = Ring<Round>()
    /// The memory of a round that is over, for the next.
    private var spare: [SubscriptionTable.Woken] = []
    /// Whoever waits and has told everything it was woken for has told everything up to here.
    private(set) var deliveredThrough = EventID.zero
    private var admittedThrough = EventID.zero

    var isEmpty: Bool { rounds.isEmpty }

    /// Adds those that `find` finds to be woken by everything that was admitted since the last time.
    mutating func add(through: EventID, _ find: (inout [SubscriptionTable.Woken]) -> Void) {
        guard through > admittedThrough else { return }
        var woken: [SubscriptionTable.Woken] = []
        swap(&woken, &spare)
        find(&woken)
        rounds.append(Round(woken: woken, after: admittedThrough, through: through))
        admittedThrough = through
    }

    /// The next subscriptions of one round, at most so many, with their news; nil when there is none.
    mutating func next(
        atMost countMax: Int
    ) -> (members: ArraySlice<any HTTPSubscription>, news: LogNews, isOnlyOne: Bool)? {
        while isFirstOver { endFirst() }
        guard var round = rounds.first else { return nil }
        let woken = round.woken[round.group]
        let end = min(woken.members.count, round.member + countMax)
        let members = woken.members[round.member..<end]
        let isOnlyOne = round.woken.count == 1 && woken.members.count == 1
        round.member = end
        if end == woken.members.count {
            round.group += 1
            round.member = 0
        }
        rounds.replaceFirst(with: round)
        let news = LogNews(topics: woken.topics, after: round.after, through: round.through)
        return (members, news, isOnlyOne)
    }

    private var isFirstOver: Bool {
        rounds.first.map { $0.group == $0.woken.count } ?? false
    }

    private mutating func endFirst() {
        var round = rounds.removeFirst()
        deliveredThrough = round.through
        swap(&spare, &round.woken)
        spare.removeAll(keepingCapacity: true)
    }
}
