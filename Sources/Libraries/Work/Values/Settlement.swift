package import Topics

/// What a worker says of jobs that it has.
package struct Settlement: Sendable {
    /// What became of them.
    package enum Verb: Sendable {
        /// They are done; what came out goes on in the same commit.
        case done(WorkOutput?)
        /// They are to be tried again after so many microseconds, 0 to 24 h; nil for what the
        /// attempts say.
        case retry(delay: Int64?)
        /// They go to the dead topic. Where somebody waits for the reply, it is refused with this.
        case dead(refusal: Reply?)
    }

    package let verb: Verb
    /// The lease that they are under, as its hand-out told it.
    package let lease: String
    /// Only these jobs of it; nil for all.
    package let only: [EventID]?

    package init(_ verb: Verb, lease: String, only: [EventID]? = nil) {
        self.verb = verb
        self.lease = lease
        self.only = only
    }
}

extension Settlement {
    /// Checks what the caller may choose.
    func check() throws(WorkError) {
        if let only, !Limits.batchJobs.contains(only.count) {
            throw .valueInvalid("1 to 256 ids are settled together, not \(only.count)")
        }
        if case .retry(let delay?) = verb, !(0...Limits.retryMicrosecondsMax).contains(delay) {
            throw .valueInvalid("a job comes again after 0 s to 24 h")
        }
    }
}

/// What came out of a job.
package enum WorkOutput: Sendable {
    /// The reply to who waits for it.
    case reply(Reply)
    /// Events for another topic.
    case publish(PublishBatch)
}

/// The reply to a request.
package struct Reply: Sendable {
    package let payload: Payload
    package let contentType: String?
    /// The request; nil where the worker that replies has not said which it is yet.
    package let request: EventID?

    package init(_ payload: Payload, contentType: String?, request: EventID? = nil) {
        self.payload = payload
        self.contentType = contentType
        self.request = request
    }
}

/// What became of a settlement.
package struct SettleReceipt: Sendable {
    /// How many jobs it settled; 0 where it was a repeat.
    package let count: Int
    /// Whether it was a repeat: all was settled already.
    package let isRepeated: Bool
    /// Whether it brought a reply that nobody waits for any more.
    package let isLate: Bool
    /// Where its output is in the log.
    package let published: PublishReceipt?
}
