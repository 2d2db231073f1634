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
