/// Events on their way to a reader, until its limit is met.
struct ReadBatch {
    let filter: EventFilter
    let limit: ReadLimit
    private(set) var events: [Event] = []
    private var bytes = 0
    /// Events of this turn that the filter did not want, and the last event looked at.
    private var refused = 0
    private var lastExamined = EventID.zero
    private var stop = Stop.none

    private enum Stop {
        case none
        case limit
        case turn
    }

    init(filter: EventFilter, limit: ReadLimit) {
        self.filter = filter
        self.limit = limit
    }

    /// Takes the next event, or says that it has to be read next time.
    mutating func take(_ event: Event) -> Bool {
        if events.count == limit.events {
            stop = .limit
            return false
        }
        if filter.isAll || filter.admits(event) {
            guard events.isEmpty || bytes + event.payload.count <= limit.bytes else {
                stop = .limit
                return false
            }
            events.append(event)
            bytes += event.payload.count
        } else {
            guard refused < Limits.examinedEventsMax else {
                stop = .turn
                return false
            }
            refused += 1
        }
        lastExamined = event.id
        return true
    }

    /// The outcome of a turn that met neither a gap nor the end of memory.
    mutating func turn(from position: LogPosition, newest: EventID) -> EventLog.Turn {
        var next = position
        next.isWaiting = true
        switch stop {
        case .turn:
            stop = .none
            refused = 0
            next.after = lastExamined
            return .goOn(next)
        case .limit:
            next.after = events[events.count - 1].id
            return .done(.events(events, next: next, isCutShort: true))
        case .none:
            next.after = newest
            return .done(
                events.isEmpty
                    ? .caughtUp(next: next) : .events(events, next: next, isCutShort: false))
        }
    }

    /// A gap, or the store's turn: what was gathered before comes first.
    func interrupted(by outcome: LogRead, at position: LogPosition) -> EventLog.Turn {
        guard !events.isEmpty else { return .done(outcome) }
        return .done(.events(events, next: position, isCutShort: true))
    }

    /// The outcome of a page of the store that was not taken to its end; nil if it was.
    func cutShort(from position: LogPosition) -> LogRead? {
        var next = position
        switch stop {
        case .none: return nil
        case .limit: next.after = events[events.count - 1].id
        case .turn: next.after = lastExamined
        }
        return goingOn(at: next)
    }

    /// What there is by now, of more than one hold of the lock can look at.
    func goingOn(at position: LogPosition) -> LogRead {
        var next = position
        next.isWaiting = true
        return events.isEmpty ? .older(next) : .events(events, next: next, isCutShort: true)
    }
}
