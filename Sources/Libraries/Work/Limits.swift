/// Maxima of the module that nobody configures.
enum Limits {
    /// Names of groups and workers stand in paths, queries and headers.
    static let nameBytesMax = 64
    /// A job comes again within a day.
    static let retryMicrosecondsMax: Int64 = 86_400_000_000
    /// The first retry that names no delay; doubled with each attempt, up to five minutes.
    static let retryMicrosecondsDefault: Int64 = 1_000_000
    static let retryMicrosecondsDefaultMax: Int64 = 300_000_000
    /// Jobs under one lease.
    static let batchJobs = 1...256
    /// A batch of jobs ends before its payloads are more: it is encoded in one go.
    static let batchBytesMax = 256 << 10
    /// A requester may wait so long.
    static let replyMicroseconds: ClosedRange<Int64> = 1_000...3_600_000_000
    /// Entries of the agenda that may be out of date beside as many as there are jobs.
    static let staleEntriesMax = 64
    /// Jobs that fall due under one hold of a group's lock: about a millisecond.
    static let dueJobsMax = 4_096
    /// Workers that one change serves: as many rows, at most a millisecond.
    static let servedMax = 64
    /// Requests that one change answers: what comes meanwhile is the next one's.
    static let requestsMax = 64
    /// Dead letters of one change.
    static let burialsMax = 64
    /// How long a dead letter rests that the dead topic does not take.
    static let burialMicroseconds: Int64 = 1_000_000
    /// How often the payload of an event becomes a dead letter: beyond it two groups have each other's
    /// dead topics, and would pass it on for ever.
    static let hopsMax = 16
    /// How long a job rests that went so far; nothing but other settings changes that.
    static let circleMicroseconds: Int64 = 60_000_000
    /// Dead letters of one group that late workers are told of: four changes full of them.
    static let rememberedLettersMax = 256
    /// What one of these takes in memory.
    static let rememberedLetterBytes = 48
    /// How often one change reads the log: what is parked or over may be all that a read brings.
    static let readsMax = 16
    /// How often leases get their time anew while the store fails: none is shorter.
    static let renewalMicroseconds: Int64 = 1_000_000
    /// Steps of a read of many topics on the thread that wants a job, some 30 ns to 200 ns each:
    /// hardly more than its request takes.
    static let inlineStepsMax = 256
    /// Groups that one admitted batch wakes on the thread that committed it; where more wait for its
    /// topic, another thread wakes them all, since publishers wait behind this.
    static let inlineGroupsMax = 4
    /// Steps of a group that one call takes it through; then another thread goes on.
    static let drivenStepsMax = 32
    /// Tokens that are drawn from the system by one call, which brings at most 256 bytes.
    static let tokensDrawn = 16
    /// What one read of the log brings at most, in bytes, and one event at least.
    static let readBytesMax = 1 << 20
    /// Events that one read brings at most: their attributes may be larger than their payloads.
    static let readEventsMax = 1_024
    /// The fraction of the memory budget that groups have for what only the store has: sixteen reads
    /// of 256 MiB at one time, which is more than a disk brings between two commits.
    static let storeReadsMemoryFraction = 8
    /// Requests of one user that look for a place or a letter at one time: each holds a read of the log.
    static let askedUnderWayMax = 4
    /// Requests of one user that wait to begin with that: as many as there may be groups, and a few
    /// hundred bytes each.
    static let askedPerUserMax = 1_024
    /// Open jobs of one list.
    static let listedJobsMax = 1_000
    /// Requests of all users that ended before their time and are remembered until then, some 60 bytes
    /// each: more than are asked and given up in an hour by programs that mean it.
    static let endedRequestsMax = 100_000
    /// How long a task's worker rests when the store refused it.
    static let pauseAfterFailure = Duration.seconds(1)
    /// A worker that asked so long ago still counts as there.
    static let responderMicroseconds: Int64 = 5_000_000
    /// What an open job takes in memory, with its lease and its places in the queues.
    static let jobBytes = 400
    /// What a parked job takes.
    static let parkedBytes = 32
    /// What a group takes beside its jobs and its topics. Measured by `CountedGroupTests`, and in a daemon
    /// as the growth of its resident memory (`/proc/PID/statm`) by 700 `PUT /groups/gN?of=topicN.*`: 2,422
    /// bytes each, with one pattern.
    static let groupBytes = 2_560
    /// What a request takes that waits for a job. Measured the same way, by a `next` of each of these
    /// groups: 1,872 bytes, with its socket's part and the pattern's.
    static let waiterBytes = 2_048
    /// The fraction of the memory budget that groups may take with their topics: of 256 MiB, 1,000 groups
    /// of some 50 patterns each.
    static let groupsMemoryFraction = 4
}
