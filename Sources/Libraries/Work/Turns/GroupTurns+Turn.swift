internal import Topics

/// One turn, and what it asks of its owner.
extension GroupTurns {
    /// What its owner does next.
    enum Step {
        /// Read the log, then call ``GroupTurns/supply(_:)``.
        case fetch(Fetch)
        /// Say whether letters may go, then call ``GroupTurns/judged(_:now:)``.
        case judge(LetterQuestion)
        /// Read the newest letters of a dead topic, then call ``GroupTurns/recalled(_:)``.
        case recall(TopicName)
        /// Commit it, then call ``GroupTurns/committed(_:)``.
        case commit(WorkChange, [PublishBatch])
        /// Give these answers.
        case answer([WorkAnswer], Counts)
    }

    /// What is to be read.
    struct Fetch {
        let known: [(id: EventID, topic: TopicName)]
        /// Whether all of these are needed: else the store is asked for as many as one read may bring.
        let needsAll: Bool
        let freshMax: Int
        let position: LogPosition
    }

    /// What a change did, for metrics.
    struct Counts {
        var taken: [(visible: Timestamp, attempt: Int)] = []
        var ended = JobTally()
        var retried = 0
        var lost = 0
        /// Dead letters that no worker asked for.
        var buried: [EventID] = []
        /// A job that is the first to stay since letters go in a circle.
        var circling: EventID?
        /// What goes to those who wait for replies.
        var deliveries: [WorkDelivery] = []
    }

    enum Stage {
        case applying, serving, finishing
        /// The owner is to say something.
        case awaiting(Awaited)
        case answering
    }

    enum Awaited {
        case verdict, letters, recall, supply, commit
    }

    /// One change on its way.
    struct Turn {
        var stage: Stage
        var requests: [WorkRequest]
        var answers: [WorkAnswer] = []
        var counts = Counts()
        var batches: [PublishBatch] = []
        var grants: [GroupMachine.Allotment] = []
        /// Jobs that become dead letters by this turn.
        var burying: [EventID] = []
        /// Jobs that were to, and were dead letters too often.
        var circling: [EventID] = []
        /// The jobs of its batches, where these are letters.
        var dead: [(job: EventID, lease: LeaseToken?)] = []
        /// Whether the dead topic was asked for letters of before the start.
        var hasRecalled = false
        /// Whether letters may go; nil while nobody asked.
        var verdict: Result<Void, WorkError>?
        /// The events of jobs that are to become dead letters.
        var letters: [EventID: GroupMachine.Found] = [:]
        /// Whether it has what the store was read for: then it reads no more.
        var holdsStored = false
        var supply = GroupMachine.Supply()
        var rounds = 0
        let tally: JobTally
    }
}
