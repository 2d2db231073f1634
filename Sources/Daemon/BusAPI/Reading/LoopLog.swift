internal import HTTPFront
internal import Topics

/// The looks of one loop's readers at the log, each bounded by the steps that the loop's turn has
/// left.
///
/// Belongs to its loop.
final class LoopLog {
    let bus: EventBus
    private let budget: TurnBudget

    /// Looks at `bus` within the turns of a loop.
    init(of bus: EventBus, within budget: TurnBudget) {
        self.bus = bus
        self.budget = budget
    }

    /// The log's content after `position`, from the topics in `news` alone if no others changed.
    /// `.older` also if the look takes more than the loop has room for, or than one turn under the
    /// lock.
    func look(
        _ position: LogPosition, matching selector: Selector, of news: LogNews?,
        _ filter: EventFilter, _ limit: ReadLimit
    ) -> LogRead {
        var position = position
        let short = bus.shortRead(
            &position, matching: selector, of: news, filter: filter, limit: limit)
        if let short { return short }
        let read = bus.longRead(position, matching: selector, filter: filter, limit: limit)
        if case .done(let found) = turn(of: read) { return found }
        return .older(position)
    }

    /// One turn of a read, of as many steps as the loop's turn has left for reads.
    func turn(of read: SelectorRead) -> SelectorRead.Turn {
        guard budget.isLeft(for: .reads) else {
            // One step is part of the request: it finds the place of a reader that begins now.
            var left = 1
            return bus.turn(of: read, &left)
        }
        let stepsMax = budget.left(for: .reads) * Limits.readStepsPerStep
        var left = stepsMax
        defer { budget.count(.reads, (stepsMax - left) / Limits.readStepsPerStep + 1) }
        return bus.turn(of: read, &left)
    }
}
