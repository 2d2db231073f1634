internal import Topics

/// One request to a group, as its turns take it.
struct WorkRequest {
    let number: RequestNumber
    let verb: Verb

    /// The operation that a request asks for.
    enum Verb {
        case next(Next)
        case settle(Settlement, isReplyAwaited: Bool)
        case extend(lease: String, microseconds: Int64)
        case giveBack(LeaseToken, gap: Gap?)
        case set(GroupSettings, by: StoredCaller)
        case seek(LogPosition, gap: Gap?)
        case remove
        /// The time of leases has passed, where no clock says that.
        case expire([GroupRequest.PassedLease])
        /// Jobs are to become dead letters, where no clock says that.
        case bury
    }

    /// A request for jobs.
    struct Next {
        let holder: Holder?
        let caller: String
        var settlement: Settlement?
        /// Whether somebody waits for the reply of each job that it ends as dead.
        let isReplyAwaited: Bool
        let length: Int64?
        let countMax: Int
        /// The token of the lease that it gets. It was drawn before, so that nothing is left to
        /// chance where the group decides.
        let token: LeaseToken
        var waits: Bool
        /// Whether it does not get a job again that another loop of its worker has.
        var isPatient = false
    }

    /// The settlement that it brings, if any.
    var settlement: (what: Settlement, isReplyAwaited: Bool)? {
        switch verb {
        case .next(let next): next.settlement.map { ($0, next.isReplyAwaited) }
        case .settle(let settlement, let isReplyAwaited): (settlement, isReplyAwaited)
        case .extend, .giveBack, .set, .seek, .remove, .expire, .bury: nil
        }
    }

    /// Whether it has a change of its own, so that others do not fail for it: the bus may refuse
    /// the events that it publishes, or it is about the whole group.
    var isAlone: Bool {
        switch verb {
        case .set, .seek, .remove: true
        case .extend, .giveBack, .expire, .bury: false
        case .next, .settle:
            switch settlement?.what.verb {
            case .done(.publish), .dead: true
            case .done, .retry, nil: false
            }
        }
    }
}

/// The end of requests whose jobs were settled: told to their requesters once that is committed.
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

    /// The outcome of a request that was not refused.
    enum Outcome {
        /// No job.
        case nothing(Settled?)
        case delivery(GroupMachine.LeasedJobs, Settled?)
        case settled(Settled)
        /// The operation was done.
        case done
    }

    /// The result of a settlement.
    struct Settled {
        var ids: [EventID]
        var isRepeated = false
        /// The dead letter that the job was already.
        var deadLetter: EventID?
        var published: PublishReceipt?
    }

}

extension JobTally {
    /// The counts that were added since an earlier moment.
    static func - (left: JobTally, right: JobTally) -> JobTally {
        var difference = JobTally()
        difference.done = left.done - right.done
        difference.dead = left.dead - right.dead
        difference.gone = left.gone - right.gone
        difference.expired = left.expired - right.expired
        return difference
    }
}

extension WorkAnswer {
    /// The same answer, with the receipt of the events that its settlement published.
    func published(_ receipt: PublishReceipt) -> WorkAnswer {
        guard case .success(.settled(var settled)) = outcome else { return self }
        settled.published = receipt
        return WorkAnswer(number: number, outcome: .success(.settled(settled)))
    }
}
