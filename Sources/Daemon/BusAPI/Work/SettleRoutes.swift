internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Wire
internal import Work

/// The routes by which workers settle their jobs.
struct SettleRoutes: Routes {
    let loop: BusLoop

    /// `POST /groups/{group}/done`: the jobs of a lease are done, with the output that the request
    /// brings.
    func done(_ call: borrowing Call) throws(Refusal) {
        let lease = try SettleQuery.lease(call.parameters)
        let only = try SettleQuery.only(call.parameters)
        let group = try gate.workable(call)
        let output = try output(call, of: group.selector)
        try settle(
            Settlement(.done(output), lease: lease, only: only), for: group.name, call)
    }

    /// `POST /groups/{group}/retry`: the jobs of a lease are to be tried again.
    func retry(_ call: borrowing Call) throws(Refusal) {
        let lease = try SettleQuery.lease(call.parameters)
        let only = try SettleQuery.only(call.parameters)
        let delay = try SettleQuery.delay(call.parameters)
        try call.refuseBody()
        let group = try gate.workable(call)
        try settle(
            Settlement(
                .retry(delay: delay), lease: lease, only: only,
                reason: call.parameters.text("reason")), for: group.name, call)
    }

    /// `POST /groups/{group}/dead`: nobody is to try the jobs of a lease again.
    func dead(_ call: borrowing Call) throws(Refusal) {
        let lease = try SettleQuery.lease(call.parameters)
        let only = try SettleQuery.only(call.parameters)
        let group = try gate.workable(call)
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
        try call.refuseBody()
        let group = try gate.workable(call)
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
        let queued = bytes > 0 ? try loop.queue(bytes, for: exchange.account) : nil
        let reply = exchange.reply
        work.settle(
            group, settlement, by: call.caller.asWorker, in: loop.workRound()
        ) { result in
            queued?.end()
            switch result {
            case .success(let receipt): reply.send(Response.settled(receipt))
            case .failure(let error): reply.send(Refusal(error).response)
            }
        }
    }

    /// The output that a worker's request brings: an event for another topic, a reply to the
    /// waiting publisher, or nothing.
    ///
    /// - Parameter group: The topics whose requests a reply would answer. A caller that replies to
    ///   them has to be one that may publish there.
    func output(
        _ call: borrowing Call, of group: Selector
    ) throws(Refusal) -> WorkOutput? {
        let (head, body) = (call.head, call.request.body)
        let metadata = try PublishRoute.metadata(
            head, call.parameters, PublishContent(head, call.request.bodyLength), isSplit: false)
        if let name = call.parameters.text("to") {
            let topic = try PublishRoute(loop: loop).publishable(name, by: call.caller)
            return .publish(
                PublishBatch(
                    topic: topic, metadata: metadata,
                    sender: call.sender,
                    payloads: [Payload(copying: body.bytes)]))
        }
        guard metadata.attributes.isTraceAlone else {
            throw Refusal(
                .parameterInvalid,
                "A reply has no attributes; say with 'to' which topic the event is for.")
        }
        for field in WireField.own where metadata[field] != nil {
            throw Refusal(
                .parameterInvalid,
                "A reply has no \(field); say with 'to' which topic the event is for.")
        }
        return try reply(call, of: group, metadata[.contentType]).map { .reply($0) }
    }

    /// The reply in the body of a worker's request; nil without a body.
    func reply(
        _ call: borrowing Call, of group: Selector, _ contentType: String?
    ) throws(Refusal) -> Reply? {
        let body = call.request.body
        guard body.count > 0 else { return nil }
        try gate.require(gate.access(toAll: group).publish(toAll: group, call.caller))
        return Reply(Payload(copying: body.bytes), contentType: contentType)
    }

    /// The Content-Type of a worker's body as it is kept.
    func contentType(_ call: borrowing Call) throws(Refusal) -> String? {
        try PublishContent(call.head, call.request.bodyLength).field(isSplit: false)
    }
}

extension Response {
    /// The answer to a settlement, also of a request that asked for a job as well and got none.
    static func settled(_ receipt: SettleReceipt?) -> Response {
        var headers: HeaderLines = []
        if receipt?.isLate == true { headers.add("Work-Reply", "late") }
        receipt?.addLetter(to: &headers)
        return Response(status: 204, headers: headers)
    }
}

extension SettleReceipt {
    /// Adds the id of the dead letter that the job was already.
    func addLetter(to headers: inout HeaderLines) {
        guard let deadLetter else { return }
        headers.add("Work-Dead") { $0.append(decimal: deadLetter.rawValue) }
    }
}
