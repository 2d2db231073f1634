internal import Access
internal import HTTPFront
internal import Telemetry
internal import Topics
internal import Work

/// What one loop knows of the bus: dispatches its requests, and owns those that wait.
///
/// Belongs to its loop: made, called and released on that loop's thread, so that nothing here
/// takes a lock. Other threads reach it only through the loop's mailbox.
final class BusHandler: RequestHandler {
    let service: BusService
    let loop: LoopHandle
    /// What is left of the loop's turn.
    let budget: TurnBudget
    let encodings: EncodingCache
    let meters: BusMeters
    let subscriptions: SubscriptionTable
    /// How those who wait on this loop look at the log.
    let log: LoopReads
    let reads: SharedReads
    let workWaits: WorkWaits
    /// Requests to groups that are taken further at the end of the turn.
    let workRound = WorkRound()
    /// Whether the end of the turn does so.
    var goesRound = false
    private(set) var configuration: BusAPIConfiguration
    private var admissions: BodyAdmissions
    /// The topic that was asked for last: most requests are about the same as the one before.
    private var lastTopic: TopicName?
    /// The same of what events were asked from.
    private var lastSelector: (text: String, selector: Selector)?
    private let waker: LoopWaker
    /// What is to be delivered, while it is looked at.
    private var admitted = LoopWaker.Changes()
    private var deliveries = DeliveryQueue()
    /// Subscriptions that are to end, before anything else is delivered.
    private var endings = Ring<Ending>()
    /// Whether a later turn delivers on.
    private var deliversOn = false
    /// Whether a later turn takes selectors out that nobody waits for any more.
    private var clearsVacant = false
    /// Tells the rules about access from earlier ones.
    private(set) var accessNumber: UInt32 = 0
    /// Subscriptions that are yet to be judged by them.
    private var unjudged: SubscriptionTable.Found = []
    /// Requests that wait for groups and are yet to be judged by them.
    private var unjudgedWaits: [any WorkWait] = []
    /// Requests that wait for groups and are yet to end.
    private var endingWaits: [any WorkWait] = []
    /// How far was delivered when the rules changed under which they were judged last.
    private(set) var judgedThrough = EventID.zero

    var bus: EventBus { service.bus }

    init(
        service: BusService, configuration: BusAPIConfiguration, loop: LoopHandle,
        budget: TurnBudget, meters: BusMeters
    ) {
        self.service = service
        self.meters = meters
        self.configuration = configuration
        admissions = BodyAdmissions(
            eventBytesMax: configuration.eventBytesMax,
            batchBytesMax: service.bus.limits.batchBytesMax)
        self.loop = loop
        self.budget = budget
        subscriptions = SubscriptionTable(memory: service.memory)
        encodings = EncodingCache(memory: service.memory)
        log = LoopReads(of: service.bus, within: budget)
        reads = SharedReads(of: log)
        workWaits = WorkWaits(countedBy: service.waiting)
        waker = LoopWaker(loop: loop)
        service.bus.broadcaster.register((any TopicObserver).self, observer: waker)
    }

    deinit {
        while subscriptions.hasVacant {
            subscriptions.clearOneVacant(bus.forgetSubscriptions(to:))
        }
    }

    func admit(_ head: RequestHead, _ length: RequestHead.BodyLength) -> BodyAdmission {
        admissions.admission(of: head, length)
    }

    /// The topic of a request's path, or the refusal that says what is wrong with it.
    func topic(named name: String) throws(Refusal) -> TopicName {
        if let lastTopic, lastTopic.text == name { return lastTopic }
        let topic = try TopicName(request: name)
        lastTopic = topic
        return topic
    }

    /// The topics of a request's path, or the refusal that says what is wrong with it.
    func selector(named text: String) throws(Refusal) -> Selector {
        if let lastSelector, lastSelector.text == text { return lastSelector.selector }
        let selector = try Selector(request: text)
        lastSelector = (text, selector)
        return selector
    }

    func handle(_ request: Request, _ exchange: Exchange) {
        do throws(Refusal) {
            try dispatch(request, exchange)
        } catch {
            let isForEventStream = ServerSentEventsForm.isAsked(by: request.head)
            exchange.respond(
                isForEventStream
                    ? error.eventStream(retryingIn: service.retryMilliseconds) : error.response)
        }
    }

    /// Takes over a configuration that was reloaded.
    func reconfigure(_ configuration: BusAPIConfiguration) {
        let isAccessAsBefore = configuration.access == self.configuration.access
        self.configuration = configuration
        admissions = BodyAdmissions(
            eventBytesMax: configuration.eventBytesMax, batchBytesMax: bus.limits.batchBytesMax)
        guard !isAccessAsBefore else { return }
        accessNumber &+= 1
        let isJudging = !unjudged.isEmpty || !unjudgedWaits.isEmpty
        unjudged = subscriptions.all
        unjudgedWaits = workWaits.all
        guard !isJudging else { return }
        judgedThrough = deliveredThrough
        judgeOn()
    }

    func drain() {
        for subscription in subscriptions.all { endings.append(Ending(of: subscription)) }
        endingWaits = workWaits.all
        if !deliversOn { deliverOn() }
    }

    /// What ends a subscription that waits: its topic was removed at a place in the order, or the bus
    /// is leaving.
    private struct Ending {
        let subscription: any HTTPSubscription
        let removedAt: EventID?

        init(of subscription: any HTTPSubscription, removedAt: EventID? = nil) {
            self.subscription = subscription
            self.removedAt = removedAt
        }

        func tell() {
            guard subscription.place != nil else { return }
            if let removedAt {
                subscription.topicRemoved(at: removedAt)
            } else {
                subscription.drain()
            }
        }
    }

    /// Brings what waits up to date with everything admitted since the last time.
    func deliver() {
        waker.take(for: &admitted)
        for (topic, place) in admitted.removed {
            for subscription in subscriptions.all(named: topic) {
                endings.append(Ending(of: subscription, removedAt: place))
            }
        }
        deliveries.add(through: admitted.through) { woken in
            subscriptions.find(matching: admitted.topics, into: &woken)
        }
        admitted.clear()
        if !deliversOn, hasNews { deliverOn() }
    }

    /// Whoever waits and has told everything it was woken for has told everything up to here.
    var deliveredThrough: EventID {
        if let quiet = waker.quietThrough { deliveries.add(through: quiet) { _ in } }
        return deliveries.deliveredThrough
    }

    /// Whether somebody is yet to be told something.
    private var hasNews: Bool {
        !deliveries.isEmpty || !endings.isEmpty || !endingWaits.isEmpty
    }

    private func deliverOn() {
        deliversOn = false
        // A turn that had mail has had some already.
        while !endings.isEmpty, budget.isLeft(for: .deliveries) {
            budget.begin(.deliveries, Limits.deliverySteps)
            endings.removeFirst().tell()
        }
        while !endingWaits.isEmpty, budget.isLeft(for: .deliveries) {
            budget.begin(.deliveries, Limits.deliverySteps)
            endingWaits.removeLast().drain()
        }
        while let (members, news, isOnlyOne) = deliveries.next(), budget.isLeft(for: .deliveries) {
            var told = 0
            reads.share(forOne: isOnlyOne) {
                while told < members.count, budget.isLeft(for: .deliveries) {
                    let subscription = members[members.startIndex + told]
                    told += 1
                    budget.begin(.deliveries, Limits.deliverySteps)
                    subscription.advance(news)
                }
            }
            deliveries.pass(told)
        }
        guard hasNews else { return }
        deliversOn = true
        loop.post { handler in (handler as! BusHandler).deliverOn() }
    }

    /// Judges those who wait by rules that have changed, some at a time; whoever is told something
    /// before was judged then.
    private func judgeOn() {
        while !unjudged.isEmpty, budget.isLeft(for: .judgements) {
            budget.begin(.judgements, 1)
            judge(unjudged.removeLast())
        }
        while !unjudgedWaits.isEmpty, budget.isLeft(for: .judgements) {
            budget.begin(.judgements, 1)
            unjudgedWaits.removeLast().judge()
        }
        guard !unjudged.isEmpty || !unjudgedWaits.isEmpty else { return }
        loop.post { handler in (handler as! BusHandler).judgeOn() }
    }

    /// Puts a subscription that has looked at the log into the loop's table, and on the bus's count.
    ///
    /// What was admitted behind its look and before it counted has woken nobody: it looks once more.
    func enroll(_ subscription: any HTTPSubscription) {
        if subscription.isSubscriber {
            let newest = bus.beginSubscription(subscription.reader.selector)
            if subscription.reader.isBehind(from: newest) {
                // It is only touched again on its loop, where the job runs.
                nonisolated(unsafe) let subscription = subscription
                loop.post { _ in if subscription.place != nil { subscription.advance(nil) } }
            }
        } else {
            waker.countOnlooker(1)
        }
        subscriptions.insert(subscription)
    }

    /// Takes a subscription out of the loop's table, and off the bus's count.
    ///
    /// A selector that nobody waits for after that is taken out in a later turn: many may go together,
    /// and the next request of a poll finds it.
    func withdraw(_ subscription: any HTTPSubscription) {
        let selector = subscription.reader.selector
        subscriptions.remove(subscription)
        if subscription.isSubscriber {
            bus.endSubscription(selector, isForgotten: selector.singleName != nil)
        } else {
            waker.countOnlooker(-1)
        }
        guard subscriptions.hasVacant, !clearsVacant else { return }
        clearsVacant = true
        loop.post { handler in (handler as! BusHandler).clearOn() }
    }

    /// Takes the turn's requests to groups further.
    func goRound() {
        goesRound = false
        workRound.go()
    }

    private func clearOn() {
        while subscriptions.hasVacant, budget.isLeft(for: .removals) {
            let terms = subscriptions.clearOneVacant(bus.forgetSubscriptions(to:))
            budget.begin(.removals, Limits.clearedSelectorSteps + terms)
        }
        clearsVacant = subscriptions.hasVacant
        if clearsVacant { loop.post { handler in (handler as! BusHandler).clearOn() } }
    }

    private func dispatch(_ request: Request, _ exchange: Exchange) throws(Refusal) {
        let head = request.head
        if head.method == "OPTIONS", head.target.form == .asterisk {
            return exchange.respond(Self.options(head, Route.allowAnywhere))
        }
        guard let resource = Resource(head.target) else {
            throw Route.nothing(at: head.target)
        }
        if exchange.isDraining, resource.kind != .health {
            throw .leaving
        }
        if head.method == "OPTIONS" {
            return exchange.respond(Self.options(head, Route.allow(resource.kind)))
        }
        guard let route = Route.find(head.method, resource.kind) else {
            throw Route.notAllowed(head, on: resource.kind)
        }
        if let place = placeOnPage(of: head, resource) { return exchange.respond(place) }
        if !resource.isForPeople, let problem = head.problemOfLink {
            return exchange.respond(problem.response)
        }
        let query = resource.isCheck ? QueryItems() : head.target.query
        let parameters = try Parameters(query, known: route.parameters)
        let caller = resource.isAboutTopics ? try caller(head, exchange.peer) : .unknown
        let call = Call(
            request: request, resource: resource, parameters: parameters, exchange: exchange,
            caller: caller)
        try route.serve(self)(call)
    }

    /// What a path takes; asked by a page of a configured Origin, in the words browsers want.
    private static func options(_ head: RequestHead, _ allow: String) -> Response {
        guard let preflight = head.preflight else {
            return Response(status: 204, headers: [("Allow", allow)])
        }
        let mayOnlyRead = head.crossOrigin?.mayOnlyRead == true
        let methods = allow.split(separator: ", ").filter {
            !mayOnlyRead || CrossOrigin.readingMethods.contains(String($0))
        }
        return preflight.response(
            allowingMethods: methods.joined(separator: ", "), headers: WireHeaders.accepted)
    }
}
