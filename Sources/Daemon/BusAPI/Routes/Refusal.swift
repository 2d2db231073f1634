internal import HTTPFront
internal import Topics
internal import Wire

/// The reason why a request is answered with a problem instead of the wanted answer.
struct Refusal: Error {
    /// The answer.
    let problem: Problem
    /// Seconds after which the request may succeed, if that is known.
    var retrySeconds: Int64?
    /// Whether nobody is told, because nobody knows whether the request was done.
    private(set) var isWithheld = false

    init(_ code: ProblemCode, _ detail: String, headers: HeaderLines = []) {
        problem = code.problem(detail, headers: headers)
    }

    /// A refusal by the front.
    init(_ problem: Problem) {
        self.problem = problem
    }

    /// A refusal by the bus, in the words of the contract.
    ///
    /// - Parameter introduction: The beginning of the sentence, about the part that was done
    ///   nevertheless.
    init(_ error: BusError, behind introduction: String = "") {
        let code: ProblemCode =
            switch error {
            case .topicReserved: .topicReserved
            case .typeReserved: .eventTypeInvalid
            case .topicUnknown: .topicUnknown
            case .eventTooLarge: .eventTooLarge
            case .batchTooLarge: .batchTooLarge
            case .limit(.reads, _): .limitCaller
            case .limit: .limitBus
            case .callerTopics: .limitCaller
            case .topicFull: .topicFull
            case .keyDiffers: .idempotencyMismatch
            case .conditionFailed: .preconditionFailed
            case .keysFull: .keysFull
            case .laterFull: .laterFull
            case .schedulesFull: .limitCaller
            case .scheduleOfAnother: .accessDenied
            case .storeFull: .storeFull
            case .storeFailed, .storeUnreachable, .unanswered: .storeFailed
            case .draining: .draining
            }
        self.init(
            code, introduction + error.description + Self.advice(on: error),
            headers: Self.headers(of: error))
        isWithheld = error == .unanswered
        if case .keysFull = error { retrySeconds = 1 }
        guard case .callerTopics(_, _, let vanishes) = error else { return }
        retrySeconds = vanishes.map { vanishes in
            let now = SystemClock().now().microseconds
            let (left, isOver) = vanishes.microseconds.subtractingReportingOverflow(now)
            if isOver { return Limits.retrySecondsMax }
            return min(max(left / 1_000_000 + 1, 1), Limits.retrySecondsMax)
        }
    }

    /// The bus ends, and the request had no effect.
    static let leaving = Refusal(
        .draining, "The bus is shutting down; try again in a second.")

    private static func headers(of error: BusError) -> HeaderLines {
        guard case .conditionFailed(let newest) = error else { return [] }
        return [("ETag", "\"\(TopicVersion.tag(newest))\"")]
    }

    /// Advice to a caller over HTTP, with the place at which the limit is set.
    private static func advice(on error: BusError) -> String {
        switch error {
        case .topicUnknown: " with PUT /topics/{topic} (bus.autocreate in belfryd.conf)"
        case .eventTooLarge: " (bus.event_bytes in belfryd.conf, or `bytes` of the topic)"
        case .callerTopics:
            " (bus.topics_per_uid in belfryd.conf, then `systemctl reload belfryd`). DELETE "
                + "/topics/{topic} removes one; a topic for each job or reply can be one topic for "
                + "all, with a key for each."
        case .limit(let limit, _): key(of: limit).map { " (\($0) in belfryd.conf)" } ?? ""
        default: ""
        }
    }

    private static func key(of limit: BusError.Limit) -> String? {
        switch limit {
        case .topics: "bus.topics"
        case .memory: "bus.memory_bytes"
        case .commitQueue: "bus.commit_queue_bytes"
        case .reads: nil
        }
    }

    /// The answer as it is sent. A request that may succeed in a moment is told when to try again.
    var response: Response {
        guard !isWithheld else { return .withheld }
        var response = problem.response
        switch response.status {
        case 429, 503, 507: response.headers.add("Retry-After", "\(retrySeconds ?? 1)")
        default: if let retrySeconds { response.headers.add("Retry-After", "\(retrySeconds)") }
        }
        return response
    }
}
