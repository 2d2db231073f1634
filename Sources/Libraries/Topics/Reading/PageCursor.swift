/// A page of a store on its way to a reader. It lets go of each event that it has given.
struct PageCursor {
    let through: EventID
    /// Whether the event at `through` is damaged, so that only a gap can be told of it.
    let endsDamaged: Bool
    /// The events that are left, the next one last.
    private var events: [Event]

    init(_ page: StorePage) {
        through = page.through
        endsDamaged = page.endsDamaged
        events = page.events.reversed()
    }

    /// Bytes of the events that it still holds.
    var memoryBytes: Int { events.memoryBytes }

    /// The first event after `cursor` that the log still retains: a trim may be on its way.
    mutating func next(after cursor: EventID, in log: EventLog) -> Event? {
        while let event = events.last {
            if event.id > cursor, let record = log.records[event.topic],
                event.id > record.removedThrough
            {
                return event
            }
            events.removeLast()
        }
        return nil
    }
}
