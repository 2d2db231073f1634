internal import HTTPFront
internal import JSON
internal import Topics
internal import Work

/// The answer that hands out jobs, in the form that was asked for.
struct JobDeliveryAnswer {
    private let delivery: JobDelivery
    /// The outcome for the job before, if the request settled one.
    private let settled: SettleReceipt?
    /// Seconds of a `Prefer: wait` that was followed.
    private let preferenceApplied: Int64?

    init(_ delivery: JobDelivery, behind settled: SettleReceipt?, preferenceApplied: Int64?) {
        self.delivery = delivery
        self.settled = settled
        self.preferenceApplied = preferenceApplied
    }

    func response(isJSON: Bool, _ encodings: EncodingCache) -> Response {
        isJSON ? json(encodings) : raw(encodings)
    }

    private func raw(_ encodings: EncodingCache) -> Response {
        let job = delivery.jobs[0]
        var headers = HeaderLines(reserving: 640)
        headers.add("Work-Attempt") { $0.append(decimal: job.attempt) }
        headers.add("Work-Deadline", delivery.deadline.description)
        headers.add("Work-Lease", delivery.lease)
        addCommon(to: &headers, wantsReply: job.isReplyWanted)
        headers.add(contentsOf: encodings.headers(of: job.event))
        return Response(status: 200, headers: headers, body: .payload(of: job.event))
    }

    private func json(_ encodings: EncodingCache) -> Response {
        let jobs = delivery.jobs.map { job in
            (encodings.encoded(job.event, as: .envelope, isNews: false), job)
        }
        var json = JSONWriter(
            reserving: jobs.reduce(256) { $0 + $1.0.bytes(isFramed: false).count + 32 })
        json.beginObject()
        json.member("lease", delivery.lease)
        json.member("deadline", delivery.deadline.description)
        json.member("jobs", jobs) { json, row in
            let (envelope, job) = row
            withExtendedLifetime(envelope) {
                json.object(continuing: envelope.bytes(isFramed: false)) { json in
                    json.member("attempt", job.attempt)
                    if job.isReplyWanted { json.member("reply", "wanted") }
                }
            }
        }
        json.name("gap")
        json.optional(delivery.gap) { $1.write(to: &$0) }
        json.endObject()
        var headers: HeaderLines = []
        addCommon(to: &headers, wantsReply: false)
        return .json(json, headers)
    }

    /// Adds the headers about the group and about the job before.
    private func addCommon(to headers: inout HeaderLines, wantsReply: Bool) {
        if let gap = delivery.gap { headers.add("Event-Gap", gap.header) }
        let replies = (wantsReply ? ["wanted"] : []) + (settled?.isLate == true ? ["late"] : [])
        if !replies.isEmpty { headers.add("Work-Reply", replies.joined(separator: ", ")) }
        settled?.addLetter(to: &headers)
        if let seconds = preferenceApplied {
            headers.add("Preference-Applied", "wait=\(seconds)")
        }
    }
}
