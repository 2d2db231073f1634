internal import HTTPFront
internal import Topics

/// What a request publishes, checked, all but the body.
struct PublishRequest {
    let topic: TopicName
    let attributes: EventAttributes
    let sender: Sender
    /// Whether each line of the body is an event.
    let isSplit: Bool
}

/// The publish after one, which is often the same with another body.
///
/// Whether its caller may publish is part of what was decided: rules, tokens and what a connection's
/// peer is change only with the configuration.
final class RepeatablePublish: RepeatableRequest {
    private let request: PublishRequest
    private let configurationNumber: UInt32
    // The loop's handler outlives its connections.
    private unowned let handler: BusHandler

    init(_ request: PublishRequest, on handler: BusHandler) {
        self.request = request
        self.handler = handler
        configurationNumber = handler.configurationNumber
    }

    var valuePlace: ValuePlace? { .length }

    var isCurrent: Bool { configurationNumber == handler.configurationNumber }

    func handle(value: String, body: RequestBody, _ exchange: Exchange) {
        do throws(Refusal) {
            try handler.publish(request, body, exchange)
        } catch {
            exchange.respond(error.response)
        }
    }
}
