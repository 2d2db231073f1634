internal import Access
internal import HTTPFront
internal import Topics

/// What a request publishes, checked, all but the body.
struct PublishRequest {
    var topic: TopicName
    let attributes: EventAttributes
    let sender: Sender
    /// Whether each line of the body is an event.
    let isSplit: Bool
    /// Whether it says of the body what `curl -d` says of every one, that it is a form.
    let isForm: Bool
}

/// The publish after one, which is often the same with another body, or to another topic.
///
/// Whether its caller may publish is part of what was decided: rules, tokens and what a connection's
/// peer is change only with the configuration. Of another topic it is decided anew.
final class RepeatablePublish: RepeatableRequest {
    private var request: PublishRequest
    private let caller: Caller
    private let configurationNumber: UInt32
    // The loop's handler outlives its connections.
    private unowned let handler: BusHandler

    init(_ request: PublishRequest, by caller: Caller, on handler: BusHandler) {
        self.request = request
        self.caller = caller
        self.handler = handler
        configurationNumber = handler.configurationNumber
    }

    var valuePlace: ValuePlace? { .length }

    var isCurrent: Bool { configurationNumber == handler.configurationNumber }

    func handle(_ differences: RequestDifferences, _ exchange: Exchange) {
        do throws(Refusal) {
            try setTopic(differences.name)
            try handler.publish(request, differences.body, exchange)
        } catch {
            exchange.respond(error.response)
        }
    }

    private func setTopic(_ name: UnsafeRawBufferPointer) throws(Refusal) {
        guard !name.isEmpty, !request.topic.text.utf8.elementsEqual(name) else { return }
        let topic = try handler.publishable(String(decoding: name, as: UTF8.self), by: caller)
        request.topic = topic
    }
}
