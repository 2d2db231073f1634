/// Maxima of the module that nobody configures.
enum Limits {
    /// When a lease is due that has passed, on an order that hosts share.
    static let passed: Int64 = 0
    /// How far a read behind the reach of a group looks there, in ids.
    static let sharedIDsMax: UInt64 = 4_096
    /// How many turns of one group of entries make dead letters there.
    static let sharedBurialsMax = 16
    /// How many leases one request says to have passed there.
    static let passedLeasesMax = 4_096
    /// How much later others than the host of a worker say there that a lease has passed, in microseconds.
    static let othersLeaseMicroseconds: Int64 = 2_000_000
    /// When a host says it again, where the lease is still there.
    static let passedAgainMicroseconds: Int64 = 5_000_000
    /// Names of groups and workers stand in paths, queries and headers.
    static let nameBytesMax = 64
    /// The longest delay of a retry: a day.
    static let retryMicrosecondsMax: Int64 = 86_400_000_000
    /// The first retry that names no delay; doubled with each attempt, up to five minutes.
    static let retryMicrosecondsDefault: Int64 = 1_000_000
    static let retryMicrosecondsDefaultMax: Int64 = 300_000_000
    /// The part of that delay by which it may be longer: a tenth.
    static let retryJitterFraction: Int64 = 10
    /// Jobs under one lease.
    static let batchJobs = 1...256
    /// A batch of jobs ends before its payloads are more: it is encoded in one go.
    static let batchBytesMax = 256 << 10
    /// How long a requester may wait for its reply.
    static let replyMicroseconds: ClosedRange<Int64> = 1_000...3_600_000_000
    /// Entries of the agenda that may be out of date beside as many as there are jobs.
    static let staleEntriesMax = 64
    /// Jobs that fall due under one hold of a group's lock: about a millisecond.
    static let dueJobsMax = 4_096
    /// Workers that one change serves: as many rows, at most a millisecond.
    static let servedMax = 64
    /// Requests that one change answers; the next change takes those that come meanwhile.
    static let requestsMax = 64
    /// Dead letters of one change.
    static let burialsMax = 64
    /// How long a dead letter rests that the dead topic does not take.
    static let burialMicroseconds: Int64 = 1_000_000
    /// How often the payload of an event becomes a dead letter: beyond it two groups have each other's
    /// dead topics, and would pass it on for ever.
    static let hopsMax = 16
    /// How long a job rests that reached ``hopsMax``; only other settings of its group help it.
    static let circleMicroseconds: Int64 = 60_000_000
    /// Dead letters of one group that late workers are told of: four changes full of them.
    static let rememberedLettersMax = 256
    /// Memory of one remembered dead letter, in bytes.
    static let rememberedLetterBytes = 48
    /// How often one change reads the log: a read may bring only events that are parked or over.
    static let readsMax = 16
    /// How often leases get their full time again while the store fails; no lease is shorter.
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
    /// Payload bytes that one read of the log brings at most; it brings one event in any case.
    static let readBytesMax = 1 << 20
    /// Events that one read brings at most: their fields may be larger than their payloads.
    static let readEventsMax = 1_024
    /// The fraction of the memory budget for events that groups read from the store. Of 256 MiB
    /// that is sixteen reads at one time, more than a disk brings between two commits.
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
    /// How long the loop of a worker's task rests when the store refused it.
    static let pauseAfterFailure = Duration.seconds(1)
    /// A worker that asked so long ago still counts as there.
    static let responderMicroseconds: Int64 = 5_000_000
    /// Memory of an open job, in bytes, with its lease and its places in the queues.
    static let jobBytes = 400
    /// Memory of a parked job, in bytes.
    static let parkedBytes = 32
    /// Memory of a group in bytes, without its jobs and topics. Measured by `CountedGroupTests`,
    /// and in a daemon as the growth of its resident memory (`/proc/PID/statm`) by 700
    /// `PUT /groups/gN?of=topicN.*`: 2,422 bytes each, with one pattern.
    static let groupBytes = 2_560
    /// Memory of a request that waits for a job, in bytes. Measured the same way, by a `next` of
    /// each of these groups: 1,872 bytes, with its socket's part and the pattern's.
    static let waiterBytes = 2_048
    /// The fraction of the memory budget that groups may take with their topics: of 256 MiB, 1,000 groups
    /// of some 50 patterns each.
    static let groupsMemoryFraction = 4
}
