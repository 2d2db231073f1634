public import HTTPFront
internal import Topics

/// Dispatches the requests of one loop to the routes of the bus.
///
/// Belongs to its loop: made, called and released on that loop's thread.
public final class BusHandler: RequestHandler, BusLoopOwner {
    let loop: BusLoop
    /// The body limits by the configuration of the last request.
    private var bodyPolicies: BodyPolicies

    /// The handler of one loop, which serves `service` from now on.
    public init(of service: BusService, on loop: LoopHandle, within budget: TurnBudget) {
        self.loop = service.add(loop, within: budget)
        bodyPolicies = Self.bodyPolicies(on: self.loop)
    }

    /// Decides how much body a request may bring, by its head.
    public func admit(_ head: RequestHead, _ length: RequestHead.BodyLength) -> BodyPolicy {
        if bodyPolicies.eventBytesMax != loop.configuration.eventBytesMax {
            bodyPolicies = Self.bodyPolicies(on: loop)
        }
        return bodyPolicies.admission(of: head, length)
    }

    private static func bodyPolicies(on loop: BusLoop) -> BodyPolicies {
        BodyPolicies(
            eventBytesMax: loop.configuration.eventBytesMax,
            batchBytesMax: loop.bus.limits.batchBytesMax)
    }

    /// Steps of a turn that a request takes because of the selector or group that its path names.
    public func steps(of head: RequestHead) -> Int {
        KnownRoute.of(head)?.isOfOneTopic == true ? 0 : loop.gate.steps(of: head)
    }

    /// Answers a request, or has it wait.
    public func handle(_ request: Request, _ exchange: Exchange) {
        do throws(Refusal) {
            try dispatch(request, exchange)
        } catch {
            let isForEventStream = ServerSentEventsForm.isAsked(by: request.head)
            exchange.respond(
                isForEventStream
                    ? error.eventStream(retryingIn: loop.service.retryMilliseconds)
                    : error.response)
        }
    }

    /// Ends all waiting requests and streams.
    public func drain() { loop.waits.drain() }

    private func dispatch(_ request: Request, _ exchange: Exchange) throws(Refusal) {
        let head = request.head
        let known = KnownRoute.of(head)
        if known == nil, head.method == "OPTIONS", head.target.form == .asterisk {
            return exchange.respond(Self.options(head, Route.allowAnywhere))
        }
        guard let resource = known?.resource ?? Resource(head.target) else {
            throw Route.nothing(at: head.target)
        }
        if exchange.isDraining, resource.kind != .health {
            throw .leaving
        }
        if known == nil, head.method == "OPTIONS" {
            return exchange.respond(Self.options(head, Route.allow(resource.kind)))
        }
        guard let route = known?.route ?? Route.find(head.method, resource.kind) else {
            throw Route.notAllowed(head, on: resource.kind)
        }
        if !route.takesConditions { try ConditionHeader.refuse(head.headers) }
        if let place = PageRoutes(loop: loop).placeOnPage(of: head, resource) {
            return exchange.respond(place)
        }
        if !resource.isForPeople, let problem = head.problemOfLink {
            return exchange.respond(problem.response)
        }
        let parameters: Parameters
        if let known {
            parameters = known.parameters
        } else {
            let query = resource.isCheck ? QueryItems() : head.target.query
            parameters = try Parameters(query, known: route.parameters)
            if head.keepsNote { head.note = KnownRoute(resource, route, parameters) }
        }
        let caller = resource.isAboutTopics ? try loop.gate.caller(head, exchange.peer) : .unknown
        let call = Call(
            request: request, resource: resource, parameters: parameters, exchange: exchange,
            caller: caller)
        try route.serve(loop)(call)
    }

    /// The methods that a path takes. A preflight of a page of a configured Origin gets them in the
    /// headers of CORS.
    private static func options(_ head: RequestHead, _ allow: String) -> Response {
        guard let preflight = head.preflight else {
            return Response(status: 204, headers: [("Allow", allow)])
        }
        let mayOnlyRead = head.crossOrigin?.mayOnlyRead == true
        let methods = allow.split(separator: ", ").filter {
            !mayOnlyRead || CrossOrigin.readingMethods.contains(String($0))
        }
        return preflight.response(
            allowingMethods: methods.joined(separator: ", "),
            headers: WireHeaders.accepted(for: preflight.headers))
    }
}
