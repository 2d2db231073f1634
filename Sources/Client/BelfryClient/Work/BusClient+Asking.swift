public import Topics
internal import Wire

/// The outcome of a request.
public enum ClientReply: Sendable {
    /// A worker did it, and says this; the content type is nil where the worker gave none.
    case replied(Payload, contentType: String?)
    /// A worker refused it, and says this, or its attempts are used up.
    case refused(Payload, contentType: String?)
}

extension BusClient {
    /// Publishes a request, and waits for a worker's reply.
    ///
    /// - Parameter microseconds: How long to wait, 1 ms to 1 h.
    /// - Throws: `ClientError`. A refusal with `NO_RESPONDER` says that no worker is there, and that
    ///   the request is not in the log; one with `REPLY_TIMEOUT`, that it is in the log, and a worker
    ///   may have done it.
    public func ask(
        _ payload: Payload, of topic: TopicName, metadata: EventMetadata = .none,
        within microseconds: Int64 = 10_000_000
    ) async throws(ClientError) -> ClientReply {
        let target = TargetPath("topics", topic.text)
            .with("reply", Quantity.text(microseconds: microseconds))
        let answer = try await answer(
            .post, target, headers: metadata.headers, body: payload,
            within: Int(microseconds / 1_000) + Limits.requestMillisecondsMax)
        let contentType = answer.contentType
        if answer.head.status == 200 {
            return .replied(Payload(answer.body), contentType: contentType)
        }
        // Only an answer with a worker's words has the id of the request.
        if answer.head.status == 502, answer.head["event-id"] != nil {
            return .refused(Payload(answer.body), contentType: contentType)
        }
        let refusal = answer.refusal
        switch refusal.code {
        case "REPLY_REFUSED": return .refused(.empty, contentType: nil)
        case "REPLY_TIMEOUT": throw .refused(refusal)
        default: throw answer.failure(of: .post)
        }
    }
}
