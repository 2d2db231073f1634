/// Maxima of the module that nobody configures.
enum Limits {
    /// Names end up in headers, paths and logs; 255 is what every one of them takes.
    static let nameBytesMax = 255
    /// As for names; media types of RFC 6838 fit.
    static let attributeBytesMax = 255
    /// As many as CloudEvents need; with the values bounded, headers of an answer still fit in 8 KiB.
    static let labelsMax = 16
    /// What CloudEvents recommend for names.
    static let labelNameBytesMax = 20
    /// A part of every event that carries them, so small beside it.
    static let labelsBytesMax = 4_096
    /// Each term costs memory and a look-up by readers that begin or are behind; who needs more
    /// wants a pattern.
    static let selectorTermsMax = 128
    /// How many events one hold of the lock looks at for a filtered read: about 50 µs.
    static let examinedEventsMax = 4_096
    /// Steps of one turn of a read of many topics: comparing a name with one term of a selector, or
    /// taking an event, some 30 ns to 200 ns each.
    static let turnStepsMax = 4_096
    /// Steps that a look at a topic takes beside finding it.
    static let topicVisitSteps = 8
    /// Steps that a turn may take more, since it ends behind the topic that it is at.
    static let lastTopicStepsMax = selectorTermsMax + topicVisitSteps
    /// How long such a read leaves the lock to others between two turns: enough for a thread that
    /// sleeps to wake up and take it.
    static let turnPauseMicroseconds: UInt32 = 50
    /// One hold of the lock looks after so many due topics.
    static let sweptTopicsMax = 256
    /// Events that one hold of the lock takes out of retention: more than a batch has, so that a topic
    /// that is published to keeps to its bounds, and about a millisecond.
    static let retiredEventsMax = 16_384
    /// How often a topic that is over its bounds, and held, is looked at.
    static let heldLookMicroseconds: Int64 = 1_000_000
    /// Events that one hold of the lock lets go in a sweep, which ends behind the topic that it is
    /// at: as many leave retention there, as many the grace, and as many are let go by a group.
    static let sweptEventsMax = 4 * retiredEventsMax
    /// Events that are freed where they are removed, some 100 ns each. More wait for the next sweep:
    /// a topic of a million events would hold the loop of whoever deletes it for a tenth of a second.
    static let freedAtOnceMax = 4_096
    /// Steps of one turn of the removal of many topics: at most a hundred topics, which are committed
    /// together.
    static let removalStepsMax = 1_024
    /// What waits in a line of turns before it is looked for what nobody wants any more: few enough to
    /// keep.
    static let lineLookMin = 64
    /// How far events are counted that somebody has not taken in yet: some 100 µs.
    static let countedBehindMax = 1_000
    /// Topics that are looked at for the one of a user that vanishes first: a microsecond or two,
    /// paid by requests that are refused.
    static let vanishingLooksMax = 1_024
    /// Bytes of events that go under one hold of the lock where others than publishers need memory: some
    /// 100 µs for the smallest events.
    static let relievedAtOnceBytes = 256 << 10
    /// When memory runs out, this part of the bound is made free beyond what is needed, so that
    /// the search for the largest topics is paid once for many events.
    static let roomSlackDivisor = 64
    /// What a subscription of this process reads at a time, and so holds while its reader is busy:
    /// enough that a read is paid by many events, and little for ten thousand slow readers.
    static let followedEventsMax = 64
    static let followedBytesMax = 64 << 10
    /// What one thread commits for others before it lets another one do it, bytes with their
    /// overhead: at most 256 batches, about a millisecond.
    static let commitTurnBytesMax = 64 << 10
    /// How often a thread that brings an entry looks whether one whose turn is over has seen it: a
    /// few microseconds, in which a batch or two are committed.
    static let handOverLooksMax = 2_000
    /// Microseconds between two looks whether others still commit to a store that closes: nobody
    /// notices one at the end of a program.
    static let closeMicroseconds: UInt32 = 1_000
    /// What a bus takes that nobody gave a bound: a small part of any machine's memory, and a few
    /// hundred thousand events.
    static let memoryBytesDefault = 64 << 20
    /// How often a bus looks after itself: ages are as exact as that.
    static let sweepMilliseconds = 1_000
    /// The fraction of the memory budget that readers of many topics may keep between answers: some
    /// tens of readers of 10,000 topics, which are told from where they are; others look again.
    static let readsMemoryFraction = 16
    /// Ids are committed ahead of use by this many: one synced write per million events.
    static let idsAhead: UInt64 = 1 << 20
    /// A ceiling file is one line; anything longer is not one.
    static let ceilingFileBytesMax = 128
}

/// What configuration may change about how much the bus takes on.
public struct BusLimits: Hashable, Sendable {
    /// The largest payload. 1 MiB: a web page or a JSON document, not a file.
    public var eventBytesMax = 1 << 20
    /// Events in one batch: a batch is admitted under one hold of the lock.
    public var batchEventsMax = 10_000
    /// Payload bytes in one batch: what one request may hold in memory at a time.
    public var batchBytesMax = 16 << 20
    /// Topics that exist at a time; each takes about 1 KB even when it is empty.
    public var topicsMax = 10_000
    /// Of these, topics that one user made, and that all unknown ones made together; nil for no
    /// bound.
    public var topicsPerUIDMax: Int?
    /// Vanished topics whose losses are still told apart; the oldest beyond merge into the floor.
    public var tombstonesMax = 10_000
    /// How long, in microseconds, a waiting subscription still gets what retention removed: two
    /// seconds is a slow reader's turn, and short enough not to hold much.
    public var graceMicroseconds: Int64 = 2_000_000
    /// Bytes (events with their overhead) that may wait for the store to commit them.
    public var commitQueueBytesMax = 64 << 20

    /// The defaults, each of which can be changed.
    public init() {}
}
