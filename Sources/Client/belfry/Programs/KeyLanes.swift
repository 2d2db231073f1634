internal import Topics

/// Decides which events may run at once: those of one key run one after the other, in the order of
/// their ids. Events without a key are in no order.
///
/// | an event is | until |
/// |-------------|-------|
/// | waiting     | the one before it of its key ends |
/// | running     | ``end(_:)`` |
struct KeyLanes {
    /// Events of a key that wait, in order; a key that is busy has an entry.
    private var waiting: [String: [Event]] = [:]
    /// The ids of all events that wait or run, rising.
    private var unfinished: [EventID] = []
    private(set) var runningCount = 0
    /// Everything up to here was taken in.
    private var reach: EventID

    init(from cursor: EventID) { reach = cursor }

    /// How many events wait or run.
    var count: Int { unfinished.count }

    /// Everything up to here is dealt with.
    var cursor: EventID { unfinished.first?.predecessor ?? reach }

    /// Takes an event in, whose id is above all before it; returns it where it is to run now.
    mutating func add(_ event: Event) -> Event? {
        reach = event.id
        unfinished.append(event.id)
        if let key = event.metadata.key {
            guard waiting[key] == nil else {
                waiting[key]?.append(event)
                return nil
            }
            waiting[key] = []
        }
        runningCount += 1
        return event
    }

    /// Nothing runs for an event, whose id is above all before it.
    mutating func passBy(_ id: EventID) { reach = id }

    /// An event is dealt with; returns the one that is to run next because of it.
    mutating func end(_ event: Event) -> Event? {
        unfinished.removeAll { $0 == event.id }
        runningCount -= 1
        guard let key = event.metadata.key, let line = waiting[key] else { return nil }
        guard let next = line.first else {
            waiting[key] = nil
            return nil
        }
        waiting[key] = Array(line.dropFirst())
        runningCount += 1
        return next
    }
}
