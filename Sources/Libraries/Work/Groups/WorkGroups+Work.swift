package import Topics

/// Operations for workers and requesters.
extension WorkGroups {
    /// Performs the settlement of the request, if any, then takes a job or waits for one.
    ///
    /// If a job is at hand, both are one commit. `then` gets a hand-out once it is committed.
    ///
    /// - Parameter groupBatch: The batch that takes the request further, together with others; nil for
    ///   at once.
    @discardableResult
    package func next(
        _ name: GroupName, _ request: NextRequest, by caller: WorkCaller,
        in groupBatch: GroupBatch? = nil,
        then: @escaping @Sendable (Result<NextAnswer, WorkError>) -> Void
    ) -> WaitingWorker {
        let group: WorkGroup
        do throws(WorkError) {
            group = try self.group(name)
            try request.check()
        } catch {
            then(.failure(error))
            return WaitingWorker(nil, 0)
        }
        let next = WorkRequest.Next(
            holder: request.worker.map { Holder(worker: $0.text, caller: caller.identity) },
            caller: caller.identity, settlement: request.settlement,
            isReplyAwaited: isReplyAwaited(by: request.settlement), length: request.lease,
            countMax: request.countMax, token: parts.mint(), waits: request.waits,
            isPatient: request.isPatient)
        return WaitingWorker(
            group, group.add(.next(next), for: caller.uid, .next(then), in: groupBatch))
    }

    private func isReplyAwaited(by settlement: Settlement?) -> Bool {
        guard let settlement, case .dead = settlement.verb, let lease = LeaseText(settlement.lease)
        else { return false }
        // Of a batch, only jobs that are named can be looked up: its lease tells just a range of
        // ids.
        let first = lease.ids.lowerBound
        let ids = settlement.only ?? (first == lease.ids.upperBound ? [first] : [])
        return !ids.isEmpty && ids.allSatisfy { parts.replies.isAwaited($0) }
    }

    /// Gives back a hand-out that nobody learned of: its jobs go to the next worker, and the
    /// attempt does not count.
    ///
    /// - Parameter then: Called once that is committed, or failed.
    package func giveBack(
        _ ticket: JobDelivery.Ticket, then: @escaping @Sendable () -> Void = {}
    ) {
        guard let group = try? group(ticket.group) else { return then() }
        group.add(
            .giveBack(ticket.token, gap: ticket.gap), for: group.owner, .plain { _ in then() })
    }

    /// Settles jobs of one lease.
    ///
    /// - Parameter groupBatch: The batch that takes the request further, together with others; nil for
    ///   at once.
    package func settle(
        _ name: GroupName, _ settlement: Settlement, by caller: WorkCaller,
        in groupBatch: GroupBatch? = nil,
        then: @escaping @Sendable (Result<SettleReceipt, WorkError>) -> Void
    ) {
        do throws(WorkError) {
            let group = try group(name)
            try settlement.check()
            group.add(
                .settle(settlement, isReplyAwaited: isReplyAwaited(by: settlement)),
                for: caller.uid, .settle(then), in: groupBatch)
        } catch {
            then(.failure(error))
        }
    }

    /// Has a lease pass so long from now, 1 s to 12 h.
    package func extend(
        _ name: GroupName, lease: String, by microseconds: Int64, caller: WorkCaller,
        then: @escaping @Sendable (Result<Void, WorkError>) -> Void
    ) {
        do throws(WorkError) {
            let group = try group(name)
            try NextRequest.check(lease: microseconds)
            group.add(
                .extend(lease: lease, microseconds: microseconds), for: caller.uid, .plain(then))
        } catch {
            then(.failure(error))
        }
    }

    /// Has another rule judge dead letters from now on, each time they are about to go.
    ///
    /// Jobs whose letters may not go stay open, say why, and are judged again each second.
    package func judgeLetters(by rule: @escaping LetterRule) { parts.letters.use(rule) }

    // MARK: Requests

    /// Publishes one event whose publisher waits for the reply of a worker.
    ///
    /// If no worker is there, nothing is published. ``sweep()`` looks after the time each second; a
    /// caller that needs it exact cancels the request itself.
    package func ask(
        _ batch: PublishBatch, within microseconds: Int64,
        then: @escaping @Sendable (Result<Reply, WorkError>) -> Void
    ) -> Asking {
        let now = parts.clock()
        let expires = parts.bus.now.advanced(microseconds: microseconds)
        let asking = Asking(
            parts.replies, of: batch.sender.uid, deadline: now + microseconds, expiry: expires,
            then)
        guard Limits.replyMicroseconds.contains(microseconds), batch.payloads.count == 1 else {
            asking.finish(
                .failure(.valueInvalid("one event waits for its reply, 1 ms to 1 h")))
            return asking
        }
        let isThere = parts.hub.replying(to: batch.topic).contains { group in
            // A worker may wait at another host.
            group.filter.admits(batch.metadata)
                && (parts.shared != nil || group.hasWorker(now: now))
        }
        guard isThere else {
            asking.finish(.failure(.noResponder(batch.topic)))
            return asking
        }
        let request = PublishBatch(
            topic: batch.topic,
            metadata: batch.metadata.with(batch.metadata.attributes, expires: expires),
            sender: batch.sender, payloads: batch.payloads)
        parts.bus.publish(request) { outcome in
            switch outcome {
            case .failure(let error): asking.finish(.failure(.bus(error)))
            case .success(let receipt): asking.begin(receipt.first)
            }
        }
        return asking
    }
}
