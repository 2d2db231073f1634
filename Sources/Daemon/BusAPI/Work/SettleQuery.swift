internal import HTTPFront
internal import Topics
internal import Wire
internal import Work

/// The parameters of requests that settle jobs, without the output of these jobs.
enum SettleQuery {
    /// The parameters about an output that a request brings.
    static let outputParameters = ["to"] + PublishRoute.metadataParameters

    /// The lease that a request has to name.
    static func lease(_ parameters: Parameters) throws(Refusal) -> String {
        guard let lease = parameters.text("lease") else {
            throw Refusal(
                .parameterInvalid,
                "'lease' is missing: it is what the header Work-Lease said of the job.")
        }
        return lease
    }

    /// The only jobs of a lease that are meant; nil for all.
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

    /// The delay of a retry; nil if the number of attempts decides.
    static func delay(_ parameters: Parameters) throws(Refusal) -> Int64? {
        try parameters.duration("delay", in: 0...Limits.retryMicrosecondsMax)
    }
}
