internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Wire

extension BusHandler {
    /// `GET /subscribers`: lists who waits for events, as far as the caller may know of them.
    func listSubscribers(_ call: borrowing Call) throws(Refusal) {
        let topic: TopicName?
        do throws(NameError) {
            topic = try call.parameters.text("topic").map { text throws(NameError) in
                try TopicName(text)
            }
        } catch {
            throw Refusal(.parameterInvalid, "'topic' is no topic: \(error.detail)")
        }
        let late = LateAnswer(on: self)
        SubscriberListing(
            of: topic, for: call.caller, on: service, unless: late.cancellation,
            answer: late.begin(call.exchange)
        ).begin(for: call.exchange.account)
    }

    /// Describes the subscribers of this loop, of one topic or all, in as many turns as it takes.
    func describeSubscribers(
        of topic: TopicName?, unless cancellation: Cancellation,
        _ then: @escaping @Sendable ([SubscriberDescription]) -> Void
    ) {
        var found: SubscriptionTable.Found = []
        if let topic {
            var matching: [SubscriptionTable.Woken] = []
            subscriptions.find(matching: [topic], into: &matching)
            for group in matching { found += group.members }
        } else {
            found = subscriptions.all
        }
        describe(found, [], unless: cancellation, then)
    }

    private func describe(
        _ found: SubscriptionTable.Found, _ described: [SubscriberDescription],
        unless cancellation: Cancellation,
        _ then: @escaping @Sendable ([SubscriberDescription]) -> Void
    ) {
        var (found, described) = (found, described)
        while let subscription = found.last, budget.isLeft(for: .judgements),
            !cancellation.isCancelled
        {
            budget.begin(.judgements, 1)
            found.removeLast()
            guard subscription.isSubscriber, subscription.place != nil,
                let description = SubscriberDescription(subscription, now: bus.now)
            else { continue }
            described.append(description)
        }
        guard !found.isEmpty, !cancellation.isCancelled else { return then(described) }
        // It is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let left = found
        loop.post { [described] handler in
            (handler as! BusHandler).describe(left, described, unless: cancellation, then)
        }
    }
}

/// Somebody who waited for events at one moment.
struct SubscriberDescription: Sendable {
    let caller: Caller
    let selector: Selector
    private let filter: EventFilter
    private let form: DeliveryForm
    private let pid: Int32?
    let since: Timestamp
    /// How far it is; nil where it looks for its place yet.
    private let cursor: EventID?
    private let isCaughtUp: Bool

    /// Nil for one that was answered.
    init?(_ subscription: any HTTPSubscription, now: Timestamp) {
        guard let origin = subscription.origin else { return nil }
        let reader = subscription.reader
        caller = subscription.caller
        selector = reader.selector
        filter = reader.filter
        form = subscription.form
        pid = origin.peer.pid
        since = now.advanced(microseconds: -1_000 * Int64(origin.milliseconds))
        cursor = reader.isPlaced ? reader.cursor : nil
        isCaughtUp = reader.isCaughtUp && !reader.isFetching
    }

    /// Writes it as the list shows it, with the text of its selector. Adds the steps that it took to count what it
    /// has not been told.
    func write(
        _ text: String, to json: inout JSONWriter, countedBy bus: EventBus, _ steps: inout Int
    ) {
        json.beginObject()
        json.member("selector", text)
        for attribute in EventAttribute.all {
            guard let name = WireAttribute.row(attribute).filter else { continue }
            json.name(name)
            json.optional(filter[attribute]) { $0.string($1) }
        }
        json.member("form", form.rawValue)
        json.name("user")
        json.optional(caller.uid) { $0.integer(Int($1)) }
        json.member("token", caller.token?.name)
        json.name("pid")
        json.optional(pid) { $0.integer(Int($1)) }
        json.member("since", since.rfc3339)
        json.member("cursor", cursor)
        json.member("behind", behind(bus, &steps))
        json.endObject()
    }

    private func behind(_ bus: EventBus, _ steps: inout Int) -> Int? {
        guard let cursor, !isCaughtUp else { return cursor.map { _ in 0 } }
        return bus.count(
            behind: LogPosition(after: cursor), matching: selector, filter: filter, &steps)
    }
}
