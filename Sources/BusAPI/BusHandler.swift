internal import HTTPFront
internal import Telemetry
internal import Topics

/// What one loop knows of the bus: dispatches its requests, and owns those that wait.
///
/// Belongs to its loop: made, called and released on that loop's thread, so that nothing here
/// takes a lock. Other threads reach it only through the loop's mailbox.
final class BusHandler: RequestHandler {
    let service: BusService
    let loop: LoopHandle
    let encodings: EncodingCache
    let subscriptions = SubscriptionTable()
    private(set) var configuration: BusAPIConfiguration
    private var admissions: BodyAdmissions
    private let waker: LoopWaker

    var bus: EventBus { service.bus }

    init(service: BusService, configuration: BusAPIConfiguration, loop: LoopHandle) {
        self.service = service
        self.configuration = configuration
        admissions = BodyAdmissions(
            eventBytesMax: configuration.eventBytesMax,
            batchBytesMax: service.bus.limits.batchBytesMax)
        self.loop = loop
        encodings = EncodingCache(memory: service.memory)
        waker = LoopWaker(loop: loop)
        service.bus.broadcaster.register((any TopicObserver).self, observer: waker)
    }

    func admit(_ head: RequestHead) -> BodyAdmission { admissions.admission(of: head) }

    func handle(_ request: Request, _ exchange: Exchange) {
        do throws(Refusal) {
            try dispatch(request, exchange)
        } catch {
            exchange.respond(error.response)
        }
    }

    /// Takes over a configuration that was reloaded.
    func reconfigure(_ configuration: BusAPIConfiguration) {
        self.configuration = configuration
        admissions = BodyAdmissions(
            eventBytesMax: configuration.eventBytesMax, batchBytesMax: bus.limits.batchBytesMax)
    }

    func drain() {
        for poll in subscriptions.takeAll() { poll.answerWithCursor() }
    }

    /// Brings what waits up to date with everything admitted since the last time.
    func deliver() {
        let admitted = waker.take()
        for (topic, place) in admitted.removed {
            for poll in subscriptions.takeAll(named: topic) { poll.topicRemoved(at: place) }
        }
        for topic in admitted.topics {
            for poll in subscriptions.takeAll(matching: topic) { poll.advance() }
        }
    }

    private func dispatch(_ request: Request, _ exchange: Exchange) throws(Refusal) {
        let head = request.head
        if head.method == "OPTIONS", head.target.form == .asterisk {
            return exchange.respond(Self.options(head, Route.allowAnywhere))
        }
        guard let resource = Resource(path: head.target.path) else {
            throw Refusal(
                .pathUnknown,
                "There is nothing at '\(head.target.rawPath)'; topics are at /topics/{name}.")
        }
        if exchange.isDraining, resource.kind != .health {
            throw Refusal(
                .draining, "The bus is shutting down; try again in a second.")
        }
        if head.method == "OPTIONS" {
            return exchange.respond(Self.options(head, Route.allow(resource.kind)))
        }
        guard let route = Route.find(head.method, resource.kind) else {
            let allow = Route.allow(resource.kind)
            throw Refusal(
                .methodNotAllowed, "\(head.method) is not for this path; it takes \(allow).",
                headers: [("Allow", allow)])
        }
        let parameters = try Parameters(head.target.query, known: route.parameters)
        let call = Call(
            request: request, resource: resource, parameters: parameters, exchange: exchange)
        try route.serve(self)(call)
    }

    /// What a path takes; asked by a page of a configured Origin, in the words browsers want.
    private static func options(_ head: RequestHead, _ allow: String) -> Response {
        guard head.preflight != nil else {
            return Response(status: 204, headers: [("Allow", allow)])
        }
        return Preflight.response(allowingMethods: allow, headers: WireHeaders.accepted)
    }
}
