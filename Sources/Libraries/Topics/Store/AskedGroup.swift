/// One entry of a group of an order, before the requests of the group are decided.
package enum AskedEntry: Sendable {
    case entry(StoreEntry)
    case request(GroupRequest)
}

/// A group of entries as an order has it.
package struct AskedGroup: Sendable {
    /// Its place.
    package let place: OrderPlace
    /// The settings that hold from this group on; nil where they stay as they are.
    package let settings: OrderSettings?
    /// Its entries, in their order.
    package let entries: [AskedEntry]

    /// A group as given.
    package init(place: OrderPlace, settings: OrderSettings? = nil, entries: [AskedEntry]) {
        self.place = place
        self.settings = settings
        self.entries = entries
    }

    /// Whether it asks work groups for something.
    package var hasRequests: Bool {
        entries.contains { if case .request = $0 { true } else { false } }
    }

    /// The group for a replica, with entries in place of those that are asked for.
    package func decided(_ entries: [StoreEntry]) -> OrderedGroup {
        OrderedGroup(place: place, settings: settings, entries: entries)
    }

    /// The group for a replica; nil where it has requests.
    package var decided: OrderedGroup? {
        var decided: [StoreEntry] = []
        for entry in entries {
            guard case .entry(let entry) = entry else { return nil }
            decided.append(entry)
        }
        return self.decided(decided)
    }
}

/// Decides the effects of requests to work groups, on each host of an order alike.
package protocol RequestDecider: AnyObject, Sendable {
    /// Decides the requests of a group; `then` gets an entry in place of each entry of the group, before
    /// this returns or later. Those that are no requests stay as they are.
    ///
    /// The replica has applied all groups before it, and everybody was told. The ids of its entries
    /// begin with `first`. After a failure the same group comes again. After a success
    /// ``decidedWasTold()`` comes, and then the next group.
    func decide(
        _ group: AskedGroup, first: EventID,
        then: @escaping @Sendable (Result<[StoreEntry], BusError>) -> Void)

    /// The replica has applied the group that was decided last, and everybody was told its events.
    func decidedWasTold()
}

/// A store whose entries go through an order that hosts share.
package protocol SharedOrderStore: EventStore {
    /// Takes a request into the order, in the turns of a user. The outcome is told by the decider, which
    /// is given the request as those of other hosts. Where that may not come, `failing` learns why.
    func ask(
        _ request: GroupRequest, for user: UInt32?,
        failing: @escaping @Sendable (BusError) -> Void)

    /// Has requests decided from now on, as long as somebody else keeps the decider. Until then groups
    /// that have some wait. Called once.
    func decide(by decider: any RequestDecider)

    /// The time of the order by now, as this host guesses it: that of the last group that everybody was told,
    /// and the span since.
    var orderTime: Timestamp { get }
}
