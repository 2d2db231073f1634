/// A look at all topics of a selector, or at all there are, that gathers something of each. It runs
/// in turns: none holds the log's lock for more than ``Limits/turnStepsMax`` steps.
///
/// Each topic is gathered as it is when it is looked at.
///
/// Belongs to one thread at a time, and is touched under the lock of the log alone.
// @unchecked: the thread that has it hands it on whole, and keeps nothing of it.
package final class TopicSurvey<Gathered: Sendable>: @unchecked Sendable {
    /// The moment when it began.
    package private(set) var moment = ListMoment()
    /// The result so far.
    package private(set) var gathered: Gathered
    private let selector: Selector?
    private let now: Timestamp
    private let gather: @Sendable (inout Gathered, borrowing EventLog, TopicRecord) -> Void
    /// The place in the order at which it goes on; nil once it is over.
    private var place: Int? = 0

    init(
        of selector: Selector?, _ nothing: Gathered, now: Timestamp,
        _ gather: @escaping @Sendable (inout Gathered, borrowing EventLog, TopicRecord) -> Void
    ) {
        self.selector = selector
        self.now = now
        self.gather = gather
        gathered = nothing
    }

    /// The newest visible id when it began.
    package var cursor: EventID { moment.newest }

    /// One turn, under the lock; true where another is needed.
    func turn(_ log: inout EventLog, _ steps: inout Int) -> Bool {
        guard let from = place else { return false }
        if from == 0 { moment = log.moment }
        var seen: [TopicRecord] = []
        place = log.visit(selector, from: from, now: now, &steps) { seen.append($0) }
        for record in seen { gather(&gathered, log, record) }
        return place != nil
    }
}

extension TopicSurvey<[TopicDescription]> {
    /// All topics that a pattern matches, or all there are.
    package convenience init(matching pattern: TopicPattern?, now: Timestamp) {
        self.init(of: pattern.map(Selector.init), [], now: now) { topics, log, record in
            topics.append(log.describe(record))
        }
    }

    /// The topics, by name.
    package var topics: [TopicDescription] { gathered.sorted { $0.name.text < $1.name.text } }
}

/// The topics of a selector, up to some number of them.
package struct TopicSample: Sendable {
    /// Those that are shown, in the order in which they came to be.
    package fileprivate(set) var topics: [TopicDescription] = []
    /// How many others there are.
    package fileprivate(set) var othersCount = 0
}

extension TopicSurvey<TopicSample> {
    /// The first topics of a selector.
    package convenience init(of selector: Selector, atMost countMax: Int, now: Timestamp) {
        self.init(of: selector, TopicSample(), now: now) { sample, log, record in
            if sample.topics.count < countMax {
                sample.topics.append(log.describe(record))
            } else {
                sample.othersCount += 1
            }
        }
    }
}

extension TopicSurvey<SelectorSummary> {
    /// A summary of the topics of a selector.
    package convenience init(summing selector: Selector, now: Timestamp) {
        let nothing = SelectorSummary(exists: false, cursor: .zero, oldest: nil, count: 0)
        self.init(of: selector, nothing, now: now) { summary, log, record in
            summary.exists = true
            summary.count += record.retainedCount
            if let first = record.oldestID {
                summary.oldest = min(summary.oldest ?? first, first)
            }
        }
    }

    /// The summary, with the newest visible id when the look began.
    package var summary: SelectorSummary {
        var summary = gathered
        summary.cursor = cursor
        return summary
    }
}
