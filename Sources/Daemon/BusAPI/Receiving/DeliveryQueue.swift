internal import Topics

/// What was admitted and is to be delivered on one loop: so many subscriptions a turn, so that the
/// loop's other connections do not wait for all.
///
/// Belongs to its loop. Rounds are delivered one after the other, in the order of admission.
struct DeliveryQueue {
    private struct Round {
        let woken: [SubscriptionTable.Woken]
        let after: EventID
        let through: EventID
        var group = 0
        var member = 0
    }

    private var rounds = Ring<Round>()
    /// Whoever waits and has told everything it was woken for has told everything up to here.
    private(set) var deliveredThrough = EventID.zero
    private var admittedThrough = EventID.zero

    var isEmpty: Bool { rounds.isEmpty }

    /// Adds those that were woken by everything that was admitted since the last time.
    mutating func add(_ woken: [SubscriptionTable.Woken], through: EventID) {
        guard through > admittedThrough else { return }
        rounds.append(Round(woken: woken, after: admittedThrough, through: through))
        admittedThrough = through
    }

    /// The next subscriptions of one round, at most so many, with their news; nil when there is none.
    mutating func next(
        atMost countMax: Int
    ) -> (members: ArraySlice<any HTTPSubscription>, news: LogNews, isOnlyOne: Bool)? {
        while var round = rounds.first {
            guard round.group < round.woken.count else {
                deliveredThrough = round.through
                _ = rounds.removeFirst()
                continue
            }
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
        return nil
    }
}
