internal import Access
internal import HTTPFront
internal import JSON
internal import Topics

/// The maker of the events that the messages of one WebSocket publish, under the rules of a POST.
///
/// A text message is a ``ClientMessage``. One that names no topic goes to the socket's own topic,
/// which it has if its selector is one name. With `as=raw` each message, binary or text, is a
/// payload of that topic without fields: `type` and `key` of the request choose the received
/// events.
struct MessagePublisher {
    private let topic: TopicName?
    private let sender: Sender
    private let isRaw: Bool
    private let caller: Caller
    /// The page that opened the socket, if it is one of another origin.
    private let page: CrossOrigin?

    init(
        _ selector: Selector, isRaw: Bool, from peer: Peer, as caller: Caller,
        page: CrossOrigin? = nil
    ) {
        topic = selector.singleName
        self.isRaw = isRaw
        sender = Sender(uid: peer.uid, pid: peer.pid)
        self.caller = caller
        self.page = page
    }

    /// Bytes of a message at the most: a larger one cannot hold an event.
    func messageBytesMax(_ configuration: BusAPIConfiguration) -> Int {
        let payloadBytesMax = configuration.eventBytesMax
        if isRaw { return payloadBytesMax }
        return payloadBytesMax * JSONLimits.bytesPerByteMax + Limits.messageMembersBytesMax
    }

    /// The one event that a message publishes.
    ///
    /// - Parameter ref: The client's name for the message. It is set for a refused message too, if
    ///   it could be read.
    func batch(
        of message: WebSocketMessage, ref: inout MessageRef?, _ configuration: BusAPIConfiguration
    ) throws(Refusal) -> PublishBatch {
        let batch: PublishBatch
        switch message {
        case .text(let bytes) where isRaw, .binary(let bytes) where isRaw:
            batch = PublishBatch(
                topic: try destination(nil), sender: sender, payloads: [Payload(copying: bytes)])
        case .text(let text):
            let message = try ClientMessage(text, ref: &ref)
            batch = PublishBatch(
                topic: try destination(message.topic), metadata: message.metadata,
                sender: sender, payloads: [message.payload])
        case .binary:
            throw Refusal(
                .requestMalformed,
                "A binary message publishes only with as=raw; send JSON as text, with the payload "
                    + "in 'data_base64'.")
        }
        if let page, page.mayOnlyRead { throw Refusal(page.readingProblem) }
        let decision = configuration.access.publish(batch.topic, caller)
        guard decision.isAllowed else { throw Refusal(decision) }
        guard batch.payloads[0].count <= configuration.eventBytesMax else {
            throw Refusal(
                .eventTooLarge,
                "An event has at most \(configuration.eventBytesMax) bytes (bus.event_bytes in "
                    + "belfryd.conf); publish less, or publish its address.")
        }
        return batch
    }

    private func destination(_ named: TopicName?) throws(Refusal) -> TopicName {
        if let topic = named ?? topic { return topic }
        throw Refusal(
            .topicNameInvalid,
            isRaw
                ? "There is no topic to publish to: the selector is not one name. Publish JSON, "
                    + "without as=raw, that names one."
                : "'topic' is missing, and the selector is not one name: name the topic.")
    }
}
