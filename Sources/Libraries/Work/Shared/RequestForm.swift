internal import Topics

/// Requests to a group as an order that hosts share has them.
extension WorkRequest.Verb {
    /// The request for the order.
    ///
    /// - Parameter now: The time from which events that it publishes are of use for a while.
    func asked(at now: Timestamp) -> GroupRequest.Verb {
        switch self {
        case .next(let next):
            .take(
                GroupRequest.Take(
                    worker: next.holder?.worker, caller: next.caller,
                    settling: next.settlement.map {
                        $0.asked(isReplyAwaited: next.isReplyAwaited, at: now)
                    }, length: next.length, countMax: next.countMax, isPatient: next.isPatient))
        case .settle(let settlement, let isReplyAwaited):
            .settle(settlement.asked(isReplyAwaited: isReplyAwaited, at: now))
        case .extend(let lease, let microseconds):
            .extend(lease: lease, microseconds: microseconds)
        case .giveBack(let token, let gap): .giveBack(token, gap: gap)
        case .set(let wish, let caller): .set(wish, by: caller)
        case .seek(let position, let gap): .seek(GroupRequest.Place(position, missing: gap))
        case .remove: .remove
        case .expire(let leases): .expire(leases)
        case .bury: .bury
        }
    }

    /// A request of the order to a group that is there; nil for one that changes nothing of the group.
    ///
    /// - Parameters:
    ///   - token: That of the request.
    ///   - time: The time of the order, from which events that it publishes are of use for a while.
    init?(_ asked: GroupRequest.Verb, _ token: LeaseToken, at time: Timestamp) {
        switch asked {
        case .make(let making): self = .set(making.wish, by: making.maker)
        case .take(let take):
            self = .next(
                WorkRequest.Next(
                    holder: take.worker.map { Holder(worker: $0, caller: take.caller) },
                    caller: take.caller,
                    settlement: take.settling.map { Settlement($0, at: time) },
                    isReplyAwaited: take.settling?.isReplyAwaited ?? false, length: take.length,
                    countMax: take.countMax, token: token, waits: false,
                    isPatient: take.isPatient))
        case .settle(let settling):
            self = .settle(
                Settlement(settling, at: time), isReplyAwaited: settling.isReplyAwaited)
        case .extend(let lease, let microseconds):
            self = .extend(lease: lease, microseconds: microseconds)
        case .giveBack(let token, let gap): self = .giveBack(token, gap: gap)
        case .set(let wish, let caller): self = .set(wish, by: caller)
        case .seek(let place):
            let position = LogPosition(
                after: place.after, reportedThrough: place.reportedThrough)
            self = .seek(position, gap: place.missing)
        case .remove: self = .remove
        case .expire(let leases): self = .expire(leases)
        case .bury: self = .bury
        case .revive: return nil
        }
    }
}

extension GroupRequest.Place {
    init(_ position: LogPosition, missing gap: Gap?) {
        self.init(
            after: position.after, reportedThrough: position.reportedThrough, missing: gap)
    }
}

extension Settlement {
    fileprivate func asked(isReplyAwaited: Bool, at now: Timestamp) -> GroupRequest.Settling {
        let end: GroupRequest.End =
            switch verb {
            case .done(.reply(let reply)): .reply(reply.payload, contentType: reply.contentType)
            case .done(.publish(let batch)): .publish(batch, ttl: batch.ttl(at: now))
            case .done(nil): .done
            case .retry(let delay): .retry(delay: delay)
            case .dead(let reply?): .refuse(reply.payload, contentType: reply.contentType)
            case .dead(nil): .dead
            }
        return GroupRequest.Settling(
            lease: lease, only: only, end: end, reason: reason, isReplyAwaited: isReplyAwaited)
    }

    fileprivate init(_ asked: GroupRequest.Settling, at time: Timestamp) {
        let verb: Verb =
            switch asked.end {
            case .done: .done(nil)
            case .reply(let payload, let contentType):
                .done(.reply(Reply(payload, contentType: contentType)))
            case .publish(let batch, let ttl): .done(.publish(batch.lasting(ttl, from: time)))
            case .retry(let delay): .retry(delay: delay)
            case .dead: .dead(refusal: nil)
            case .refuse(let payload, let contentType):
                .dead(refusal: Reply(payload, contentType: contentType))
            }
        self.init(verb, lease: asked.lease, only: asked.only, reason: asked.reason)
    }
}
