/// An order that several hosts share. No two orders have the same life.
package struct OrderLife: Hashable, Sendable {
    /// Drawn when the order was made.
    package let identity: UInt128
    /// The first id that the order gives.
    package let base: EventID

    /// A life as given.
    package init(identity: UInt128, base: EventID) {
        self.identity = identity
        self.base = base
    }
}

/// The place of a group of entries in an order.
package struct OrderPlace: Hashable, Sendable {
    /// Counts the groups of the order from 1, without a hole; 0 is the place before the first.
    package let sequence: Int64
    /// A hash over the tokens of all groups so far. It names the whole past of the order.
    package let chain: UInt128
    /// Counts the servers that led the order one after the other. It never falls.
    package let line: Int64
    /// The time of the order. It never falls.
    package let time: Timestamp

    /// A place as given.
    package init(sequence: Int64, chain: UInt128, line: Int64, time: Timestamp) {
        self.sequence = sequence
        self.chain = chain
        self.line = line
        self.time = time
    }

    /// The place before the first group of an order.
    package static func beginning(of life: OrderLife) -> OrderPlace {
        OrderPlace(
            sequence: 0, chain: life.identity, line: 0, time: Timestamp(microseconds: 0))
    }
}

/// A group of entries, at the place that it took in an order.
package struct OrderedGroup: Sendable {
    /// Its place.
    package let place: OrderPlace
    /// Its entries, which take their places one after the other; perhaps none.
    package let entries: [StoreEntry]

    /// A group as given.
    package init(place: OrderPlace, entries: [StoreEntry]) {
        self.place = place
        self.entries = entries
    }
}

/// A store that follows an order which other hosts share. Ids and times come from the order alone,
/// so replicas that have applied the same groups keep the same.
///
/// A start changes nothing: the file of a replica, a backup of it, and a file after a loss of power
/// are as old as the last group in them, and go on from there.
package protocol ReplicaStore: EventStore {
    /// The place of the last group that it has applied; nil before it is open.
    var applied: OrderPlace? { get }

    /// Applies the next group, in one transaction with its place; `then` learns the receipts of its
    /// entries, in the order of groups and in line with the `then` of every other verb.
    ///
    /// With a failure nothing of the group was applied, and it is to be applied again. A group that
    /// does not follow the last one is refused. It is called instead of `commit`.
    func apply(
        _ group: OrderedGroup,
        then: @escaping @Sendable (Result<[StoreReceipt], BusError>) -> Void)
}
