/// The kinds of tasks that a loop does in its turns.
///
/// Each kind has a share of every turn, in steps of some two microseconds, that no other kind
/// takes. So some of it goes on, however much else there is to do.
public enum LoopTask: Int, CaseIterable, Sendable {
    /// Requests that arrive, and that nobody waits long behind.
    case arrivals
    /// Requests with much to do for each.
    case longRequests
    /// Messages of WebSockets.
    case messages
    /// Connections to accept.
    case accepts
    /// Sockets whose peers have gone, or send no more.
    case hangUps
    /// Messages of other threads: answers, and jobs.
    case mail
    /// Bytes that are sent of streams, and of answers that are too large to be gathered.
    case writes
    /// Answers in JSON that a loop writes by itself; without steps they are written on another thread.
    case encodings
    /// Readers that are told of events that were admitted, or that their wait is over.
    case deliveries
    /// Looks at many topics that a loop takes by itself; without steps they go to another thread.
    case reads
    /// Readers that are judged by rules that have changed.
    case judgements
    /// Deadlines that have passed: heartbeats, ends of waits, connections to close.
    case deadlines
    /// Connections that hear of a drain.
    case drains
    /// Selectors that nobody waits for any more, to be taken out.
    case removals

    /// The name of the kind in figures.
    public var name: String {
        switch self {
        case .arrivals: "arrivals"
        case .longRequests: "long_requests"
        case .messages: "messages"
        case .accepts: "accepts"
        case .hangUps: "hang_ups"
        case .mail: "mail"
        case .writes: "writes"
        case .encodings: "encodings"
        case .deliveries: "deliveries"
        case .reads: "loop_reads"
        case .judgements: "judgements"
        case .deadlines: "deadlines"
        case .drains: "drains"
        case .removals: "selector_removals"
        }
    }

    /// Steps of a turn that are for this kind alone. Requests have most, since ordinary clients
    /// send them.
    public var share: Int {
        switch self {
        case .arrivals: 704
        case .deliveries: 192
        case .longRequests, .messages, .accepts, .mail, .writes, .encodings, .reads: 128
        case .judgements, .deadlines, .hangUps: 96
        case .drains, .removals: 32
        }
    }

    /// Whether it is no part of a short request, its answer, or news for waiting readers.
    private var canWait: Bool {
        switch self {
        case .arrivals, .accepts, .mail, .writes, .deliveries: false
        case .longRequests, .messages, .hangUps, .encodings, .reads, .judgements, .deadlines: true
        case .drains, .removals: true
        }
    }

    /// Steps of a turn that this kind may take, those before included, once the turn is late.
    var lateShare: Int { canWait ? min(share, HTTPFrontLimits.lateStepsPerKind) : share }

    /// Steps of a turn that this kind may take when no other has taken more than its share.
    public var stepsMax: Int { share + HTTPFrontLimits.sharedStepsPerTurn }

    /// Steps of a turn for all kinds together.
    public static let stepsPerTurnMax =
        allCases.reduce(HTTPFrontLimits.sharedStepsPerTurn) { $0 + $1.share }
}
