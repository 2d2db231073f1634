@testable import Topics

/// A subscription as it has to be, over the plain model of the log: it looks when it is asked, one
/// batch at a time, and takes over what the bus says of everything that does not concern it.
struct SubscriptionModel {
    /// One thing it tells.
    enum Told: Equatable {
        case event(EventID)
        case gap(Gap)
        case end
    }

    let selector: Selector
    let filter: EventFilter
    let limit: ReadLimit
    private var position: LogPosition
    private var held: [Told] = []
    private var cursorWhileHolding = EventID.zero
    private var isBehind = false
    private var deletion: (place: EventID, lost: EventID)?
    private var isDraining = false
    private(set) var endedAt: EventID?

    init(
        _ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit, _ start: StartPosition,
        in log: LogModel
    ) {
        self.selector = selector
        self.filter = filter
        self.limit = limit
        position = log.start(start, selector, filter)
        look(log)
        switch held.first {
        case .event(let id): cursorWhileHolding = id.before
        case .gap(let gap): cursorWhileHolding = gap.after
        case .end, nil: break
        }
    }

    /// Whether it counts as a subscriber.
    var isCounted: Bool { endedAt == nil && deletion == nil }

    var cursor: EventID { endedAt ?? (held.isEmpty ? position.after : cursorWhileHolding) }

    /// What it tells next; nil if it has to wait.
    mutating func next(_ log: LogModel) -> Told? {
        while endedAt == nil {
            if let told = held.first {
                held.removeFirst()
                if case .event(let id) = told { cursorWhileHolding = id }
                return told
            }
            if let (place, lost) = deletion {
                if position.after < lost, position.reportedThrough < lost {
                    position.reportedThrough = lost
                    return .gap(Gap(after: position.after, through: lost))
                }
                endedAt = place
            } else if isBehind {
                look(log)
            } else if isDraining {
                endedAt = position.after
            } else {
                return nil
            }
        }
        return .end
    }

    private mutating func look(_ log: LogModel) {
        cursorWhileHolding = position.after
        let read = log.read(position, selector, filter, limit)
        position = read.next
        switch read {
        case .events(let events, _, let isCutShort):
            held = events.map { .event($0.id) }
            isBehind = isCutShort
        case .gap(let gap, _):
            held = [.gap(gap)]
            isBehind = true
        case .caughtUp, .older:
            isBehind = false
        }
    }

    /// Something became visible at the newest id.
    mutating func admitted(_ topic: TopicName, isRemoval: Bool, _ log: LogModel) {
        guard endedAt == nil, deletion == nil else { return }
        if isRemoval, selector.singleName == topic {
            deletion = (log.newest, log.losses(selector).discardedThrough)
        } else if selector.matches(topic) {
            isBehind = true
        } else if !isBehind {
            position.after = log.newest
        }
    }

    mutating func drain() {
        isDraining = true
        isBehind = true
    }
}
