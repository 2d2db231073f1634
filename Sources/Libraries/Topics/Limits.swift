/// Maxima of the module that nobody configures.
enum Limits {
    /// Names end up in headers, paths and logs, and each of these takes 255 bytes.
    static let nameBytesMax = 255
    /// The same as for names; media types of RFC 6838 fit.
    static let attributeBytesMax = 255
    /// Enough for CloudEvents; with the values bounded, headers of an answer still fit in 8 KiB.
    static let attributesMax = 16
    /// The bound that CloudEvents recommend for names.
    static let attributeNameBytesMax = 20
    /// The bytes of a `tracestate` that systems should carry (W3C Trace Context, section 3.3.1.5).
    static let traceStateBytesMax = 512
    /// Attributes are kept with every event that has them, so they are small beside a payload.
    static let attributesBytesMax = 4_096
    /// The bytes of a key of a publish, as of other texts in headers.
    static let keyBytesMax = 255
    /// Digits of the number of a series: all of them are below 2^63.
    static let keyDigitsMax = 18
    /// Keys that are remembered: 278 publishes a second with a key, for 15 minutes. Each takes some 150
    /// bytes.
    static let idempotencyKeysMax = 250_000
    /// The part of the memory that keys may take.
    static let keysMemoryFraction = 4
    /// Batches that are held until they are due: as many as topics, and each may be of another one.
    static let heldBatchesMax = 100_000
    /// The events that schedules of one user make together: ten a second.
    static let scheduleRateMax = 10_000_000_000
    /// Batches that one hold of the lock looks at for a list of them: some 100 µs.
    static let heldLooksMax = 4_096
    /// Batches that one hold of the lock lets go with their topic: some 500 µs.
    static let droppedBatchesMax = 512
    /// How long it is remembered what became of held events, and of how many.
    static let endingMicroseconds: Int64 = 86_400_000_000
    static let endingsMax = 100_000
    /// Endings that are forgotten at once: as many rows go with one commit.
    static let forgottenEndingsMax = 64
    /// Events that become visible with one commit, unless a batch alone has more.
    static let releasedEventsMax = 1_000
    /// The ids that these take at most: the last batch may be as large as any.
    static let releasedIDsMax = releasedEventsMax + 10_000
    /// How long a publisher has the chance to be heard after a start before its topic counts as silent.
    static let chanceMicroseconds: Int64 = 300_000_000
    /// Ends of keys that mean nothing any more, before they are looked for.
    static let staleEndsMin = 1_024
    /// Each term costs memory, and a look-up for a reader that begins or is behind. A reader of
    /// more topics needs a pattern.
    static let selectorTermsMax = 128
    /// How many events one hold of the lock looks at for a filtered read: about 50 µs.
    static let examinedEventsMax = 4_096
    /// Steps of one turn of a read of many topics: comparing a name with one term of a selector, or
    /// taking an event, some 30 ns to 200 ns each.
    static let turnStepsMax = 4_096
    /// Steps that a look at a topic takes beside finding it.
    static let topicVisitSteps = 8
    /// Steps by which a turn may exceed its bound, since it ends behind the topic that it is at.
    static let lastTopicStepsMax = selectorTermsMax + topicVisitSteps
    /// How long such a read leaves the lock to others between two turns: enough for a thread that
    /// sleeps to wake up and take it.
    static let turnPauseMicroseconds: UInt32 = 50
    /// One hold of the lock looks after so many due topics.
    static let sweptTopicsMax = 256
    /// Events that one hold of the lock takes out of retention: more than a batch has, so that a topic
    /// that is published to keeps to its bounds, and about a millisecond.
    static let retiredEventsMax = 16_384
    /// The pause between two looks at a held topic that is over its bounds.
    static let heldLookMicroseconds: Int64 = 1_000_000
    /// Events that one hold of the lock lets go in a sweep, which ends behind the topic that it is
    /// at: as many leave retention there, as many the grace, and as many are let go by a group.
    static let sweptEventsMax = 4 * retiredEventsMax
    /// Events that are freed where they are removed, some 100 ns each. More wait for the next
    /// sweep: to free a million events would hold a loop for a tenth of a second.
    static let freedAtOnceMax = 4_096
    /// Steps of one turn of the removal of many topics: at most a hundred topics, which are committed
    /// together.
    static let removalStepsMax = 1_024
    /// The most events that are counted behind a reader's position: some 100 µs.
    static let countedBehindMax = 1_000
    /// Topics that are looked at for the one of a user that vanishes first: a microsecond or two,
    /// paid by requests that are refused.
    static let vanishingLooksMax = 1_024
    /// Bytes of events that go under one hold of the lock where others than publishers need memory: some
    /// 100 µs for the smallest events.
    static let relievedAtOnceBytes = 256 << 10
    /// When memory runs out, this part of the bound is made free beyond the needed bytes, so that
    /// the search for the largest topics is paid once for many events.
    static let roomSlackDivisor = 64
    /// Events and bytes that a subscription of this process reads at a time, and so holds while its
    /// reader is busy. Many events share the cost of a read, and ten thousand slow readers hold
    /// little.
    static let followedEventsMax = 64
    static let followedBytesMax = 64 << 10
    /// Bytes, with their overhead, that one thread commits for others before another one takes
    /// over: at most 256 batches, about a millisecond.
    static let commitTurnBytesMax = 64 << 10
    /// How often a thread that brings an entry looks whether the committing thread, whose turn is
    /// over, has seen it: a few microseconds, in which a batch or two are committed.
    static let handOverLooksMax = 2_000
    /// Microseconds between two looks whether others still commit to a store that closes: nobody
    /// notices one at the end of a program.
    static let closeMicroseconds: UInt32 = 1_000
    /// The memory of a bus that was given no bound: a small part of any machine's memory, and
    /// enough for a few hundred thousand events.
    static let memoryBytesDefault = 64 << 20
    /// How often a bus looks after itself: ages are as exact as that.
    static let sweepMilliseconds = 1_000
    /// The part of the memory budget that readers of many topics may keep between answers. It is
    /// enough for some tens of readers of 10,000 topics, which go on where they were; others look
    /// again.
    static let readsMemoryFraction = 16
    /// Ids are committed ahead of use by this many: one synced write per million events.
    static let idsAhead: UInt64 = 1 << 20
    /// A ceiling file is one line; anything longer is not one.
    static let ceilingFileBytesMax = 128
}

/// The limits of the bus that configuration may change.
public struct BusLimits: Hashable, Sendable {
    /// The largest payload. 1 MiB: a web page or a JSON document, not a file.
    public var eventBytesMax = 1 << 20
    /// Events in one batch: a batch is admitted under one hold of the lock.
    public var batchEventsMax = 10_000
    /// Payload bytes in one batch, and so in memory for one request at a time.
    public var batchBytesMax = 16 << 20
    /// Topics that exist at a time; each takes about 1 KB even when it is empty.
    public var topicsMax = 10_000
    /// Of these, topics that one user made, and that all unknown ones made together; nil for no
    /// bound.
    public var topicsPerUIDMax: Int?
    /// Vanished topics whose losses are still told apart; the oldest beyond merge into the floor.
    public var tombstonesMax = 10_000
    /// How long the bus remembers the key of a publish, in microseconds: longer than publishers try the
    /// same again.
    public var idempotencyMicroseconds: Int64 = 900_000_000
    /// How long, in microseconds, a waiting subscription still gets events that retention removed.
    /// Two seconds is a slow reader's turn, and short enough not to hold much.
    public var graceMicroseconds: Int64 = 2_000_000
    /// Bytes (events with their overhead) that may wait for the store to commit them.
    public var commitQueueBytesMax = 64 << 20

    /// The defaults, each of which can be changed.
    public init() {}
}
