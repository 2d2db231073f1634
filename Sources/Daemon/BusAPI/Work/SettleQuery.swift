internal import HTTPFront
internal import Topics
internal import Wire
internal import Work

/// What a request says about jobs that it settles, checked, all but what came out of them.
enum SettleQuery {
    /// What a request that brings an output may say about it.
    static let outputParameters = ["to"] + WireAttribute.parameters

    /// The lease that a request has to name.
    static func lease(_ parameters: Parameters) throws(Refusal) -> String {
        guard let lease = parameters.text("lease") else {
            throw Refusal(
                .parameterInvalid,
                "'lease' is missing: it is what the header Work-Lease said of the job.")
        }
        return lease
    }

    /// The jobs of a lease that alone are meant; nil for all.
    static func only(_ parameters: Parameters) throws(Refusal) -> [EventID]? {
        guard let text = parameters.text("only") else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let ids = parts.prefix(Limits.batchJobsMax + 1).compactMap { EventID(decimal: $0) }
        guard ids.count == parts.count, ids.count <= Limits.batchJobsMax else {
            throw Refusal(
                .parameterInvalid,
                "'only' takes ids of jobs, in digits, with commas between them, at most "
                    + "\(Limits.batchJobsMax).")
        }
        return ids
    }

    /// The delay of a retry; nil where the attempts say it.
    static func delay(_ parameters: Parameters) throws(Refusal) -> Int64? {
        try parameters.duration("delay", in: 0...Limits.retryMicrosecondsMax)
    }
}

extension BusHandler {
    /// What a worker's request brings: an event for another topic, a reply to who waits, or nothing.
    ///
    /// - Parameter group: The topics whose requests a reply would answer: whoever replies to them has
    ///   to be one who may publish there.
    func output(
        _ call: borrowing Call, of group: Selector
    ) throws(Refusal) -> WorkOutput? {
        let (head, body) = (call.head, call.request.body)
        try Self.refuseUnsupported(head)
        let attributes = try Self.attributes(
            head, call.parameters, PublishContent(head, call.request.bodyLength), isSplit: false)
        if let name = call.parameters.text("to") {
            let topic = try publishable(name, by: call.caller)
            return .publish(
                PublishBatch(
                    topic: topic, attributes: attributes,
                    sender: call.sender,
                    payloads: [Payload(copying: body.bytes)]))
        }
        for attribute in WireAttribute.own where attributes[attribute] != nil {
            throw Refusal(
                .parameterInvalid,
                "A reply has no \(attribute); say with 'to' which topic the event is for.")
        }
        return try reply(call, of: group, attributes[.contentType]).map { .reply($0) }
    }

    /// The reply that the body of a worker's request is; nil without one.
    func reply(
        _ call: borrowing Call, of group: Selector, _ contentType: String?
    ) throws(Refusal) -> Reply? {
        let body = call.request.body
        guard body.count > 0 else { return nil }
        try require(access(toAll: group).publish(toAll: group, call.caller))
        return Reply(Payload(copying: body.bytes), contentType: contentType)
    }

    /// The Content-Type of a worker's body as it is kept.
    func contentType(_ call: borrowing Call) throws(Refusal) -> String? {
        try PublishContent(call.head, call.request.bodyLength).attribute(isSplit: false)
    }
}
