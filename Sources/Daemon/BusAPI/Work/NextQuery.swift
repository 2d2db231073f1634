internal import HTTPFront
internal import Topics
internal import Work

/// The checked parameters of a request for a job, without the outcome of the job before.
struct NextQuery {
    /// The outcome of the job before, as the request names it.
    enum Verb: String, CaseIterable {
        case done, retry, dead
    }

    /// The topics of the group that is made if there is none.
    let selector: Selector?
    let worker: WorkerName?
    /// The settlement that comes first, and the lease that it is about.
    let settling: (verb: Verb, lease: String)?
    /// When the job before comes again, in microseconds; nil if the number of attempts decides.
    let delay: Int64?
    /// Why the job before is not done, in the words of the worker.
    let reason: String?
    /// How long to wait for a job, in microseconds.
    let wait: Int64
    /// Seconds of a `Prefer: wait` that was followed.
    let preferenceApplied: Int64?
    /// How long the lease is to last, in microseconds; nil for the duration that the group sets.
    let lease: Int64?
    /// Jobs under one lease at the most.
    let countMax: Int
    /// Whether the answer is a list of envelopes, else one payload.
    let isJSON: Bool

    static let parameters =
        ["worker", "wait", "for", "as", "max", "of", "delay", "reason"]
        + Verb.allCases.map(\.rawValue) + SettleQuery.outputParameters

    init(_ call: borrowing Call, _ configuration: BusAPIConfiguration) throws(Refusal) {
        let parameters = call.parameters
        selector = try parameters.text("of").map { (text) throws(Refusal) in
            try Selector(request: text)
        }
        worker = try parameters.text("worker").map { (text) throws(Refusal) in
            try WorkerName(request: text)
        }
        settling = try Self.settling(parameters)
        delay = try SettleQuery.delay(parameters)
        reason = parameters.text("reason")
        let asked = try parameters.duration(
            "wait", in: 0...configuration.waitMax, setBy: "poll.wait_max")
        preferenceApplied = ReceiveRequest.preferredSeconds(call.head.headers).map {
            min($0, configuration.waitMax / 1_000_000)
        }
        wait =
            preferenceApplied.map { $0 * 1_000_000 } ?? asked ?? configuration.waitDefault
        lease = try parameters.duration("for", in: GroupSettings.leaseRange)
        isJSON = try parameters.choice("as", ["raw": false, "json": true]) ?? false
        let max = try parameters.count("max", in: 1...Int64(Limits.batchJobsMax))
        countMax = max.map(Int.init) ?? 1
        guard countMax == 1 || isJSON else {
            throw Refusal(
                .parameterInvalid, "'max' above 1 needs as=json: a raw answer is one job.")
        }
        try refuseStray(call)
    }

    private static func settling(
        _ parameters: Parameters
    ) throws(Refusal) -> (verb: Verb, lease: String)? {
        let named = Verb.allCases.compactMap { verb in
            parameters.text(verb.rawValue).map { (verb, $0) }
        }
        guard named.count <= 1 else {
            throw Refusal(
                .parameterInvalid,
                "'\(named[0].0.rawValue)' and '\(named[1].0.rawValue)' settle the same job; give "
                    + "one of them.")
        }
        return named.first
    }

    /// The settlement that comes first, with its output; nil if there is none.
    func settlement(with outcome: WorkOutput?) -> Settlement? {
        guard let (verb, lease) = settling else { return nil }
        switch verb {
        case .done: return Settlement(.done(outcome), lease: lease)
        case .retry: return Settlement(.retry(delay: delay), lease: lease, reason: reason)
        case .dead:
            guard case .reply(let refusal)? = outcome else {
                return Settlement(.dead(refusal: nil), lease: lease, reason: reason)
            }
            return Settlement(.dead(refusal: refusal), lease: lease, reason: reason)
        }
    }

    /// Refuses parameters and bodies that belong to a settlement that the request does not have.
    private func refuseStray(_ call: borrowing Call) throws(Refusal) {
        if call.parameters.text("delay") != nil, settling?.verb != .retry {
            throw Refusal(.parameterInvalid, "'delay' is for a job that 'retry' gives back.")
        }
        if reason != nil, settling?.verb != .retry, settling?.verb != .dead {
            throw Refusal(
                .parameterInvalid,
                "'reason' is why a job is not done: it goes with 'retry' or 'dead'.")
        }
        for name in SettleQuery.outputParameters
        where call.parameters.text(name) != nil && settling?.verb != .done {
            throw Refusal(
                .parameterInvalid, "'\(name)' is about what came out of a job that is 'done'.")
        }
        guard call.request.body.count == 0 || settling.map({ $0.verb != .retry }) == true else {
            throw Refusal(
                .bodyNotExpected,
                "The body is what came out of a job: say with 'done' or 'dead' of which.")
        }
    }
}
