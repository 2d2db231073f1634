internal import HTTPFront

/// The codes that this module answers with, each with the status that always goes with it.
///
/// The front words its own refusals (malformed requests, hosts, pages) by itself. The codes are
/// listed in the HTTP contract. They never change, because scripts compare them.
enum ProblemCode: String, CaseIterable {
    case topicNameInvalid = "TOPIC_NAME_INVALID"
    case groupNameInvalid = "GROUP_NAME_INVALID"
    case selectorInvalid = "SELECTOR_INVALID"
    case parameterUnknown = "PARAMETER_UNKNOWN"
    case parameterInvalid = "PARAMETER_INVALID"
    case parameterRepeated = "PARAMETER_REPEATED"
    case cursorInvalid = "CURSOR_INVALID"
    case eventTypeInvalid = "EVENT_TYPE_INVALID"
    case eventKeyInvalid = "EVENT_KEY_INVALID"
    case eventAttributeInvalid = "EVENT_ATTRIBUTE_INVALID"
    case conditionInvalid = "CONDITION_INVALID"
    case bodyNotExpected = "BODY_NOT_EXPECTED"
    case requestMalformed = "REQUEST_MALFORMED"
    case notSupported = "NOT_SUPPORTED"
    case tokenInvalid = "TOKEN_INVALID"
    case accessDenied = "ACCESS_DENIED"
    case topicReserved = "TOPIC_RESERVED"
    case pathUnknown = "PATH_UNKNOWN"
    case topicUnknown = "TOPIC_UNKNOWN"
    case laterUnknown = "LATER_UNKNOWN"
    case eventUnknown = "EVENT_UNKNOWN"
    case groupUnknown = "GROUP_UNKNOWN"
    case methodNotAllowed = "METHOD_NOT_ALLOWED"
    case groupDiffers = "GROUP_DIFFERS"
    case groupHeld = "GROUP_HELD"
    case leaseLost = "LEASE_LOST"
    case eventsGone = "EVENTS_GONE"
    case topicDeleted = "TOPIC_DELETED"
    case groupDeleted = "GROUP_DELETED"
    case jobSettled = "JOB_SETTLED"
    case jobDead = "JOB_DEAD"
    case eventPublished = "EVENT_PUBLISHED"
    case preconditionFailed = "PRECONDITION_FAILED"
    case eventTooLarge = "EVENT_TOO_LARGE"
    case batchTooLarge = "BATCH_TOO_LARGE"
    case encodingUnsupported = "ENCODING_UNSUPPORTED"
    case idempotencyMismatch = "IDEMPOTENCY_MISMATCH"
    case limitCaller = "LIMIT_CALLER"
    case keysFull = "KEYS_FULL"
    case replyRefused = "REPLY_REFUSED"
    case limitBus = "LIMIT_BUS"
    case draining = "DRAINING"
    case noResponder = "NO_RESPONDER"
    case replyTimeout = "REPLY_TIMEOUT"
    case laterFull = "LATER_FULL"
    case topicFull = "TOPIC_FULL"
    case storeFull = "STORE_FULL"
    case storeFailed = "STORE_FAILED"

    /// The HTTP status that goes with the code.
    var status: Int {
        switch self {
        case .topicNameInvalid, .groupNameInvalid, .selectorInvalid, .parameterUnknown,
            .parameterInvalid,
            .parameterRepeated, .cursorInvalid, .eventTypeInvalid, .eventKeyInvalid,
            .eventAttributeInvalid, .conditionInvalid, .bodyNotExpected, .requestMalformed,
            .notSupported:
            400
        case .tokenInvalid: 401
        case .accessDenied, .topicReserved: 403
        case .pathUnknown, .topicUnknown, .eventUnknown, .groupUnknown, .laterUnknown: 404
        case .methodNotAllowed: 405
        case .groupDiffers, .groupHeld, .leaseLost: 409
        case .eventsGone, .topicDeleted, .groupDeleted, .jobSettled, .jobDead,
            .eventPublished:
            410
        case .preconditionFailed: 412
        case .eventTooLarge, .batchTooLarge: 413
        case .encodingUnsupported: 415
        case .idempotencyMismatch: 422
        case .limitCaller, .keysFull: 429
        case .replyRefused: 502
        case .limitBus, .draining, .noResponder: 503
        case .replyTimeout: 504
        case .laterFull, .topicFull, .storeFull, .storeFailed: 507
        }
    }

    /// The problem of this code, with a sentence about the mistake and about how to correct it.
    func problem(_ detail: String, headers: HeaderLines = []) -> Problem {
        Problem(status, rawValue, detail: detail, headers: headers)
    }
}
