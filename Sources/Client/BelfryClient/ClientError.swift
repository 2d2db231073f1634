/// The reason why a request of a client failed.
public enum ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bus refused the request. Its event is not in the log, and never will be.
    case refused(BusRefusal)
    /// The bus was not reached, or a reader's answer broke off; nothing was changed by this request.
    case unreachable(String)
    /// The program that listens there is not one that gets a token (``TokenTrust``); nothing was sent.
    case untrusted(String)
    /// The certificate of an https address is not trusted; nothing was sent.
    case uncertified(String)
    /// There was no answer, so that nobody knows whether it was done: the event may be in the log. A publish
    /// that is repeated makes no second one if it has the same key.
    case outcomeUnknown(String)
    /// No bus gives an answer like this one.
    case malformedAnswer(String)
    /// The request cannot be expressed over HTTP; nothing was sent.
    case unsendable(String)
    /// Its task was cancelled before anything changed.
    case cancelled

    /// One sentence with the problem and its remedy.
    public var description: String {
        switch self {
        case .refused(let refusal): "\(refusal)"
        case .unreachable(let detail): "the bus was not reached: \(detail)"
        case .untrusted(let detail): "the token was not sent: \(detail)"
        case .uncertified(let detail): "the bus is not known: \(detail)"
        case .outcomeUnknown(let detail):
            "there was no answer, so the outcome is unknown (\(detail)): look before you repeat it"
        case .malformedAnswer(let detail): "this is no answer of a bus: \(detail)"
        case .unsendable(let detail): detail
        case .cancelled: "the request was cancelled"
        }
    }

    /// Whether the same request may well be answered a little later, and does no harm then.
    public var isPassing: Bool {
        switch self {
        case .unreachable: true
        case .refused(let refusal): refusal.isPassing
        case .untrusted, .uncertified, .outcomeUnknown, .malformedAnswer, .unsendable, .cancelled:
            false
        }
    }
}

/// An answer of the bus that refuses a request (RFC 9457).
public struct BusRefusal: Hashable, Sendable, CustomStringConvertible {
    /// The status of HTTP.
    public let status: Int
    /// The stable word for it, such as `ACCESS_DENIED`; empty if something else than the bus
    /// answered.
    public let code: String
    /// The problem and its remedy, in a sentence.
    public let detail: String

    /// The same sentence, with its code.
    public var description: String {
        code.isEmpty ? "status \(status): \(detail)" : "\(detail) (\(status) \(code))"
    }

    /// Whether it is a limit or a stop, which passes.
    public var isPassing: Bool {
        switch status {
        case 408, 429, 503: true
        // A request that a worker refused or did not answer would be a second one.
        case 502, 504: !code.hasPrefix("REPLY_")
        default: false
        }
    }

    /// Whether the status says that nothing was done: 4xx, 503 and 507 do, answers of something in
    /// between do not.
    var isCertain: Bool { (400..<500).contains(status) || status == 503 || status == 507 }
}
