internal import Topics
internal import Wire

/// The bounds of this module, each with the reason for its number.
enum Limits {
    /// Time to live of an event: below a second nobody keeps time, and a year is for ever.
    static let ttlMicroseconds: ClosedRange<Int64> = 1_000_000...365 * 86_400 * 1_000_000

    /// How long an event is held until it is due: a year, as long as it may be of use.
    static let delayMicroseconds: ClosedRange<Int64> = 0...365 * 86_400 * 1_000_000
    /// The events that the answer to one ticket shows, of a batch that is held.
    static let heldShown = ReadLimit(events: 1_000, bytes: 1 << 20)
    /// The tickets of one list of held events.
    static let heldListedDefault = 100
    static let heldListedMax = 1_000

    /// The longest that somebody at a limit is told to wait before another try: places may become
    /// free earlier than by themselves, and clients follow it without a word to anybody.
    static let retrySecondsMax: Int64 = 3_600
    /// How long a loop waits to be told that another loop of its worker has taken its wait, or its
    /// job. Where both ask again at once, this bounds how often they do.
    static let replacedPauseSeconds: Int64 = 1

    /// Events of one JSON answer unless `max` says otherwise: as many as a script handles at one
    /// time.
    static let pollEventsDefault = 1_000

    /// Events of one JSON answer at the most: bounds the time that one answer holds a loop.
    static let pollEventsMax = 10_000

    /// Payload bytes of one JSON answer, after which it is cut short (always one event).
    static let pollPayloadBytesMax = 1 << 20

    /// How long a poll whose time is up still waits for a read of the store. It is longer than a
    /// busy disk takes, and so short that the wait that was asked for still means something.
    static let fetchMillisecondsMax = 2_000

    /// How long a stream waits for the read of its beginning, and a poll whose time is up for an
    /// answer that is made beside the loop: as long as a reader may hold room without progress.
    static let madeMillisecondsMax = 30_000

    /// Events of a JSON answer that a loop itself looks at.
    static let answeredAtOnceEventsMax = 256

    /// Bytes on the wire of a JSON answer that a loop writes by itself, some 100 µs; a larger one is
    /// written on another thread.
    static let answeredAtOnceBytesMax = 64 << 10

    /// Bytes that make a step of a loop's turn where it encodes them: in a JSON answer, or for a stream.
    static let encodedBytesPerStep = 1_024

    /// Bytes that make one more step if they are encoded for one reader alone. Bytes that many
    /// readers share count less for each, or they would not all be told in one turn and share it.
    static let toldAloneBytesPerStep = 1_024

    /// Bytes on the wire of past events that a loop writes for a stream by itself. Without a large
    /// event, a stream is told the past in pieces that are smaller.
    static let toldAtOnceBytesMax = 192 << 10

    /// The fraction of the space for answers that an answer of unknown size takes at the most.
    static let guessedFraction = 16

    /// Topics whose room a loop keeps for those that change next.
    static let keptTopicsMax = 64

    /// How long reads that find no room wait until they look again, in microseconds: the time in
    /// which a fast reader takes some megabytes.
    static let heldMicroseconds: UInt32 = 5_000

    /// Reads of one user that the store is asked for at one time, each with its room: enough that its
    /// readers always have the next one, and a quarter of the space for answers at the most.
    static let askedReadsPerUserMax = 4

    /// Bytes after which a stream's write is not added to, one event at least. The kernel takes as
    /// much at once from one of our connections, half as much again being in its buffer.
    static let streamWriteBytes = 64 << 10

    /// Events that a stream reads at one time: more than this make a write of the size above, as an
    /// envelope has some 200 bytes even of an empty event.
    static let streamBatchEventsMax = 256

    /// Reads of one delivery that are kept for other readers at the same place: as many as readers
    /// of a burst take one after the other before the next of them begins.
    static let sharedReadsMax = 4

    /// Events that a stream can be asked to end after: any count that a client may have in mind.
    static let streamEventsMax = Int(Int32.max)

    /// Subscribers that an event is delivered to before its publisher is answered, where nobody else
    /// waits for the loop: some 100 µs, which a publisher hardly notices.
    static let deliveredFirstMax = 16

    /// How long readers that reconnect by themselves are told to wait, in milliseconds: each its
    /// own time, so that after a restart they do not come all at once.
    static let streamRetryMilliseconds = 1_000...5_000

    /// The segments of a path that leads nowhere and may have been meant as a topic's name.
    static let guessedSegmentsMax = 8

    /// The bytes from which on a form without a line end may have been a file: a longer text is rarely
    /// typed.
    static let joinedLinesBytesMin = 256

    /// How long the reader of an event stream that is over a limit is told to wait, in milliseconds:
    /// a limit does not pass as fast as a restart.
    static let refusedStreamRetryMilliseconds = 10_000

    /// Memory of an encoding beside its bytes: two objects and a place in each table of its cache.
    static let encodingOverheadBytes = 192

    /// Room for encoding that a loop keeps: beyond it an event is rare enough to pay for its own.
    static let encodingScratchBytesMax = 256 << 10

    /// Encoded events that one loop keeps for the next reader of the same one.
    static let encodingCacheBytesMax = 4 << 20

    /// The fraction of the memory budget that the encodings of all loops may take together.
    static let encodingsMemoryFraction = 8

    /// Bytes of a topic in a list, about.
    static let listedTopicBytes = 256

    /// Bytes of a subscriber in a list, about, together with its description, from which it is
    /// written.
    static let listedSubscriberBytes = 512

    /// Steps of the log, of some 100 ns, that one turn of a list of subscribers counts with: a
    /// millisecond of a thread beside the loops.
    static let subscriberStepsPerTurn = 10_000

    /// Looks at topics that a loop itself takes for a list or a summary, one for each term of a selector:
    /// some 100 µs.
    static let topicLooksAtOnceMax = 256

    /// Steps of a loop's turn for waking a subscription or ending a wait, beside those for the
    /// bytes that it writes.
    static let deliverySteps = 2

    /// Steps of a read of the log, some 30 ns to 200 ns each, that make a step of a loop's turn.
    static let readStepsPerStep = 32

    /// Steps of judging a subscription by new rules, beside those of each term of its selector.
    static let judgementSteps = 8

    /// Rules that a decision about a term looks at in a step of a loop's turn, some 50 ns each.
    /// Without rules, a term takes one step for the decision and for following it.
    static let judgedRulesPerStep = 32

    /// Steps of a loop's turn that a selector without a reader takes to leave its table, beside one for
    /// each of its terms.
    static let clearedSelectorSteps = 4

    /// The fraction of the memory budget that selectors may take for which somebody waits: 33,000
    /// patterns of four segments of 256 MiB.
    static let selectorsMemoryFraction = 4

    /// Bytes of a `ref`, by which a client names a message that it publishes over a WebSocket, as
    /// JSON: as much as any name here. It is kept until the answer has left.
    static let refBytesMax = 255

    /// Characters of an unknown name that an answer repeats: enough to find it.
    static let shownNameCharacters = 64

    /// The longest delay of a retry: a day. A job that is due later is to be published later.
    static let retryMicrosecondsMax: Int64 = 86_400_000_000

    /// Jobs under one lease: enough to make their commit cheap, few enough to lose together.
    static let batchJobsMax = 256

    /// The shortest and longest that a publisher can wait for a reply: longer is a job, not a request.
    static let replyMicroseconds: ClosedRange<Int64> = 1_000...3_600_000_000

    /// Open jobs of one list unless `max` says otherwise, and at the most: a millisecond of a loop.
    static let jobsListedDefault = 100
    static let jobsListedMax = 1_000

    /// Groups that are judged by all rules, and of which it is counted how far they are behind, in one
    /// turn of a list: a few milliseconds of a thread beside the loops.
    static let groupsListedPerTurn = 8

    /// Topics with figures of their own in `/metrics`: as many as a scraper reads in some
    /// milliseconds. It stores the figures of each.
    static let metricsTopicsMax = 1_000

    /// Messages that one WebSocket's client may have under way without an answer: as many as make
    /// a batch of commits worth it; then nothing more is read of it until answers leave.
    static let publishesMax = 64

    /// Payload bytes of such messages, one at least: as many as a request may bring otherwise.
    static let publishesBytesMax = 1 << 20

    /// Bytes of JSON around the payload of a message: 2 KiB for its topic, its `ref` and each
    /// field, names of 255 bytes, escaped the same way, with their members' own names.
    static let messageMembersBytesMax =
        (2 + WireField.parameters.count) * (2 << 10) + messageAttributesBytesMax

    /// Bytes of the attributes of a message: the 4 KiB that an event has at most and those of a trace,
    /// escaped the same way.
    private static let messageAttributesBytesMax = 32 << 10

    /// How long a series is remembered behind its last publish: 30 days, for publishers that are away over
    /// a holiday.
    static let seriesWindowSeconds: UInt32 = 30 * 86_400

    /// Bytes of headers that say attributes in one raw answer. Proxies read a head into a buffer that
    /// is often 4 KiB: nobody is to publish an event that closes them for their readers.
    static let attributeHeadersBytesMax = 2 << 10
}
