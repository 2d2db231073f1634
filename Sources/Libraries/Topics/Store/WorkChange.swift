/// One change of a work group that a store makes durable: all of it, or nothing.
///
/// A group is its record and the rows of its jobs. Jobs that are parked behind another one of their
/// key have rows too; settled jobs have none. The store keeps both and understands neither.
package struct WorkChange: Sendable {
    /// The group that changes, by a number that no other group ever has.
    package let group: GroupNumber
    /// Whether it survives a restart; false where progress lives in memory alone, and the change
    /// only takes its place in the order.
    package let persists: Bool
    /// The group as it is from now on; nil where it stays as it was.
    package var record: GroupRecord?
    /// Jobs that are open or parked from now on as they stand here, in place of their rows of before.
    package var open: [JobRecord] = []
    /// Jobs that are over: their rows go.
    package var settled: [EventID] = []
    /// A dead letter that is published again by the entries beside it.
    package var revived: Letter?
    /// Whether every job of before goes first: a seek.
    package var forgetsJobs = false
    /// Whether the group goes, with all of its jobs.
    package var removesGroup = false

    /// An event of a dead topic.
    package struct Letter: Hashable, Sendable {
        package let topic: TopicName
        package let id: EventID

        package init(topic: TopicName, id: EventID) {
            self.topic = topic
            self.id = id
        }
    }

    /// A change of nothing so far.
    package init(of group: GroupNumber, persists: Bool) {
        self.group = group
        self.persists = persists
    }

    /// How many rows it writes and removes, beside those that a seek or a removal takes along.
    package var rowCount: Int {
        1 + open.count + settled.count + (revived == nil ? 0 : 1)
    }

    /// Bytes that it takes while it waits.
    package var queuedBytes: Int {
        Overhead.queuedBatchBytes + settled.count * 8
            + open.reduce(record == nil ? 0 : 256) { $0 + $1.memoryBytes }
    }
}

/// The number of a group in the store and in leases. No other group ever gets it, by any name.
package struct GroupNumber: Hashable, Comparable, Sendable {
    /// The number; positive.
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// The highest one that a store keeps.
    package static let max = GroupNumber(rawValue: Int64(EventID.max.rawValue))

    /// The next number; the first one behind the highest.
    package var next: GroupNumber { GroupNumber(rawValue: self < .max ? rawValue + 1 : 1) }

    package static func < (left: GroupNumber, right: GroupNumber) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// One group as a store keeps it.
package struct GroupRecord: Hashable, Sendable {
    /// Its name, which was checked when the group was made.
    package var name: String
    /// The terms of its selector, as texts.
    package var terms: [String]
    /// Its settings. All that a store keeps in a column are named.
    package var settings: GroupSettings
    /// The caller that chose the dead topic: letters go there in its name.
    package var deadChooser: StoredCaller?
    /// The user that made it; nil for an unknown one.
    package var owner: UInt32?
    /// Raised by every seek; leases of another epoch are over.
    package var epoch: Int64
    /// Everything the selector wants up to here was taken in.
    package var reach: EventID
    /// Losses up to here were told, or never count.
    package var reportedThrough: EventID
    /// The widest gap that it missed so far, for clients that ask; nil where it missed nothing.
    package var gap: Gap?
    /// How its jobs ended so far.
    package var tally: JobTally

    package init(
        name: String, terms: [String], settings: GroupSettings, deadChooser: StoredCaller?,
        owner: UInt32?, epoch: Int64, reach: EventID, reportedThrough: EventID, gap: Gap?,
        tally: JobTally
    ) {
        self.name = name
        self.terms = terms
        self.settings = settings
        self.deadChooser = deadChooser
        self.owner = owner
        self.epoch = epoch
        self.reach = reach
        self.reportedThrough = reportedThrough
        self.gap = gap
        self.tally = tally
    }
}

extension GroupRecord {
    /// The only type of events that it takes; nil takes all.
    package var type: String? { settings.type }
    /// How long a lease lasts if its request does not say, in microseconds.
    package var lease: Int64 { settings.leaseMicroseconds ?? 0 }
    /// How often a job is handed out before it is a dead letter.
    package var attempts: Int { settings.attempts ?? 0 }
    /// The topic that dead letters go to; nil has jobs tried for ever.
    package var dead: TopicName? { settings.dead?.topic }
    /// Whether at most one job of a key is open.
    package var isOrderedByKey: Bool { settings.isOrderedByKey ?? false }
    /// How many jobs are leased at once at most.
    package var inFlightMax: Int { settings.inFlightMax ?? 0 }
    /// Whether workers answer requests.
    package var replies: Bool { settings.replies ?? false }
    /// Whether it survives a restart.
    package var persists: Bool { settings.persists ?? false }
}

/// A caller as a store keeps it, for rules that judge it later.
package struct StoredCaller: Hashable, Sendable {
    /// The user; nil for an unknown one.
    package let uid: UInt32?
    /// The name of the token that it showed.
    package let token: String?

    package init(uid: UInt32?, token: String?) {
        self.uid = uid
        self.token = token
    }
}

/// How jobs of a group ended.
package struct JobTally: Hashable, Sendable {
    /// Settled by a worker.
    package var done: Int64 = 0
    /// Dead letters.
    package var dead: Int64 = 0
    /// Their events went before anybody settled them.
    package var gone: Int64 = 0
    /// Their time to live was over before they were handed out.
    package var expired: Int64 = 0

    package init() {}
}

/// One open or parked job as a store keeps it.
package struct JobRecord: Hashable, Sendable {
    /// Whether a job waits or is leased.
    package enum State: Hashable, Sendable {
        /// Nobody has it. It may be handed out so many microseconds after it began to wait.
        case waiting(microseconds: Int64)
        /// A worker has it, until the lease has lasted its time.
        case leased(JobLease)

        /// How long it lasts, in microseconds.
        package var span: Int64 {
            switch self {
            case .waiting(let microseconds): microseconds
            case .leased(let lease): lease.length
            }
        }
    }

    /// The event.
    package let id: EventID
    /// Its topic.
    package let topic: TopicName
    /// Its key, where the group is ordered by key: the row outlives the event.
    package let key: String?
    /// How often it was handed out.
    package var attempt: Int
    package var state: State
    /// When the state is over, in microseconds of the ``BootClock``. Of a job that a store
    /// retained, by the clock of the start that it is handed to.
    package var until: Int64

    package init(
        id: EventID, topic: TopicName, key: String?, attempt: Int, state: State, until: Int64
    ) {
        self.id = id
        self.topic = topic
        self.key = key
        self.attempt = attempt
        self.state = state
        self.until = until
    }

    var memoryBytes: Int { 160 }
}

/// The lease of a job: the worker that has it, and for how long.
package struct JobLease: Hashable, Sendable {
    /// The secret that only the worker knows: 16 random bytes. Jobs of one batch share it.
    package let token: LeaseToken
    /// How long it lasts, in microseconds.
    package let length: Int64
    /// The worker's name; nil where it gave none.
    package let worker: String?
    /// The caller that the worker belongs to, as text that is equal for equal callers.
    package let caller: String?

    package init(token: LeaseToken, length: Int64, worker: String?, caller: String?) {
        self.token = token
        self.length = length
        self.worker = worker
        self.caller = caller
    }
}

/// The secret of a lease: 128 random bits.
package struct LeaseToken: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    // Half of it is as random as all.
    package func hash(into hasher: inout Hasher) { hasher.combine(low) }
}

/// One group that a store retained, with its open jobs.
package struct StoredGroup: Sendable {
    package let number: GroupNumber
    package let record: GroupRecord
    /// Its open and parked jobs, ids rising. Of the jobs of a key, all but the first are parked.
    package let jobs: [JobRecord]

    package init(number: GroupNumber, record: GroupRecord, jobs: [JobRecord]) {
        self.number = number
        self.record = record
        self.jobs = jobs
    }
}
