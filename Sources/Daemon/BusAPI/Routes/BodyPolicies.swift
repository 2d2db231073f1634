internal import HTTPFront
internal import Topics

/// The size of body that each kind of request may bring, and the answer to a larger one. They are
/// made once, so that a request without a body costs nothing for it.
final class BodyPolicies {
    let eventBytesMax: Int
    private let event: BodyPolicy
    private let batch: BodyPolicy

    /// The admissions under these limits of one event and one batch.
    init(eventBytesMax: Int, batchBytesMax: Int) {
        self.eventBytesMax = eventBytesMax
        event = .upTo(
            bytes: eventBytesMax,
            orElse: Refusal(
                .eventTooLarge,
                "An event has at most \(eventBytesMax) bytes (bus.event_bytes in belfryd.conf); "
                    + "publish less, or publish its address."
            ).response)
        batch = .upTo(
            bytes: batchBytesMax,
            orElse: Refusal(
                .batchTooLarge, "A batch has at most \(batchBytesMax) bytes; publish it in parts."
            ).response)
    }

    /// The decision about the body of a request, by its head, which announces a body of this
    /// length.
    func admission(of head: RequestHead, _ length: RequestHead.BodyLength) -> BodyPolicy {
        switch head.method {
        case "POST" where length == .none && Self.isOfUnknownLength(head):
            .refuse(Self.lengthUnknown)
        case "POST": head.target.query.first("split") == nil ? event : batch
        case "PUT" where Resource(head.target)?.kind == .later: event
        case "PUT" where Self.isTaken(head): Self.noneButPost
        case "OPTIONS": Self.none
        case _ where length.isEmpty || Self.isTaken(head): Self.none
        // Without its body it would be refused too, and the client has to hear that reason.
        default: .upTo(bytes: 0, orElse: Self.refusal(of: head).response)
        }
    }

    /// Whether the end of a publish's body is unknown, because the request gives no length (RFC
    /// 1945 section 7.2.2).
    ///
    /// Other requests by POST are complete without a body, and a proxy that speaks HTTP/1.0 to us sends
    /// those without a length.
    private static func isOfUnknownLength(_ head: RequestHead) -> Bool {
        head.version == .http10 && Resource(head.target)?.kind == .topic
    }

    private static let lengthUnknown = Refusal(
        .requestMalformed,
        "A publish in HTTP/1.0 needs a Content-Length: without one nobody knows where the body ends, and "
            + "nothing was published. In nginx, `proxy_http_version 1.1` helps."
    ).response

    private static func isTaken(_ head: RequestHead) -> Bool {
        Resource(head.target).map { Route.find(head.method, $0.kind) != nil } ?? false
    }

    private static func refusal(of head: RequestHead) -> Refusal {
        guard let resource = Resource(head.target) else {
            return Route.nothing(at: head.target)
        }
        return Route.notAllowed(head, on: resource.kind)
    }

    private static let none = BodyPolicy.upTo(
        bytes: 0,
        orElse: Refusal(.bodyNotExpected, "This request takes no body; send it without.").response)

    private static let noneButPost = BodyPolicy.upTo(
        bytes: 0,
        orElse: Refusal(
            .bodyNotExpected,
            "PUT sets what a topic or group is and takes no body; publish with POST."
        ).response)
}
