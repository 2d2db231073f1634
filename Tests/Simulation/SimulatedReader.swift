import Topics

/// A reader in a process of its own, which states its cursor with each request and outlives the bus
/// that it asks.
struct SimulatedReader {
    let selector: Selector
    let start: UInt64
    /// Whether it waits where it has read everything, until the bus tells of more.
    let waits: Bool
    /// The place that it has reached at the bus of now.
    private(set) var position: LogPosition
    var ids: [UInt64] = []
    var gaps: [Gap] = []
    var isAsking = false
    var isCaughtUp = false

    /// Whether it has everything, and waits for no answer.
    var isAtEnd: Bool { isCaughtUp && !isAsking }

    init(_ selector: Selector, from start: UInt64, waits: Bool = false) {
        self.selector = selector
        self.start = start
        self.waits = waits
        position = LogPosition(after: EventID(rawValue: start))
    }

    /// The bus that it asked is gone: it states its cursor to the next one.
    mutating func lostTheBus() {
        position = LogPosition(after: position.after)
        isAsking = false
    }

    /// Takes an answer. Returns the promise that it breaks, if any.
    mutating func take(_ read: LogRead) -> String? {
        isCaughtUp = false
        switch read {
        case .events(let events, let next, _): return take(events, next)
        case .caughtUp(let next):
            isCaughtUp = true
            return take([], next)
        case .gap(let gap, let next):
            position = next
            gaps.append(gap)
            if gap.through < gap.after { return "the cursor \(gap.after) is of another life" }
            if selector.description.split(separator: ",").allSatisfy({ $0.hasPrefix("jobs.") }) {
                return "\(selector) lost nothing, and has the gap \(gap)"
            }
            return nil
        case .older: return "the store answered that only the store has it"
        }
    }

    private mutating func take(_ events: [Event], _ next: LogPosition) -> String? {
        for event in events {
            if let last = ids.last, event.id.rawValue <= last {
                return "\(event.id) was told after \(last)"
            }
            ids.append(event.id.rawValue)
        }
        if next.after < position.after {
            return "the cursor fell from \(position.after) to \(next.after)"
        }
        position = next
        return nil
    }

    /// Whether an event was told, or was not to be told, or lies in a gap.
    func knows(_ id: UInt64) -> Bool {
        id <= start || ids.contains(id)
            || gaps.contains { $0.after.rawValue < id && id <= $0.through.rawValue }
    }
}
