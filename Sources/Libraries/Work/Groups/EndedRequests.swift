internal import Topics

/// Requests that ended before their events expired: until then, no worker is to start on them.
///
/// All of them together have a bound. At the bound the user with the most of them makes room: of these the
/// one whose time ends first is forgotten, and may be handed out like any other event. So a user who has
/// fewer than an equal part forgets none, however many others hang up.
///
/// A plain value: its owner has the lock around it.
struct EndedRequests {
    private struct Ended: Comparable {
        let deadline: Int64
        let id: EventID

        static func < (one: Ended, other: Ended) -> Bool {
            (one.deadline, one.id) < (other.deadline, other.id)
        }
    }

    private var ids: Set<EventID> = []
    /// Of each user that has some, those whose time ends first in front.
    private var users: [UInt32?: Heap<Ended>] = [:]
    private let countMax: Int

    /// None yet.
    init(countMax: Int = Limits.endedRequestsMax) { self.countMax = countMax }

    /// How many there are.
    var count: Int { ids.count }

    /// Whether this one is among them.
    func has(_ id: EventID) -> Bool { ids.contains(id) }

    /// Adds the request of a user.
    ///
    /// - Complexity: O(log count); at the bound also O(users that have some).
    mutating func add(_ id: EventID, until deadline: Int64, of user: UInt32?) {
        guard ids.insert(id).inserted else { return }
        users[user, default: Heap()].insert(Ended(deadline: deadline, id: id))
        guard ids.count > countMax else { return }
        // Of several that have as many it is the one with the highest number: the same at each run.
        let most = users.max {
            ($0.value.count, $0.key.map { Int($0) } ?? -1)
                < ($1.value.count, $1.key.map { Int($0) } ?? -1)
        }
        if let most { forget(of: most.key) }
    }

    /// Forgets those whose time has come.
    ///
    /// - Complexity: O(users that have some + those that are forgotten · log count).
    mutating func expire(now: Int64) {
        for user in Array(users.keys) {
            while let next = users[user]?.first, next.deadline <= now { forget(of: user) }
        }
    }

    /// Forgets the one of a user whose time ends first.
    private mutating func forget(of user: UInt32?) {
        guard let ended = users[user]?.removeFirst() else { return }
        ids.remove(ended.id)
        if users[user]?.count == 0 { users[user] = nil }
    }
}
