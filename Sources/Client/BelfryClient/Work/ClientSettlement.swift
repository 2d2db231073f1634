public import Topics
internal import Wire

/// A worker's settlement of a job that it has.
public struct ClientSettlement: Sendable {
    /// The kinds of a settlement.
    public enum Verb: Sendable {
        /// It is done; its output goes on in the same commit.
        case done(ClientOutput?)
        /// It is to be tried again after so many microseconds, 0 to 24 h; nil for the bus's own
        /// delay, which grows with the attempts.
        case retry(delay: Int64?)
        /// It goes to the dead topic. If somebody waits for the reply, this refuses it.
        case dead(refusal: ClientOutput?)
    }

    /// The kind of this settlement.
    public let verb: Verb
    /// The lease that it is under.
    public let lease: String
    /// Only these jobs of a batch; nil for all that the lease is for.
    public let only: [EventID]?
    /// Why it is not done. Its dead letter has this text, if it becomes one by this. The text has
    /// 255 bytes at most, and blanks for control characters.
    public let reason: String?

    /// A settlement as given.
    public init(
        _ verb: Verb, lease: String, only: [EventID]? = nil, reason: String? = nil
    ) {
        self.verb = verb
        self.lease = lease
        self.only = only
        self.reason = reason.map { EventAttributes.value(of: $0) }
    }

    /// The same for this reason.
    public func because(_ reason: String?) -> ClientSettlement {
        ClientSettlement(verb, lease: lease, only: only, reason: reason)
    }

    private var output: ClientOutput? {
        switch verb {
        case .done(let output), .dead(let output): output
        case .retry: nil
        }
    }

    var body: Payload? { output?.payload }

    var headers: [String] { output.map { $0.metadata.headers } ?? [] }

    /// The target with the parameters of the settlement beside its lease.
    func parameters(_ target: TargetPath) -> TargetPath {
        var delay: String?
        if case .retry(let microseconds?) = verb {
            delay = Quantity.text(microseconds: microseconds)
        }
        let ids = only.map { $0.map(\.description).joined(separator: ",") }
        return target.with("to", output?.topic?.text).with("delay", delay).with("only", ids)
            .with("reason", reason)
    }
}

extension ClientSettlement.Verb {
    /// The word of the bus for it.
    var name: String {
        switch self {
        case .done: "done"
        case .retry: "retry"
        case .dead: "dead"
        }
    }
}

/// The output of a job.
public struct ClientOutput: Sendable {
    /// Its bytes. Without any there is no reply.
    public let payload: Payload
    /// Their type, and with a topic the type and the key of the event.
    public let metadata: EventMetadata
    /// The topic that it is an event of; nil for the reply to somebody who waits.
    public let topic: TopicName?

    /// An output as given.
    public init(
        _ payload: Payload, metadata: EventMetadata = .none, to topic: TopicName? = nil
    ) {
        self.payload = payload
        self.metadata = metadata
        self.topic = topic
    }
}
