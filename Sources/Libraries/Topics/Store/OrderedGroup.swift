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

/// The settings by which an order keeps events. They are a part of its state: all hosts obey them.
package struct OrderSettings: Hashable, Sendable {
    /// How much is kept of topics that are not registered.
    package var defaults: Retention
    /// Vanished topics whose losses are told apart.
    package var tombstonesMax: Int
    /// The bytes that all topics may take, as their counts say. Beyond them the topics furthest above
    /// an equal share lose their oldest events.
    package var bytesMax: Int

    /// Settings as given.
    package init(defaults: Retention, tombstonesMax: Int, bytesMax: Int) {
        self.defaults = defaults
        self.tombstonesMax = tombstonesMax
        self.bytesMax = bytesMax
    }

    /// The settings of an order before its first group: nothing is bounded.
    package static let unbounded = OrderSettings(
        defaults: Retention(keep: nil, bytes: nil, age: nil), tombstonesMax: .max, bytesMax: .max)
}

/// A group of entries, at the place that it took in an order.
package struct OrderedGroup: Sendable {
    /// Its place.
    package let place: OrderPlace
    /// The settings that hold from this group on; nil where they stay as they are.
    package let settings: OrderSettings?
    /// Its entries, which take their places one after the other; perhaps none.
    package let entries: [StoreEntry]

    /// A group as given.
    package init(place: OrderPlace, settings: OrderSettings? = nil, entries: [StoreEntry]) {
        self.place = place
        self.settings = settings
        self.entries = entries
    }
}

/// The outcome of a group, step by step.
package struct AppliedGroup: Sendable {
    /// One thing that a group led to.
    package enum Step: Sendable {
        /// The place of the next entry of the group.
        case receipt(StoreReceipt)
        /// Events of a topic went by the settings of the topic or of the order.
        case loss(TopicName, StoreLoss)
        /// The events that were held by a ticket are due, and have their places.
        case released(ReleasedBatch)
        /// The losses of vanished topics up to this id are told together from now on.
        case floor(EventID, Timestamp)
    }

    /// The steps, in their order.
    package let steps: [Step]
    /// The time of the order from which on another group leads to more, even one without entries;
    /// nil where none does.
    package let due: Timestamp?
    /// The highest id that the order has given behind it, whether or not it is one of an event.
    package let newest: EventID

    /// An outcome as given.
    package init(steps: [Step], due: Timestamp? = nil, newest: EventID) {
        self.newest = newest
        self.steps = steps
        self.due = due
    }

    /// The places of the entries, in their order.
    package var receipts: [StoreReceipt] {
        steps.compactMap { if case .receipt(let receipt) = $0 { receipt } else { nil } }
    }
}

/// A store that follows an order which other hosts share. Ids, times and retention come from the
/// order alone, so replicas that have applied the same groups keep the same.
///
/// A start changes nothing: the file of a replica, a backup of it, and a file after a loss of power
/// are as old as the last group in them, and go on from there.
package protocol ReplicaStore: EventStore {
    /// The place of the last group that it has applied; nil before it is open.
    var applied: OrderPlace? { get }

    /// Applies the next group, in one transaction with its place; `then` learns what it led to, in
    /// the order of groups and in line with the `then` of every other verb.
    ///
    /// With a failure nothing of the group was applied, and it is to be applied again. A group that
    /// does not follow the last one is refused. It is called instead of `commit` and `trim`.
    func apply(
        _ group: OrderedGroup,
        then: @escaping @Sendable (Result<AppliedGroup, BusError>) -> Void)
}
