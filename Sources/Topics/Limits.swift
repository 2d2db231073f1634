/// Maxima of the room that nobody configures.
enum Limits {
    /// Names end up in headers, paths and logs; 255 is what every one of them takes.
    static let nameBytesMax = 255
    /// As for names; media types of RFC 6838 fit.
    static let attributeBytesMax = 255
    /// Each term costs a look-up per read; who needs more wants a pattern.
    static let selectorTermsMax = 64
    /// How many events one hold of the lock looks at for a filtered read: about 50 µs.
    static let examinedEventsMax = 4_096
    /// Each pattern in use costs every publish to a topic of it a few nanoseconds.
    static let patternIndexesMax = 256
    /// Places in all pattern indexes together, 24 bytes each: the indexes are only a cache.
    static let patternPlacesMax = 250_000
    /// A pattern that nobody read for this long loses its index.
    static let patternIdleMicroseconds: Int64 = 60_000_000
    /// One hold of the lock looks after so many due topics.
    static let sweptTopicsMax = 256
    /// When memory runs out, this part of the bound is made free beyond what is needed, so that
    /// the search for the largest topics is paid once for many events.
    static let roomSlackDivisor = 64
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
