public import Topics

/// The answer to a worker that asked for a job.
public struct ClientTake: Sendable {
    /// The job that it got; nil if there was none in time.
    public let job: ClientJob?
    /// Whether the reply that the request brought was one that nobody waits for any more.
    public let isReplyLate: Bool
    /// The dead letter that the job of the settlement had become already; nil if it is none.
    public let deadLetter: EventID?
    /// Whether the bus had no place to wait: ask again a second later.
    public let isCrowded: Bool

    init(_ answer: WholeAnswer) throws(ClientError) {
        job = answer.head.status == 200 ? try ClientJob(answer) : nil
        isReplyLate = answer.isReplyLate
        deadLetter = answer.head["work-dead"].flatMap { EventID(decimal: $0) }
        isCrowded = answer.head["retry-after"] != nil
    }
}

/// One job of a worker.
public struct ClientJob: Sendable {
    /// The event of the job; its payload byte for byte, without its sender. Attributes of more than
    /// 2 KiB are left out, but for jobs of a batch.
    public let event: Event
    /// The lease that settles it: opaque text.
    public let lease: String
    /// How often it was handed out, this time included.
    public let attempt: Int
    /// When the lease ends, for people: the bus counts by another clock.
    public let deadline: Timestamp
    /// Whether somebody waits for the reply.
    public let isReplyWanted: Bool
    /// Events that the group missed, told once. In a batch the first job says it.
    public let gap: Gap?
    /// Whether other jobs came with it, under the same lease.
    let isOfBatch: Bool

    /// It is done, and nothing comes out of it.
    public var done: ClientSettlement { settled(.done(nil)) }
    /// It is to be tried again, after the bus's own delay, which grows with its attempts and has jitter.
    public var retry: ClientSettlement { settled(.retry(delay: nil)) }
    /// Nobody is to try it again.
    public var dead: ClientSettlement { settled(.dead(refusal: nil)) }

    /// The settlement of it with this verb, and of no other job of its batch.
    public func settled(_ verb: ClientSettlement.Verb) -> ClientSettlement {
        ClientSettlement(verb, lease: lease, only: isOfBatch ? [event.id] : nil)
    }

    /// A job of a batch.
    init(
        _ event: Event, attempt: Int, isReplyWanted: Bool, lease: String, deadline: Timestamp,
        gap: Gap?
    ) {
        self.event = event
        self.attempt = attempt
        self.isReplyWanted = isReplyWanted
        self.lease = lease
        self.deadline = deadline
        self.gap = gap
        isOfBatch = true
    }

    init(_ answer: WholeAnswer) throws(ClientError) {
        let head = answer.head
        guard let lease = head["work-lease"],
            let attempt = head["work-attempt"].flatMap({ Int($0) }),
            let deadline = head["work-deadline"].flatMap({ Timestamp(rfc3339: $0) }),
            let id = head["event-id"].flatMap({ EventID(decimal: $0) }),
            let topic = head["event-topic"].flatMap({ try? TopicName($0) })
        else { throw .malformedAnswer("a job without its lease or its event") }
        event = try answer.event(id, in: topic)
        self.lease = lease
        self.attempt = attempt
        self.deadline = deadline
        isReplyWanted = answer.says("wanted")
        gap = head["event-gap"].flatMap { Gap(header: $0) }
        isOfBatch = false
    }
}

extension WholeAnswer {
    /// Whether a reply came too late.
    var isReplyLate: Bool { says("late") }

    fileprivate func says(_ word: String) -> Bool {
        head["work-reply"]?.split(whereSeparator: { $0 == "," || $0 == " " })
            .contains { $0 == word } ?? false
    }
}

extension Gap {
    /// Reads `after=1, through=9`.
    fileprivate init?(header: String) {
        var ids: [Substring: EventID] = [:]
        for part in header.split(separator: ",") {
            let sides = part.drop { $0 == " " }.split(separator: "=")
            if sides.count == 2 { ids[sides[0]] = EventID(decimal: sides[1]) }
        }
        guard let after = ids["after"], let through = ids["through"] else { return nil }
        self.init(after: after, through: through)
    }
}
