internal import Topics

/// One turn, and the steps that it asks of its owner.
extension GroupTransaction {
    /// The next step of the owner.
    enum Step {
        /// Read the log, then call ``GroupTransaction/supply(_:now:)``.
        case fetch(Fetch)
        /// Decide whether letters may go, then call ``GroupTransaction/judged(_:)``.
        case judge(LetterQuestion)
        /// Read the newest letters of a dead topic, then call ``GroupTransaction/recalled(_:)``.
        case recall(TopicName)
        /// Commit it, then call ``GroupTransaction/committed(_:now:)``.
        case commit(WorkChange, [PublishBatch])
        /// Give these answers.
        case answer([WorkAnswer], Counts)
    }

    /// A read of events from the log.
    struct Fetch {
        let known: [(id: EventID, topic: TopicName)]
        /// Whether all of these are needed: else the store is asked for as many as one read may bring.
        let needsAll: Bool
        let freshMax: Int
        let position: LogPosition
    }

    /// The effects of one change: for metrics, for requesters, and for a warning.
    struct Counts {
        var taken: [(visible: Timestamp, attempt: Int)] = []
        var ended = JobTally()
        var retried = 0
        var lost = 0
        /// Dead letters that no worker asked for.
        var buried: [EventID] = []
        /// Whether workers got nothing, and the log may have more for them.
        var goesOn = false
        /// The first job that stays open since letters go in a circle; nil if that was told before.
        var circling: EventID?
        /// The ends of requests for replies, for the requesters that wait.
        var deliveries: [WorkDelivery] = []
    }

    enum Stage {
        /// No change is on its way.
        case over
        case applying, serving, finishing
        /// It waits for a call of the owner.
        case awaiting(Awaited)
        case answering
    }

    enum Awaited {
        case verdict, letters, recall, supply, commit
    }

    /// One change on its way.
    struct Turn {
        var stage = Stage.over
        /// Its time: that of its beginning, or of the last result that the owner reported.
        var now: Int64 = 0
        var requests: [WorkRequest] = []
        var answers: [WorkAnswer] = []
        var counts = Counts()
        var batches: [PublishBatch] = []
        var grants: [GroupMachine.LeasedJobs] = []
        /// Jobs that become dead letters by this turn.
        var burying: [EventID] = []
        /// Jobs that were to become dead letters, but were dead letters too often.
        var circling: [EventID] = []
        /// The jobs of its batches, where these are letters.
        var dead: [(job: EventID, lease: LeaseToken?)] = []
        /// Whether the dead topic gave its letters of before the start; nil while it was not asked.
        var recall: Result<Void, BusError>?
        /// Whether letters may go; nil while nobody asked.
        var verdict: Result<Void, WorkError>?
        /// The events of jobs that are to become dead letters.
        var letters: [EventID: GroupMachine.Found] = [:]
        /// Whether it read events of letters from the store: then it reads no more.
        var holdsStored = false
        var supply = GroupMachine.Supply()
        var rounds = 0
        /// How many jobs had ended before it.
        var tally = JobTally()

        /// Goes on at a later time, since its owner took some.
        mutating func pass(to time: Int64) { now = max(now, time) }
    }
}
