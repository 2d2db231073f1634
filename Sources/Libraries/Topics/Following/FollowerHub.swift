internal import Protection

/// The one observer of a bus that wakes all of its followers, each only for batches and removals
/// that concern it.
///
/// Followers do not register with the broadcaster themselves: it would call all of them for every
/// batch. They are listed here by selector, from their making to their end.
///
/// - Complexity: An admitted batch takes O(followers that it concerns), plus the search for their
///   selectors, see ``SelectorIndex``. To add and to remove a follower takes O(1), for the first
///   and the last of a selector O(terms).
final class FollowerHub: TopicObserver {
    typealias Followers = [ObjectIdentifier: Follower]

    private struct Table {
        let followers = SelectorIndex<Followers>()
        /// All that was admitted up to here has reached the followers that it concerns.
        var seen = EventID.zero
        var isDraining = false
    }

    private let table = Protected(Table())

    /// Lets a follower be woken from now on. Returns whether the bus is draining.
    func add(_ follower: Follower) -> Bool {
        table.write { table in
            let identity = ObjectIdentifier(follower)
            if table.followers[follower.selector] == nil {
                table.followers[follower.selector] = [identity: follower]
            } else {
                table.followers.change(follower.selector) { $0[identity] = follower }
            }
            return table.isDraining
        }
    }

    func remove(_ follower: Follower) {
        table.write { table in
            table.followers.change(follower.selector) { $0[ObjectIdentifier(follower)] = nil }
            if table.followers[follower.selector]?.isEmpty == true {
                table.followers[follower.selector] = nil
            }
        }
    }

    /// All that was admitted up to here has been noted by every follower that it concerns.
    var seen: EventID { table.read { $0.seen } }

    /// How many selectors are followed.
    var selectorCount: Int { table.read { $0.followers.count } }

    /// Wakes the followers that an admission concerns. It ignores those of other buses, since
    /// several buses may share a broadcaster.
    func admitted(_ admission: Admission) {
        guard admission.hub == ObjectIdentifier(self) else { return }
        let (concerned, seen) = table.write { table in
            var concerned: [Follower] = []
            table.followers.visit(admission.topic) { concerned += $0.values }
            defer { if concerned.isEmpty { table.seen = admission.newest } }
            return (concerned, table.seen)
        }
        guard !concerned.isEmpty else { return }
        for follower in concerned { follower.admitted(admission, after: seen) }
        // Only now: code that reads it looks next whether its follower has noted anything.
        table.write { $0.seen = admission.newest }
    }

    /// Ends all followers, those to come included, once they have delivered all visible events.
    func drain() {
        let (followers, seen) = table.write { table in
            table.isDraining = true
            return (table.followers.values.flatMap(\.values), table.seen)
        }
        for follower in followers { follower.drain(after: seen) }
    }
}
