/// A page of a store on its way to a reader.
struct PageCursor {
    let through: EventID
    private let events: [Event]
    private var index = 0

    init(_ page: StorePage) {
        through = page.through
        events = page.events
    }

    /// The first event after `cursor` that the log still retains: a trim may be on its way.
    mutating func next(after cursor: EventID, in log: EventLog) -> Event? {
        while index < events.count {
            let event = events[index]
            if event.id > cursor, let record = log.records[event.topic],
                event.id > record.removedThrough
            {
                return event
            }
            index += 1
        }
        return nil
    }
}
