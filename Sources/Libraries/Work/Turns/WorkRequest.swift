internal import Topics

/// One request to a group, as its turns take it.
struct WorkRequest {
    let number: RequestNumber
    let verb: Verb

    /// What is asked for.
    enum Verb {
        case next(Next)
        case settle(Settlement, isReplyAwaited: Bool)
        case extend(lease: String, microseconds: Int64)
        case giveBack(LeaseToken, gap: Gap?)
        case set(GroupSettings, by: StoredCaller)
        case seek(LogPosition, gap: Gap?)
        case remove
    }

    /// A request for jobs.
    struct Next {
        let holder: Holder?
        let caller: String
        let settlement: Settlement?
        /// Whether somebody waits for the reply of what it settles.
        let isReplyAwaited: Bool
        let length: Int64?
        let countMax: Int
        var waits: Bool
        /// Whether it does not get again what another loop of its worker has.
        var isPatient = false
    }

    /// What it settles, if anything.
    var settlement: (what: Settlement, isReplyAwaited: Bool)? {
        switch verb {
        case .next(let next): next.settlement.map { ($0, next.isReplyAwaited) }
        case .settle(let settlement, let isReplyAwaited): (settlement, isReplyAwaited)
        case .extend, .giveBack, .set, .seek, .remove: nil
        }
    }

    /// Whether it has a change of its own: the bus may refuse what it publishes, or it is about the
    /// whole group. Others do not fail for it.
    var isAlone: Bool {
        switch verb {
        case .set, .seek, .remove: true
        case .extend, .giveBack: false
        case .next, .settle:
            switch settlement?.what.verb {
            case .done(.publish), .dead: true
            case .done, .retry, nil: false
            }
        }
    }
}

/// What goes to those who wait for replies of jobs, once their settlement is committed.
struct WorkDelivery {
    /// How a request for a reply ends.
    enum End {
        /// It is done, and there is nothing to say.
        case done
        case reply(Reply)
        case refusal(Reply?)
    }

    /// The request that settled them.
    let number: RequestNumber
    let ids: [EventID]
    let end: End
}

/// The answer to one request.
struct WorkAnswer {
    let number: RequestNumber
    let outcome: Result<Outcome, WorkError>

    /// What a request came to that was not refused.
    enum Outcome {
        /// No job.
        case nothing(Settled?)
        case handout(GroupMachine.Allotment, Settled?)
        case settled(Settled)
        /// What was asked is so.
        case done
    }

    /// What became of a settlement.
    struct Settled {
        var ids: [EventID]
        var isRepeated = false
        /// The dead letter that the job was already.
        var deadLetter: EventID?
        var published: PublishReceipt?
    }

}

extension JobTally {
    /// What was added since another moment.
    static func - (left: JobTally, right: JobTally) -> JobTally {
        var difference = JobTally()
        for path in [\JobTally.done, \.dead, \.gone, \.expired] {
            difference[keyPath: path] = left[keyPath: path] - right[keyPath: path]
        }
        return difference
    }
}

extension WorkAnswer {
    /// The same, where what it settled put events into the log.
    func published(_ receipt: PublishReceipt) -> WorkAnswer {
        guard case .success(.settled(var settled)) = outcome else { return self }
        settled.published = receipt
        return WorkAnswer(number: number, outcome: .success(.settled(settled)))
    }
}
