internal import HTTPFront
internal import Topics

/// How much body each kind of request may bring, and the answer to more; made once, so that a
/// request without a body pays nothing for it.
struct BodyAdmissions {
    private let event: BodyAdmission
    private let batch: BodyAdmission

    /// The admissions under these limits of one event and one batch.
    init(eventBytesMax: Int, batchBytesMax: Int) {
        event = .upTo(
            bytes: eventBytesMax,
            orElse: Refusal(
                .eventTooLarge,
                "An event has at most \(eventBytesMax) bytes; publish less, or where to find it."
            ).response)
        batch = .upTo(
            bytes: batchBytesMax,
            orElse: Refusal(
                .batchTooLarge, "A batch has at most \(batchBytesMax) bytes; publish it in parts."
            ).response)
    }

    /// What the request of this head may bring.
    func admission(of head: RequestHead) -> BodyAdmission {
        switch head.method {
        case "POST": head.target.query.first("split") == nil ? event : batch
        case "PUT": Self.noneButPost
        default: Self.none
        }
    }

    private static let none = BodyAdmission.upTo(
        bytes: 0,
        orElse: Refusal(.bodyNotExpected, "This request takes no body; send it without.").response)

    private static let noneButPost = BodyAdmission.upTo(
        bytes: 0,
        orElse: Refusal(
            .bodyNotExpected, "PUT sets a topic's retention and takes no body; publish with POST."
        ).response)
}
