internal import HTTPFront
internal import Queues
internal import Telemetry
internal import Topics

/// The requests that wait on one loop. It brings each up to date with admitted events, judges it by
/// new access rules, and ends it.
///
/// Belongs to its loop. No turn does more than its budget allows. The rest is for the next turn.
final class Waits {
    /// The subscriptions, found by the topics that they wait for.
    let subscriptions: SubscriptionTable
    /// The other waits, each with the account that counts it, if one does.
    private(set) var others: [ObjectIdentifier: (wait: any LoopWait, account: CallerAccount?)] = [:]
    private let bus: EventBus
    /// Waiting requests of all loops.
    private let waiting: Gauge
    private let meters: BusMeters
    private let reads: ReadCoalescer
    private let loop: LoopHandle
    private let budget: TurnBudget
    private let waker: LoopWaker
    private var gate: AccessGate
    private var configuration: BusAPIConfiguration
    /// The changes to deliver, while they are looked at.
    private var admitted = LoopWaker.Changes()
    private var deliveries = DeliveryQueue()
    /// Waits that are to end, before anything else is delivered.
    private var endings = Ring<Ending>()
    /// Whether a later turn delivers on.
    private var deliversOn = false
    /// Whether a later turn takes out selectors that nobody waits for any more.
    private var clearsVacant = false
    /// Waits that are yet to be judged by the current rules.
    private var notReauthorized: [any LoopWait] = []
    /// Position up to which events were delivered when the current judging began.
    private var judgedThrough = EventID.zero

    init(
        _ service: BusService, _ gate: AccessGate, _ configuration: BusAPIConfiguration,
        _ reads: ReadCoalescer, on loop: LoopHandle, within budget: TurnBudget, _ meters: BusMeters
    ) {
        bus = service.bus
        waiting = service.waiting
        subscriptions = SubscriptionTable(memory: service.memory)
        self.gate = gate
        self.configuration = configuration
        self.reads = reads
        self.loop = loop
        self.budget = budget
        self.meters = meters
        waker = LoopWaker { loop.onBus { $0.waits.deliver() } }
        bus.broadcaster.register((any TopicObserver).self, observer: waker)
    }

    deinit {
        while subscriptions.hasVacant {
            subscriptions.clearOneVacant(bus.forgetSubscriptions(to:))
        }
    }

    // MARK: Limits of waiting

    /// Refuses one more waiting request if there are as many as there may be.
    func refuseIfFull(for account: CallerAccount) throws(Refusal) {
        let waitingMax = configuration.subscribersMax
        guard waiting.value < waitingMax else {
            throw Refusal(
                .limitBus,
                "\(waitingMax) requests are waiting already (poll.subscribers in belfryd.conf); try again "
                    + "later.")
        }
        let callerMax = configuration.subscribersPerUIDMax
        guard account.subscribers.value < callerMax else {
            throw Refusal(
                .limitCaller,
                "\(account.name) may have \(callerMax) waiting requests, and has "
                    + "(poll.subscribers_per_uid in belfryd.conf); end some first.")
        }
    }

    /// Refuses one more subscription if there are as many as there may be.
    func refuseIfFull(
        _ selector: Selector, _ filter: EventFilter, for account: CallerAccount
    ) throws(Refusal) {
        try refuseIfFull(for: account)
        guard subscriptions.hasRoom(for: selector, filter) else {
            throw Refusal(
                .limitBus,
                "The patterns, lists and attributes of waiting requests fill their share of memory (a quarter of "
                    + "bus.memory_bytes in belfryd.conf): use a pattern that matches more, or try "
                    + "again later.")
        }
        if let topicMax = configuration.subscribersPerTopicMax, let topic = selector.singleName,
            bus.subscriptions(to: topic) >= topicMax
        {
            throw Refusal(
                .limitBus,
                "\(topicMax) requests are waiting for '\(topic)' already (poll.subscribers_per_topic in "
                    + "belfryd.conf); try again later.")
        }
    }

    // MARK: Waiting requests

    /// Takes in a request that waits, until ``leave(_:)``.
    ///
    /// - Parameter account: The account that counts it as a waiting request; nil if it is none.
    func enter(_ wait: any LoopWait, for account: CallerAccount?) {
        others[ObjectIdentifier(wait)] = (wait, account)
        if let account { count(1, for: account) }
    }

    /// Forgets a request, if it had entered.
    func leave(_ wait: any LoopWait) {
        let entry = others.removeValue(forKey: ObjectIdentifier(wait))
        if let account = entry?.account { count(-1, for: account) }
    }

    /// Counts a subscription for its caller, and wakes it for new events, until
    /// ``unsubscribe(_:)``.
    func subscribe(_ subscription: any HTTPSubscription, for account: CallerAccount) {
        count(1, for: account)
        subscription.account = account
        subscription.accessNumber = gate.number
        meters.subscribers(in: subscription.form).add(1)
        enroll(subscription)
    }

    /// Forgets a subscription; called once.
    func unsubscribe(_ subscription: any HTTPSubscription) {
        subscription.reader.cancel()
        withdraw(subscription)
        if let account = subscription.account { count(-1, for: account) }
        subscription.account = nil
        meters.subscribers(in: subscription.form).add(-1)
    }

    private func count(_ change: Int, for account: CallerAccount) {
        waiting.add(change)
        account.subscribers.add(change)
    }

    /// Puts a subscription that has looked at the log into the loop's table, and on the bus's count.
    ///
    /// Events that were admitted after its look and before it counted have not woken it. So it
    /// looks once more.
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
    /// If nobody waits for its selector then, a later turn takes the selector out: many may go
    /// together, and the next request of a poll still finds it.
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
        goOn { $0.clearOn() }
    }

    private func clearOn() {
        while subscriptions.hasVacant, budget.isLeft(for: .removals) {
            let terms = subscriptions.clearOneVacant(bus.forgetSubscriptions(to:))
            budget.begin(.removals, Limits.clearedSelectorSteps + terms)
        }
        clearsVacant = subscriptions.hasVacant
        if clearsVacant { goOn { $0.clearOn() } }
    }

    // MARK: Deliveries

    /// Brings the waiting requests up to date with everything admitted since the last time.
    func deliver() {
        waker.take(for: &admitted)
        for (topic, place) in admitted.removed {
            for subscription in subscriptions.all(named: topic) {
                endings.append(.removal(subscription, at: place))
            }
        }
        deliveries.add(through: admitted.through) { woken in
            subscriptions.find(matching: admitted.topics, into: &woken)
        }
        admitted.clear()
        if !deliversOn, hasNews { deliverOn() }
    }

    /// Delivers events just published to a topic before their publisher is answered, if the topic
    /// has few subscribers. The answer with the publisher's wake-up would come between the events
    /// and them.
    func deliverFirst(to topic: TopicName) {
        let count = subscriptions.count(matching: topic)
        if count > 0, count <= Limits.deliveredFirstMax { deliver() }
    }

    /// Ends all waits, because the bus is leaving.
    func drain() {
        for wait in all { endings.append(.drain(wait)) }
        if !deliversOn { deliverOn() }
    }

    /// Has a subscription go on to where this loop has delivered, if it has told everything that it
    /// was woken for.
    func skip(_ subscription: any HTTPSubscription) {
        reauthorize(subscription)
        subscription.reader.skip(to: deliveredThrough)
    }

    /// The reason why a wait ends.
    private enum Ending {
        /// The topic of a subscription was removed, at this place in the order.
        case removal(any HTTPSubscription, at: EventID)
        /// The bus is leaving.
        case drain(any LoopWait)

        func tell() {
            switch self {
            case .removal(let subscription, let place):
                if subscription.isWaiting { subscription.topicRemoved(at: place) }
            case .drain(let wait): if wait.isWaiting { wait.drain() }
            }
        }
    }

    /// All waits of this moment. Some may end before they are told something.
    private var all: [any LoopWait] {
        subscriptions.all.map { $0 } + others.values.map(\.wait)
    }

    /// A waiting request that has told everything it was woken for has told everything up to here.
    private var deliveredThrough: EventID {
        if let quiet = waker.quietThrough { deliveries.add(through: quiet) { _ in } }
        return deliveries.deliveredThrough
    }

    /// Whether a wait is yet to be told something.
    private var hasNews: Bool { !deliveries.isEmpty || !endings.isEmpty }

    private func deliverOn() {
        deliversOn = false
        // A turn that had mail may have delivered some already.
        while !endings.isEmpty, budget.isLeft(for: .deliveries) {
            budget.begin(.deliveries, Limits.deliverySteps)
            endings.removeFirst().tell()
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
        goOn { $0.deliverOn() }
    }

    // MARK: Access

    /// Takes over a configuration. If its rules are others, the waits are judged by them.
    func reconfigure(_ configuration: BusAPIConfiguration, _ gate: AccessGate) {
        self.configuration = configuration
        guard gate !== self.gate else { return }
        self.gate = gate
        let isReauthorizing = !notReauthorized.isEmpty
        notReauthorized = all
        guard !isReauthorizing else { return }
        judgedThrough = deliveredThrough
        reauthorizeOn()
    }

    /// Judges the waits by rules that have changed, some at a time. A wait that is told something
    /// earlier is judged at that moment.
    private func reauthorizeOn() {
        while !notReauthorized.isEmpty, budget.isLeft(for: .judgements) {
            budget.begin(.judgements, 1)
            notReauthorized.removeLast().reauthorize()
        }
        if !notReauthorized.isEmpty { goOn { $0.reauthorizeOn() } }
    }

    /// Judges a subscription by the current rules and tokens. Ends it if it is no longer allowed,
    /// or limits it to the topics that its caller may know of now. Does nothing to one that they
    /// have judged before.
    func reauthorize(_ subscription: any HTTPSubscription) {
        guard subscription.accessNumber != gate.number, subscription.place != nil else { return }
        subscription.accessNumber = gate.number
        let caller = subscription.caller
        let selector = subscription.reader.selector
        budget.add(Limits.judgementSteps)
        do throws(Refusal) {
            try gate.requireStillKnown(caller)
            let readable = try gate.readable(selector, by: caller)
            if readable != selector { limit(subscription, to: readable) }
        } catch {
            subscription.deny(error)
        }
    }

    private func limit(_ subscription: any HTTPSubscription, to selector: Selector) {
        withdraw(subscription)
        subscription.reader.skip(to: judgedThrough)
        subscription.reader.limit(to: selector)
        enroll(subscription)
        subscription.advance(nil)
    }

    /// Goes on at the end of this turn, or in a later one.
    private func goOn(_ job: @escaping @Sendable (Waits) -> Void) {
        // It is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let waits = self
        loop.post { _ in job(waits) }
    }
}
