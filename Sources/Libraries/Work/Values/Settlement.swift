public import Topics

/// The outcome that a worker reports for jobs that it has.
package struct Settlement: Sendable {
    /// The outcome of the jobs.
    package enum Verb: Sendable {
        /// They are done; their output goes on in the same commit.
        case done(WorkOutput?)
        /// They are to be tried again after so many microseconds, 0 to 24 h; nil for a delay by
        /// their attempts, with jitter.
        case retry(delay: Int64?)
        /// They go to the dead topic. Where somebody waits for the reply, it is refused with this.
        case dead(refusal: Reply?)
    }

    package let verb: Verb
    /// The lease that they are under, as its hand-out told it.
    package let lease: String
    /// Only these jobs of it; nil for all.
    package let only: [EventID]?
    /// Why they are not done, in the words of the worker: the reason in the dead letters that they
    /// become.
    package let reason: String?

    package init(
        _ verb: Verb, lease: String, only: [EventID]? = nil, reason: String? = nil
    ) {
        self.verb = verb
        self.lease = lease
        self.only = only
        self.reason = reason.map { EventAttributes.value(of: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension Settlement {
    /// Checks the values that the caller may choose.
    func check() throws(WorkError) {
        if let only, !Limits.batchJobs.contains(only.count) {
            throw .valueInvalid("1 to 256 ids are settled together, not \(only.count)")
        }
        if case .retry(let delay?) = verb, !(0...Limits.retryMicrosecondsMax).contains(delay) {
            throw .valueInvalid("a job comes again after 0 s to 24 h")
        }
    }
}

/// The output of a job.
package enum WorkOutput: Sendable {
    /// The reply to the requester that waits for it.
    case reply(Reply)
    /// Events for another topic.
    case publish(PublishBatch)
}

/// The reply to a request.
public struct Reply: Sendable {
    /// The bytes of the reply, at most one event large.
    public let payload: Payload
    /// The media type of the bytes (`Content-Type`); nil if the worker did not say it.
    public let contentType: String?
    /// The request; nil in a reply that is on its way to it.
    public let request: EventID?

    /// A reply of these bytes.
    public init(_ payload: Payload, contentType: String? = nil) {
        self.init(payload, contentType: contentType, request: nil)
    }

    /// A reply of this text.
    public init(_ text: String) { self.init(Payload(Array(text.utf8))) }

    init(_ payload: Payload, contentType: String?, request: EventID?) {
        self.payload = payload
        self.contentType = contentType
        self.request = request
    }
}

/// The result of a settlement.
public struct SettleReceipt: Sendable {
    /// How many jobs it settled.
    public let count: Int
    /// Whether it was a repeat: all was settled already.
    package let isRepeated: Bool
    /// Whether it brought a reply that nobody waits for any more.
    public let isLate: Bool
    /// The dead letter that its job, or one of its batch, had become already; nil where there is none,
    /// or an old one.
    public let deadLetter: EventID?
    /// The place of its published events in the log; nil if there are none.
    public let published: PublishReceipt?
}
