/// The events that a store without a disk holds until they are due.
struct HeldInMemory {
    private(set) var table = LaterTable()
    private var batches: [EventID: HeldBatch] = [:]
    /// The clock that nobody sets.
    var now: @Sendable () -> Int64 = { 0 }

    /// Holds events by a ticket.
    mutating func hold(
        _ batch: HeldBatch, _ ticket: EventID, at time: Timestamp
    ) -> HeldHead {
        let head = batch.head(ticket, at: time, now())
        table.hold(head)
        table.committed()
        batches[ticket] = batch
        return head
    }

    /// The next events that are due, and their ticket.
    mutating func next(at moment: LaterTable.Moment) -> (ticket: EventID, batch: HeldBatch)? {
        guard let head = table.next(at: moment), let batch = batches[head.ticket] else {
            return nil
        }
        return (head.ticket, batch)
    }

    /// The events that a read wants, whose ids begin behind one: that of a ticket, less one, or later ones of it.
    func events(of request: StoreRead, after: EventID) -> [Event] {
        let tickets = request.selector.singleName.map { table.tickets(of: $0) } ?? []
        guard let ticket = tickets.last(where: { $0.rawValue <= after.rawValue + 1 }),
            let batch = batches[ticket]?.batch
        else { return [] }
        var events: [Event] = []
        var bytes = 0
        for event in batch.events(from: ticket.rawValue, at: .distantPast)
        where event.id > after && event.id <= request.through {
            bytes += event.payload.count
            let hasRoom = events.isEmpty || bytes <= request.limit.bytes
            guard hasRoom, events.count < request.limit.events else { break }
            events.append(event)
        }
        return events
    }

    /// Cancels the events that are held by a ticket for a topic.
    mutating func cancel(
        _ ticket: EventID, of topic: TopicName, at time: Timestamp
    ) -> StoreReceipt {
        guard let head = table[ticket], head.topic == topic else {
            return .cancelled(table.ending(of: ticket), nil)
        }
        end(ticket, .cancelled, at: time)
        return .cancelled(nil, head)
    }

    /// Lets go of all that is held for a topic.
    mutating func drop(_ topic: TopicName) {
        for head in table.drop(topic) { batches[head.ticket] = nil }
        table.committed()
    }

    /// Events that are due were published. Returns their head where they are held still.
    mutating func published(
        _ ticket: EventID, as first: EventID, at time: Timestamp
    ) -> HeldHead? {
        let next = table.published(ticket, as: first, at: time)
        table.committed()
        if next == nil { batches[ticket] = nil }
        _ = table.forgetEndings(at: time)
        return next
    }

    /// Events are held no more.
    mutating func end(_ ticket: EventID, _ outcome: LaterTable.Outcome, at time: Timestamp) {
        table.end(ticket, outcome, at: time)
        table.committed()
        batches[ticket] = nil
        _ = table.forgetEndings(at: time)
    }
}
