internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Work

extension BusHandler {
    /// `POST /groups/{group}/done`: the jobs of a lease are done, with what came out of them.
    func done(_ call: borrowing Call) throws(Refusal) {
        let lease = try SettleQuery.lease(call.parameters)
        let only = try SettleQuery.only(call.parameters)
        let group = try workable(call)
        let output = try output(call, of: group.selector)
        try settle(
            Settlement(.done(output), lease: lease, only: only), for: group.name, call)
    }

    /// `POST /groups/{group}/retry`: the jobs of a lease are to be tried again.
    func retry(_ call: borrowing Call) throws(Refusal) {
        let lease = try SettleQuery.lease(call.parameters)
        let only = try SettleQuery.only(call.parameters)
        let delay = try SettleQuery.delay(call.parameters)
        try refuseBody(call)
        let group = try workable(call)
        try settle(
            Settlement(
                .retry(delay: delay), lease: lease, only: only,
                reason: call.parameters.text("reason")), for: group.name, call)
    }

    /// `POST /groups/{group}/dead`: nobody is to try the jobs of a lease again.
    func dead(_ call: borrowing Call) throws(Refusal) {
        let lease = try SettleQuery.lease(call.parameters)
        let only = try SettleQuery.only(call.parameters)
        let group = try workable(call)
        let refusal = try reply(call, of: group.selector, contentType(call))
        try settle(
            Settlement(
                .dead(refusal: refusal), lease: lease, only: only,
                reason: call.parameters.text("reason")), for: group.name, call)
    }

    /// `POST /groups/{group}/extend`: a lease ends so long from now.
    func extend(_ call: borrowing Call) throws(Refusal) {
        let lease = try SettleQuery.lease(call.parameters)
        guard
            let microseconds = try call.parameters.duration("for", in: GroupSettings.leaseRange)
        else {
            throw Refusal(
                .parameterInvalid, "'for' is missing: it says how long the lease is to last.")
        }
        try refuseBody(call)
        let group = try workable(call)
        let reply = call.exchange.reply
        work.extend(group.name, lease: lease, by: microseconds, caller: call.caller.asWorker) {
            result in
            switch result {
            case .success: reply.send(Response(status: 204))
            case .failure(let error): reply.send(Refusal(error).response)
            }
        }
    }

    private func settle(
        _ settlement: Settlement, for group: GroupName, _ call: borrowing Call
    ) throws(Refusal) {
        let (bytes, exchange) = (call.request.body.count, call.exchange)
        let queued = bytes > 0 ? try queue(bytes, for: exchange.account) : nil
        let reply = exchange.reply
        work.settle(
            group, settlement, by: call.caller.asWorker, in: roundOfTurn()
        ) { result in
            queued?.end()
            switch result {
            case .success(let receipt): reply.send(Self.settled(receipt))
            case .failure(let error): reply.send(Refusal(error).response)
            }
        }
    }

    /// The answer to a settlement, or to one that had a job as well to ask for.
    static func settled(_ receipt: SettleReceipt?) -> Response {
        var headers: HeaderLines = []
        if receipt?.isLate == true { headers.add("Work-Reply", "late") }
        receipt?.addLetter(to: &headers)
        return Response(status: 204, headers: headers)
    }
}

extension SettleReceipt {
    /// Says which dead letter the job was already.
    func addLetter(to headers: inout HeaderLines) {
        guard let deadLetter else { return }
        headers.add("Work-Dead") { $0.append(decimal: deadLetter.rawValue) }
    }
}
