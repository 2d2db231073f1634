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
/// Promises what every reader of the bus is promised: **ids rise, no event comes twice**, and each
/// one that the selector and the filter want and that became visible behind the start is delivered,
/// or lies in the range of a ``Gap`` that is told in its place. A gap is told where the contract of
/// cursors says so, no sooner: the subscription counts as waiting from its making, and so still gets
/// what retention removed less than the grace ago. Topics of a pattern that are made later belong to
/// it from their first event. What only the store has is read from there, without a seam.
///
/// Does not push, and so has no buffer that overflows: it reads the log when it is asked, one batch
/// at a time, and holds the rest of that batch until it is asked again. A reader that is slow costs
/// a cursor and that batch, delays nobody, and is told a gap once it falls behind what is kept. (What
/// it holds is not counted in the memory budget; a smaller `limit` makes it less.)
///
/// It ends, so that `next` returns nil,
/// - when the topic is deleted whose name its selector exactly is: behind what had been read, and
///   behind a gap if something more was not delivered;
/// - when the bus drains: behind everything that is visible at that moment;
/// - when it is cancelled, or a task that waits for it: at once, and what it held is discarded;
/// - after it threw, since the store could not be read.
///
/// Whatever ended it, another subscription `since: .after(cursor)` goes on there. It counts as a
/// subscriber from its making until it ends or is released, with its iterators.
///
/// Not for several readers: iterators share the one place, so that a second one goes on where the
/// first stopped, and to ask while another call waits stops the process with a sentence. Make one
/// for each reader.
///
/// - Complexity: Making it and ending it O(terms of the selector), and what the first read takes.
///   ``Iterator/next(isolation:)`` O(1), and one read of the log for each batch. While it waits it
///   costs others nothing: a publish looks at the subscriptions of its topic alone, and wakes each
///   once for however much comes before it reads.
/// - Important: Safe from any thread. It is woken through the bus's ``EventBus/broadcaster``: who
///   ends all registrations of ``TopicObserver`` there lets subscriptions wait for ever.
public final class EventSubscription: AsyncSequence, Sendable {
    /// What a subscription tells.
    public typealias Element = Delivery
    /// Why a subscription fails.
    public typealias Failure = BusError

    private let follower: Follower

    init(_ follower: Follower) {
        self.follower = follower
    }

    deinit { follower.cancel() }

    /// What it receives.
    public var selector: Selector { follower.selector }

    /// Everything up to this id was delivered, told as a gap, or is not wanted: resume with
    /// `.after(cursor)`.
    ///
    /// What the last `next` returned is included: whoever must not lose it keeps the cursor from
    /// before until it is dealt with. It moves on with the bus while nothing comes, so that a quiet
    /// subscription does not fall behind. Once it has ended it stays.
    ///
    /// - Complexity: O(1).
    public var cursor: EventID { follower.cursor }

    /// Ends it at once; whoever waits for it gets nil. Doing so again changes nothing.
    public func cancel() { follower.cancel() }

    /// Reads on where the last iterator was.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: self) }

    /// Reads a subscription, which it keeps.
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

/// One thing that a subscription tells.
public enum Delivery: Sendable {
    /// The next event.
    case event(Event)
    /// Events in this range may be missing; those of them that are still kept follow.
    case gap(Gap)
}

extension EventBus {
    /// Subscribes to `selector` from `start` on, until the subscription is cancelled or released.
    ///
    /// It has found its place when this returns: what becomes visible later is delivered.
    ///
    /// - Parameters:
    ///   - selector: The topics, those included that are made later.
    ///   - start: Where to begin; only a stated cursor or time can tell a gap at once.
    ///   - filter: Which of their events.
    ///   - limit: How much it reads, and so holds, at a time.
    /// - Throws: `BusError.topicUnknown` for a name that does not exist, where topics are not made
    ///   by asking.
    /// - Complexity: As ``read(from:matching:filter:limit:)``.
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
