internal import JSON
internal import Topics
internal import Wire

/// The answer to a worker that asked for several jobs.
public struct ClientBatch: Sendable {
    /// The jobs that it got, ids rising; none if there was no job in time.
    public let jobs: [ClientJob]
    /// Whether the reply that the request brought was one that nobody waits for any more.
    public let isReplyLate: Bool
    /// Whether the bus had no place to wait: ask again a second later.
    public let isCrowded: Bool

    /// The settlement of all its jobs with this verb, in one commit; nil if there are none.
    public func settled(_ verb: ClientSettlement.Verb) -> ClientSettlement? {
        jobs.first.map { ClientSettlement(verb, lease: $0.lease) }
    }

    init(_ answer: WholeAnswer) throws(ClientError) {
        jobs = answer.head.status == 200 ? try answer.jobs() : []
        isReplyLate = answer.isReplyLate
        isCrowded = answer.head["retry-after"] != nil
    }
}

extension WholeAnswer {
    /// The jobs of a batch.
    fileprivate func jobs() throws(ClientError) -> [ClientJob] {
        var (lease, deadline, gap) = (String?.none, Timestamp?.none, Gap?.none)
        var found: [(event: Event, attempt: Int, isReplyWanted: Bool)] = []
        var topic: TopicName?
        try members { name, reader in
            if name.spells("lease") {
                lease = reader.string()
                return lease != nil
            }
            if name.spells("deadline") {
                deadline = reader.string().flatMap { Timestamp(rfc3339: $0) }
                return deadline != nil
            }
            if name.spells("gap") {
                if reader.isNull() { return true }
                gap = Gap(reading: &reader)
                return gap != nil
            }
            guard name.spells("jobs") else { return reader.value() != nil }
            return reader.array { reader in
                guard let job = Self.job(&reader, like: &topic) else { return false }
                found.append(job)
                return true
            }
        }
        guard let lease, let deadline, !found.isEmpty else {
            throw .malformedAnswer("a batch without its lease or its jobs")
        }
        return found.enumerated().map { index, job in
            ClientJob(
                job.event, attempt: job.attempt, isReplyWanted: job.isReplyWanted, lease: lease,
                deadline: deadline, gap: index == 0 ? gap : nil)
        }
    }

    private static func job(
        _ reader: inout JSONReader, like topic: inout TopicName?
    ) -> (Event, Int, Bool)? {
        var envelope = EnvelopeReader()
        var (attempt, isReplyWanted) = (Int?.none, false)
        let isObject = reader.object { name, reader in
            if name.spells("attempt") {
                attempt = reader.number()
                return attempt != nil
            }
            if name.spells("reply") {
                isReplyWanted = reader.string() == "wanted"
                return true
            }
            return envelope.read(name, &reader)
        }
        guard isObject, let attempt, let event = envelope.event(like: &topic) else { return nil }
        return (event, attempt, isReplyWanted)
    }
}
