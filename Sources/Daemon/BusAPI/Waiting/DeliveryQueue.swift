internal import Queues
internal import Topics

/// The wake-ups that are to be delivered on one loop: so many subscriptions a turn, so that the
/// loop's other connections do not wait for all of them.
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
    /// A waiting reader that has told everything it was woken for has told everything up to here.
    private(set) var deliveredThrough = EventID.zero
    private var admittedThrough = EventID.zero

    var isEmpty: Bool { rounds.isEmpty }

    /// Adds a round: the subscriptions that `find` finds to be woken by all events admitted since
    /// the last round.
    mutating func add(through: EventID, _ find: (inout [SubscriptionTable.Woken]) -> Void) {
        guard through > admittedThrough else { return }
        var woken: [SubscriptionTable.Woken] = []
        swap(&woken, &spare)
        find(&woken)
        defer { admittedThrough = through }
        guard !woken.isEmpty || !rounds.isEmpty else {
            swap(&woken, &spare)
            deliveredThrough = through
            return
        }
        rounds.append(Round(woken: woken, after: admittedThrough, through: through))
    }

    /// The next subscriptions, of one round, with their news; nil if there are none. They stay
    /// until they are passed.
    mutating func next() -> (
        members: ArraySlice<any HTTPSubscription>, news: LogNews, isOnlyOne: Bool
    )? {
        while isFirstOver { endFirst() }
        guard let round = rounds.first else { return nil }
        let woken = round.woken[round.group]
        let members = woken.members[round.member...]
        let isOnlyOne = round.woken.count == 1 && woken.members.count == 1
        let news = LogNews(topics: woken.topics, after: round.after, through: round.through)
        return (members, news, isOnlyOne)
    }

    /// Goes on behind the first so many of the next subscriptions, which were told.
    mutating func pass(_ count: Int) {
        guard var round = rounds.first else { return }
        round.member += count
        if round.member == round.woken[round.group].members.count {
            round.group += 1
            round.member = 0
        }
        rounds.replaceFirst(with: round)
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
