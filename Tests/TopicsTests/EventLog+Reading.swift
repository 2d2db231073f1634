@testable import Topics

extension EventLog {
    /// What lies after a position at this moment, in turns of so many steps.
    mutating func read(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter = .all,
        _ limit: ReadLimit = .standard, now: Timestamp, steps: Int = Limits.turnStepsMax
    ) -> LogRead {
        finish(SelectorRead(from: position, selector, filter, limit, now: now), now, steps)
    }

    /// Where a start is at this moment, found in turns of so many steps.
    mutating func start(
        _ start: StartPosition, _ selector: Selector, _ filter: EventFilter = .all, now: Timestamp,
        steps: Int
    ) -> LogPosition {
        let read = SelectorRead(from: start, selector, filter, .standard, now: now)
        while true {
            var left = steps
            _ = read.turn(&self, now: now, &left)
            if let begin = read.begin { return begin }
        }
    }

    /// All topics as they are, looked at in turns of so many steps.
    mutating func descriptions(now: Timestamp, steps: Int) -> [TopicDescription] {
        members(of: nil, now: now, steps: steps).map(describe)
    }

    /// What there is of a selector, looked at in turns of so many steps.
    mutating func summary(of selector: Selector, now: Timestamp, steps: Int) -> SelectorSummary {
        let members = members(of: selector, now: now, steps: steps)
        return SelectorSummary(
            exists: !members.isEmpty, cursor: newest,
            oldest: members.compactMap(\.oldestID).min(),
            count: members.reduce(0) { $0 + $1.retainedCount })
    }

    private mutating func members(
        of selector: Selector?, now: Timestamp, steps: Int
    ) -> [TopicRecord] {
        var members: [TopicRecord] = []
        var place: Int? = 0
        while let from = place {
            var left = steps
            place = visit(selector, from: from, now: now, &left) { members.append($0) }
        }
        return members
    }

    private mutating func finish(_ read: SelectorRead, _ now: Timestamp, _ steps: Int) -> LogRead {
        while true {
            var left = steps
            switch read.turn(&self, now: now, &left) {
            case .done(let read): return read
            case .ask: return .older(read.position)
            case .goOn: continue
            }
        }
    }
}
