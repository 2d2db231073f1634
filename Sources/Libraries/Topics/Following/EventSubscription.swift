/// The events of a selector as an asynchronous sequence, from a place in the log on.
///
/// ```swift
/// let builds = try bus.subscribe(Selector("builds.>"), since: .after(cursor))
/// for try await delivery in builds {
///     switch delivery {
///     case .event(let event): show(event.payload.text)
///     case .gap: reload()
///     }
/// }
/// ```
///
/// Promises the same as every reader of the bus: **ids rise, no event comes twice**. Each event
/// that the selector and the filter want, and that became visible behind the start, is delivered.
/// Or it lies in the range of a ``Gap`` that is told in its place. A gap is told only where the
/// contract of cursors says so: the subscription counts as waiting from its making, so it still
/// gets events that retention removed less than the grace ago. Topics of a pattern that are made
/// later belong to it from their first event. Events that only the store has are read from there,
/// without a seam.
///
/// Does not push, so it has no buffer that overflows. It reads the log when it is asked, one batch
/// at a time, and holds the rest of that batch until it is asked again. A slow reader costs a
/// cursor and that batch, delays nobody, and is told a gap once it falls behind the retained
/// events. (The batch is not counted in the memory budget; a smaller `limit` makes it smaller.)
///
/// It ends, so that `next` returns nil,
/// - when its selector is exactly one name, and that topic is deleted: behind the events that it
///   had read, and behind a gap if others were not delivered;
/// - when the bus drains: behind everything that is visible at that moment;
/// - when it is cancelled, or a task that waits for it: at once, and the rest of its batch is
///   discarded;
/// - after it threw, since the store could not be read.
///
/// In each case another subscription `since: .after(cursor)` goes on there. It counts as a
/// subscriber from its making until it ends or is released, with its iterators.
///
/// It is for one reader: iterators share the one place, so that a second one goes on where the
/// first stopped. A call while another one waits stops the process with a sentence. Make a
/// subscription for each reader.
///
/// - Complexity: Making it and ending it take O(terms of the selector), plus the first read.
///   ``Iterator/next(isolation:)`` takes O(1), plus one read of the log for each batch. While it
///   waits it costs others nothing: a publish looks at the subscriptions of its topic alone. It
///   wakes each once, however many events come before that one reads.
/// - Important: Safe from any thread. It is woken through the bus's ``EventBus/broadcaster``: code
///   that ends all registrations of ``TopicObserver`` there lets subscriptions wait for ever.
public final class EventSubscription: AsyncSequence, Sendable {
    /// One element of a subscription: an event or a gap.
    public typealias Element = Delivery
    /// The error with which a subscription fails.
    public typealias Failure = BusError

    private let follower: Follower

    init(_ follower: Follower) {
        self.follower = follower
    }

    deinit { follower.cancel() }

    /// The topics of the subscription.
    public var selector: Selector { follower.selector }

    /// Everything up to this id was delivered, told as a gap, or is not wanted: resume with
    /// `.after(cursor)`.
    ///
    /// It includes the element that the last `next` returned. A reader that must not lose that
    /// element keeps the previous cursor until it is dealt with. The cursor moves on with the bus
    /// while nothing comes, so that a quiet subscription does not fall behind. Once the
    /// subscription has ended it stays.
    ///
    /// - Complexity: O(1).
    public var cursor: EventID { follower.cursor }

    /// Ends the subscription at once; a task that waits for it gets nil. A second call changes
    /// nothing.
    public func cancel() { follower.cancel() }

    /// Reads on where the last iterator was.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: self) }

    /// A reader of a subscription, which it retains.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: EventSubscription

        /// The next event or gap; nil once the subscription has ended, and when the task is
        /// cancelled.
        ///
        /// - Throws: `BusError` once, if the store could not be read; then it has ended.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(BusError) -> Delivery? {
            try await subscription.follower.next(isolation: actor)
        }
    }
}

/// One element of a subscription.
public enum Delivery: Sendable {
    /// The next event.
    case event(Event)
    /// Events in this range may be missing; those of them that are still kept follow.
    case gap(Gap)
}

extension EventBus {
    /// Subscribes to `selector` from `start` on, until the subscription is cancelled or released.
    ///
    /// The subscription has found its place when this returns: events that become visible later are
    /// delivered.
    ///
    /// - Parameters:
    ///   - selector: The topics, those included that are made later.
    ///   - start: The place to begin at; only a stated cursor or time can tell a gap at once.
    ///   - filter: The choice of their events.
    ///   - limit: How much it reads, and so holds, at a time.
    /// - Throws: `BusError.topicUnknown` for a name that does not exist, where topics are not made
    ///   by asking.
    /// - Complexity: That of ``read(from:matching:filter:limit:)``.
    public func subscribe(
        _ selector: Selector, since start: StartPosition = .now, filter: EventFilter = .all,
        limit: ReadLimit = .standard
    ) throws(BusError) -> EventSubscription {
        try checkSubscribable(selector)
        observing.run { broadcaster.register((any TopicObserver).self, observer: followers) }
        let follower = Follower(selector, filter, limit, of: self)
        follower.begin(at: start)
        return EventSubscription(follower)
    }
}
