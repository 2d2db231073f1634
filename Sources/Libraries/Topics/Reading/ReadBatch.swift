/// Events on their way to a reader, until its limit is met.
struct ReadBatch {
    let filter: EventFilter
    let limit: ReadLimit
    private(set) var events: [Event] = []
    private var bytes = 0
    /// Events of this turn that the filter did not want, and the last event looked at.
    private var refused = 0
    private(set) var lastExamined = EventID.zero
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

    /// Takes the next event; false where the event has to be read next time.
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

    /// Begins a turn of a read that counts its own steps.
    mutating func beginTurn() {
        refused = 0
        stop = .none
    }

    /// All that there is, for a reader that then stands at `next`.
    func whole(at next: LogPosition) -> LogRead {
        events.isEmpty ? .caughtUp(next: next) : .events(events, next: next, isCutShort: false)
    }

    /// As much as its limit allows, for a reader that came from `position`.
    func full(from position: LogPosition) -> LogRead {
        var next = position
        next.after = events[events.count - 1].id
        next.isWaiting = true
        return .events(events, next: next, isCutShort: true)
    }

    /// The events so far, for a reader that then stands at `position`; nil where there are none.
    func soFar(at position: LogPosition) -> LogRead? {
        events.isEmpty ? nil : .events(events, next: position, isCutShort: true)
    }

    /// The outcome of a short read from `position`; nil where its turn was over before.
    func outcome(from position: LogPosition, newest: EventID) -> LogRead? {
        switch stop {
        case .turn: return nil
        case .limit: return full(from: position)
        case .none:
            var next = position
            next.isWaiting = true
            next.after = max(next.after, newest)
            return whole(at: next)
        }
    }

    /// The position behind the last event that was looked at.
    func reached(from position: LogPosition) -> LogPosition {
        var next = position
        next.isWaiting = true
        next.after = lastExamined
        return next
    }
}
