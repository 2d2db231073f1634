/// Events that a cursor on a selector may have missed: those with ids in (after, through].
///
/// Events that are still retained in that range follow all the same. With `through` below `after`
/// the cursor is of another life of the bus, and delivery restarts at the earliest event.
public struct Gap: Hashable, Sendable {
    /// The cursor that was behind.
    public let after: EventID
    /// The highest id that was removed from the topics that the selector matches.
    public let through: EventID

    /// The gap of a cursor `after` on topics that lost ids up to `through`.
    public init(after: EventID, through: EventID) {
        self.after = after
        self.through = through
    }

    /// One gap for this and another that was told behind it.
    package func joined(with later: Gap) -> Gap {
        Gap(after: after, through: max(through, later.through))
    }
}

/// The place where a request wants to begin.
public enum StartPosition: Hashable, Sendable {
    /// After the event with this id; zero is `earliest`.
    case after(EventID)
    /// After the newest visible event.
    case now
    /// At the first retained event. Never tells a gap.
    case earliest
    /// At the last retained event. Never tells a gap.
    case latest
    /// So many retained events back. Never tells a gap.
    case last(Int)
    /// This many microseconds back; tells a gap if that reaches into removed events.
    case ago(microseconds: Int64)
    /// At the first event of this time or later; tells a gap if it reaches into removed events.
    case time(Timestamp)
}

/// The place that one reader of one selector has reached, and the losses that it was told.
///
/// A position belongs to the bus and the selector it was made for.
public struct LogPosition: Hashable, Sendable {
    /// The cursor: everything up to this id was delivered, told as a gap, or is not wanted.
    public var after: EventID
    /// Losses up to this id were reported as a gap, or never count.
    public var reportedThrough: EventID
    /// Whether the reader already waits or streams. It then still gets events that retention
    /// removed less than the grace ago. Every answer but a gap sets it in its `next`.
    public var isWaiting: Bool
    /// The cursor from which losses count, where it is not `after`. A start at a time that reaches
    /// into removed events sets it to zero, though the reader wants no earlier events.
    var stated: EventID?
    /// A start that only the store or a longer look can find. Until then `after` and
    /// `reportedThrough` mean nothing.
    var unresolved: StartPosition?

    /// Whether the reader's place is known; else the store or a longer look has to find it.
    package var isResolved: Bool { unresolved == nil }

    /// A reader that has seen everything up to `after`.
    public init(after: EventID, reportedThrough: EventID = .zero, isWaiting: Bool = false) {
        self.after = after
        self.reportedThrough = reportedThrough
        self.isWaiting = isWaiting
    }

    /// Whether a reader here and one at `other`, of the same selector, are told the same.
    ///
    /// Losses that either was told at or below its cursor make no difference. A loss beyond the
    /// cursor is beyond those too.
    package func isAlike(_ other: LogPosition) -> Bool {
        after == other.after && isWaiting == other.isWaiting
            && (reportedThrough == other.reportedThrough
                || max(reportedThrough, other.reportedThrough) <= after)
            && stated == other.stated && stated == nil
            && unresolved == nil && other.unresolved == nil
    }
}

/// How much one read returns at most.
public struct ReadLimit: Hashable, Sendable {
    /// Events, at least 1.
    public var events: Int
    /// Payload bytes; one event is returned even if it is larger.
    public var bytes: Int

    /// A limit as given.
    public init(events: Int, bytes: Int) {
        precondition(events > 0, "a read returns at least one event, not \(events)")
        self.events = events
        self.bytes = bytes
    }

    /// The default of a subscription's reads: at most 64 events or 64 KiB of payload at a time.
    public static let standard = ReadLimit(
        events: Limits.followedEventsMax, bytes: Limits.followedBytesMax)
}

/// The topics of one selector in which something became visible since its readers last looked.
package struct LogNews: Sendable {
    /// The topics of the selector in which something became visible, or that were removed.
    package let topics: [TopicName]
    /// The reader had everything up to here.
    package let after: EventID
    /// Everything up to here is told of: nothing else became visible in between.
    package let through: EventID

    package init(topics: [TopicName], after: EventID, through: EventID) {
        self.topics = topics
        self.after = after
        self.through = through
    }

    /// Whether it names all topics that have the next events for a reader at this position.
    package func concerns(_ position: LogPosition) -> Bool {
        !topics.isEmpty && position.after >= after && position.after <= through
    }
}

/// The outcome of reading on from a position.
public enum LogRead: Sendable {
    /// Events, ids rising; at least one. If cut short, `next` stands after the last event looked
    /// at and there may be more; else at the newest visible id.
    case events([Event], next: LogPosition, isCutShort: Bool)
    /// Nothing that is wanted; `next` stands at the newest visible id.
    case caughtUp(next: LogPosition)
    /// Something may be missing: tell it, then read again from `next`.
    case gap(Gap, next: LogPosition)
    /// Only the store has the next events: ask it with `EventBus.readStore` from this position.
    case older(LogPosition)
}
