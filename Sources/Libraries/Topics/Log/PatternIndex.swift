/// The topics one pattern matches, those with the newest events first, and what they lost.
///
/// A cache: reading a pattern then costs what happened since its cursor, however many topics sleep.
/// Losses only ever rise, so their maximum outlives the topics it came from.
final class PatternIndex {
    let scope: PatternScope
    /// Its place in the table of all indexes.
    let slot: Int
    var lastRead: Timestamp
    private(set) var losses: Losses
    private var order = TopicOrder()

    var count: Int { order.count }

    init(scope: PatternScope, slot: Int, losses: Losses, now: Timestamp) {
        self.scope = scope
        self.slot = slot
        self.losses = losses
        lastRead = now
    }

    /// Adds a topic, where ``TopicOrder`` takes it.
    func insert(_ record: TopicRecord, inFront: Bool) -> Int {
        losses.rise(to: record)
        return order.insert(record, inFront: inFront)
    }

    func remove(_ node: Int) { order.remove(node) }

    func moveToFront(_ node: Int) { order.moveToFront(node) }

    func noteLosses(of record: TopicRecord) {
        losses.rise(to: record)
    }

    /// Visits the topics that have events after `id`, the newest first.
    ///
    /// - Complexity: O(topics visited).
    func visit(newerThan id: EventID, _ body: (TopicRecord) -> Void) {
        order.visit(newerThan: id, body)
    }

    /// Visits every topic.
    func visitAll(_ body: (TopicRecord) -> Void) { order.visitAll(body) }
}

/// What a pattern means for one kind of reader: those of its topics that may be known of.
struct PatternScope: Hashable {
    let pattern: TopicPattern
    /// Nil for all.
    let visibility: TopicVisibility?

    func matches(_ name: TopicName) -> Bool {
        pattern.matches(name) && visibility?.shows(name) != false
    }
}

/// Where one pattern index has one topic.
struct PatternPlace {
    let index: Int
    let node: Int
}

/// The highest ids that were removed from some topics.
struct Losses {
    /// Removed from retention.
    var removedThrough = EventID.zero
    /// The time of that event.
    var removedTime = Timestamp.distantPast
    /// Gone for waiting readers too.
    var discardedThrough = EventID.zero

    /// What counts for a reader that waits, or for one that states its cursor.
    func highest(isWaiting: Bool) -> EventID { isWaiting ? discardedThrough : removedThrough }

    mutating func rise(to record: TopicRecord) {
        rise(
            to: Losses(
                removedThrough: record.removedThrough, removedTime: record.removedTime,
                discardedThrough: record.discardedThrough))
    }

    mutating func rise(to other: Losses) {
        removedThrough = max(removedThrough, other.removedThrough)
        removedTime = max(removedTime, other.removedTime)
        discardedThrough = max(discardedThrough, other.discardedThrough)
    }
}
