/// The topics of a selector that changed since some moment, and those that are gone, in turns: none
/// holds the log's lock for more than ``Limits/turnStepsMax`` steps.
///
/// If few topics changed it looks at those alone, else at all topics. If the topics that vanished
/// since are not known any more, it tells all topics instead. Each topic is told as it is when it
/// is looked at; one that changes meanwhile is told again behind ``next``.
///
/// Belongs to one thread at a time, and is touched under the lock of the log alone.
// @unchecked: the thread that has it hands it on whole, and keeps nothing of it.
package final class TopicChanges: @unchecked Sendable {
    /// The topics that changed.
    package private(set) var topics: [TopicDescription] = []
    /// The names of topics that are gone. One that came back meanwhile is told again behind ``next``.
    package private(set) var removed: [TopicName] = []
    /// Whether `topics` has all topics, because the changes are not known.
    package private(set) var areAll = false
    /// The moment to go on from.
    package private(set) var next = ListMoment()

    private let since: ListMoment
    private let isAnywhere: Bool
    private let selector: Selector
    private let now: Timestamp
    private var stage = Stage.beginning

    private enum Stage {
        case beginning
        /// These are all that changed, looked at up to some index.
        case few([TopicRecord], looked: Int)
        /// All topics are looked at, from a place of the order on.
        case all(from: Int)
        case removals(after: UInt64)
        case over
    }

    init(since moment: ListMoment?, of selector: Selector, now: Timestamp) {
        since = moment ?? ListMoment()
        isAnywhere = moment == nil
        self.selector = selector
        self.now = now
    }

    /// Whether nothing changed.
    package var isEmpty: Bool { !areAll && topics.isEmpty && removed.isEmpty }

    /// One turn, under the lock, of about so many steps; those that it took are subtracted. True where
    /// another is needed.
    func turn(_ log: inout EventLog, _ steps: inout Int) -> Bool {
        var isFirst = false
        while true {
            switch stage {
            case .beginning:
                isFirst = true
                begin(log, &steps)
            case .few(let records, let looked):
                stage = .few(records, looked: look(at: records, from: looked, &log, &steps))
                guard case .few(_, records.count) = stage else { return true }
                stage = .removals(after: since.number)
            case .all(let place):
                if let place = lookAtAll(from: place, &log, &steps) {
                    stage = .all(from: place)
                    return true
                }
                stage = areAll ? .over : .removals(after: since.number)
            case .removals(let number):
                if let number = lookAtRemovals(after: number, log, &steps) {
                    stage = .removals(after: number)
                    return true
                }
            case .over:
                // In a single turn, the changes that its own looks made are told already.
                if isFirst { next = log.moment }
                return false
            }
        }
    }

    private func begin(_ log: EventLog, _ steps: inout Int) {
        next = log.moment
        guard !isAnywhere, log.knowsChanges(since: since) else { return tellAll(of: log) }
        var records: [TopicRecord] = []
        let countMax = steps / 2
        let areFew =
            log.order.visit(newerThan: since.newest, atMost: countMax) { record in
                steps -= 1
                records.append(record)
            }
            && log.lossOrder.visit(lostSince: since.number, atMost: countMax) { record in
                steps -= 1
                // Others were found by their events.
                if record.newest <= since.newest { records.append(record) }
            }
        stage = areFew ? .few(records, looked: 0) : .all(from: 0)
    }

    private func tellAll(of log: EventLog) {
        next = log.moment
        areAll = true
        topics = []
        removed = []
        stage = .all(from: 0)
    }

    /// Returns how many of these were looked at.
    private func look(
        at records: [TopicRecord], from first: Int, _ log: inout EventLog, _ steps: inout Int
    ) -> Int {
        for index in first..<records.count {
            guard steps > 0 else { return index }
            let record = records[index]
            steps -= selector.termCount
            guard log.records[record.name] === record, selector.matches(record.name) else {
                continue
            }
            steps -= Limits.topicVisitSteps
            log.applyRetention(to: record, at: now)
            if log.records[record.name] === record { topics.append(log.describe(record)) }
        }
        return records.count
    }

    /// Returns the place to go on from; nil at the end.
    private func lookAtAll(from place: Int, _ log: inout EventLog, _ steps: inout Int) -> Int? {
        var seen: [TopicRecord] = []
        let next = log.visit(selector, from: place, now: now, &steps) { seen.append($0) }
        for record in seen where areAll || record.hasChanged(since: since) {
            topics.append(log.describe(record))
        }
        return next
    }

    /// Returns the number to go on behind; nil at the end, or where all have to be told.
    private func lookAtRemovals(
        after number: UInt64, _ log: EventLog, _ steps: inout Int
    ) -> UInt64? {
        guard number >= log.tombstones.forgottenNumber else {
            tellAll(of: log)
            return nil
        }
        var number = number
        while let stone = log.tombstones.next(after: number) {
            guard steps > 0 else { return number }
            steps -= selector.termCount
            number = stone.number
            if selector.matches(stone.name) { removed.append(stone.name) }
        }
        stage = .over
        return nil
    }
}
