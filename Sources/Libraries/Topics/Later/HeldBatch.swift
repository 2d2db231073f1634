/// When events become visible that are held until then.
public enum DueTime: Hashable, Sendable {
    /// So many microseconds from now on, by a clock that nobody sets.
    case after(microseconds: Int64)
    /// At a time, as the clock of the machine has it then.
    case at(Timestamp)
}

/// A repetition of held events: they become visible at the times of a grid.
package struct Schedule: Hashable, Sendable {
    /// The range of the distance, in microseconds: from a second to 365 days.
    package static let intervals: ClosedRange<Int64> = 1_000_000...365 * 86_400_000_000
    /// Bytes of a name, as of a group.
    package static let nameBytesMax = 64

    /// The distance of two times of the grid, in microseconds.
    package let every: Int64
    /// The name of it, which no other schedule of its topic has; nil where it has none.
    package let name: String?
    /// Equal for schedules of the same events: a digest over all that their publisher said.
    package let print: UInt64

    /// A schedule as given.
    package init(every: Int64, name: String?, print: UInt64) {
        self.every = every
        self.name = name
        self.print = print
    }

    /// The first time of the grid behind `now`, and behind `due`, which is one of its times.
    func next(behind due: Timestamp, _ now: Timestamp) -> Timestamp {
        let passed = max(0, now.microseconds - due.microseconds)
        return due.advanced(microseconds: (passed / every + 1) * every)
    }

    /// The share of a second's events that it takes, in units of which a schedule of each second has 10⁹.
    var rate: Int { Int(1_000_000_000_000_000 / every) }
}

/// Events that are to become visible later: all of them together, in order.
package struct HeldBatch: Sendable {
    /// The events, without an expiry: their time to live begins when they become visible.
    package let batch: PublishBatch
    /// How many microseconds they are of use from then on; nil for ever.
    package let ttl: Int64?
    /// When they are due.
    package let moment: DueTime
    /// How they are repeated; nil for events that come once.
    package let schedule: Schedule?
    /// Whether they may replace a schedule of another user that has their name.
    package let replacesOthers: Bool

    /// A batch as given.
    package init(
        _ batch: PublishBatch, ttl: Int64?, at moment: DueTime, schedule: Schedule? = nil,
        replacesOthers: Bool = false
    ) {
        self.schedule = schedule
        self.replacesOthers = replacesOthers
        precondition(
            batch.condition == nil, "events of \(batch.topic) that are held have no condition")
        precondition(batch.metadata.expires == nil, "held events of \(batch.topic) expire already")
        self.batch = batch
        self.ttl = ttl
        self.moment = moment
    }

    /// The head of it, once a store holds it.
    ///
    /// - Parameters:
    ///   - ticket: The first of its ids.
    ///   - time: The time of the store.
    ///   - now: The time of the clock that nobody sets; nil where the time of an order counts for both.
    package func head(
        _ ticket: EventID, at time: Timestamp, _ now: Int64?
    ) -> HeldHead {
        // A grid is one of times.
        let span: Int64? =
            if schedule == nil, case .after(microseconds: let span) = moment { span } else { nil }
        return HeldHead(
            ticket: ticket, topic: batch.topic, metadata: batch.metadata, sender: batch.sender,
            count: batch.payloads.count, bytes: batch.payloadBytes, ttl: ttl, due: due(from: time),
            span: span, until: span.flatMap { span in now.map { $0 + span } }, schedule: schedule)
    }

    /// When it is due, if it is held from a time on. Of a schedule whose first time is over it is the next one.
    func due(from time: Timestamp) -> Timestamp {
        switch moment {
        case .after(microseconds: let span): time.advanced(microseconds: span)
        case .at(let due):
            due <= time ? schedule?.next(behind: due, time) ?? due : due
        }
    }
}

/// Held events, without their payloads.
public final class HeldHead: Sendable {
    /// Names them: an id that no event has.
    public let ticket: EventID
    /// The topic that they go to.
    public let topic: TopicName
    /// The fields that all of them have.
    public let metadata: EventMetadata
    /// Their publisher.
    public let sender: Sender
    /// How many there are.
    public let count: Int
    /// The bytes of their payloads.
    public let bytes: Int
    /// How many microseconds they are of use once they are visible; nil for ever.
    public let ttl: Int64?
    /// When they are due.
    public let due: Timestamp
    /// The span that they were held for, in microseconds; nil for those of a time.
    package let span: Int64?
    /// When a span is over by the clock that nobody sets; nil where ``due`` counts.
    package let until: Int64?
    /// How they are repeated; nil for events that come once.
    package let schedule: Schedule?

    /// The interval of their schedule, in microseconds; nil for events that come once.
    public var every: Int64? { schedule?.every }
    /// The name of their schedule; nil where it has none.
    public var name: String? { schedule?.name }

    /// How many microseconds it has been due; less than zero before.
    func overdue(at moment: LaterTable.Moment) -> Int64 {
        guard let until, let now = moment.now else {
            return moment.time.microseconds - due.microseconds
        }
        return now - until
    }

    /// Bytes that it takes in memory.
    var memoryBytes: Int {
        Overhead.heldBytes + metadata.memoryBytes + Overhead.ofText(schedule?.name)
    }

    /// Bytes that the events will take once they are visible.
    var eventBytes: Int { bytes + count * (Overhead.eventBytes + metadata.memoryBytes) }

    /// A head as given.
    package init(
        ticket: EventID, topic: TopicName, metadata: EventMetadata, sender: Sender, count: Int,
        bytes: Int, ttl: Int64?, due: Timestamp, span: Int64?, until: Int64?,
        schedule: Schedule? = nil
    ) {
        self.schedule = schedule
        self.ticket = ticket
        self.topic = topic
        self.metadata = metadata
        self.sender = sender
        self.count = count
        self.bytes = bytes
        self.ttl = ttl
        self.due = due
        self.span = span
        self.until = until
    }

    /// The same, at the next time of its schedule behind `now`; nil for events that come once.
    func next(behind now: Timestamp) -> HeldHead? {
        guard let schedule else { return nil }
        return HeldHead(
            ticket: ticket, topic: topic, metadata: metadata, sender: sender, count: count,
            bytes: bytes, ttl: ttl, due: schedule.next(behind: due, now), span: nil, until: nil,
            schedule: schedule)
    }
}
