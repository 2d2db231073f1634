internal import Topics

/// A read on its way: where it is between two turns.
struct ReadJob: Sendable {
    let request: StoreRead
    let then: @Sendable (Result<StorePage, BusError>) -> Void
    var stage: Stage

    /// The user in whose turns it is read.
    var user: UInt32? { request.client.user }

    /// The next part of the read.
    enum Stage: Sendable {
        /// To find the first event of a time or later.
        case seeking(Timestamp)
        /// To count wanted events from the end: `found` of `count` so far, the last of them at
        /// `first`, everything from `below` on looked at.
        case counting(Int, found: Int, first: EventID?, below: EventID)
        /// To read the events after an id.
        case reading(after: EventID)
    }

    init(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) {
        self.request = request
        self.then = then
        stage =
            switch request.start {
            case .after(let id): .reading(after: id)
            case .time(let time): .seeking(time)
            case .last(let count):
                .counting(count, found: 0, first: nil, below: request.through.successor)
            case .now, .earliest, .latest, .ago:
                preconditionFailure("a store is not asked for \(request.start)")
            }
    }
}

extension EventID {
    /// The cursor just before this id.
    var before: EventID { self == .zero ? .zero : EventID(rawValue: rawValue - 1) }
    /// The id right behind this one; the highest has none.
    var successor: EventID { self == .max ? .max : EventID(rawValue: rawValue + 1) }
}
