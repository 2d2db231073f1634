internal import Access
internal import HTTPFront
internal import JSON
internal import Protection
internal import Topics

/// One list of the subscribers that wait for events. Each loop describes its own subscribers. Those
/// that the caller may know of are written beside the loops, some at a time.
///
/// A user has one such list under way: the others wait in that user's line.
final class SubscriberListing: Sendable {
    private let topic: TopicName?
    private let caller: Caller
    private let service: BusService
    private let cancellation: Cancellation
    private let answer: @Sendable (Response) -> Void
    private let progress = Protected(Progress())

    /// The progress of the list.
    private struct Progress {
        /// Loops that have not told their subscribers.
        var loopsLeft = 0
        var found: [SubscriberDescription] = []
        /// The described subscribers in the order of the list, with the texts of their selectors.
        /// It grows until every subscriber has its text, and is sorted then.
        var rows: [(selector: String, subscriber: SubscriberDescription)] = []
        var next = 0
        var json = JSONWriter()
        /// The rules under which it was written so far.
        var access: AccessPolicy?

        /// Begins to write, by these rules.
        mutating func begin(_ access: AccessPolicy) {
            self.access = access
            next = 0
            json = JSONWriter()
            json.beginObject()
            json.name("subscribers")
            json.beginArray()
        }
    }

    /// A list of the subscribers to a topic, or of all.
    init(
        of topic: TopicName?, for caller: Caller, on service: BusService,
        unless cancellation: Cancellation, answer: @escaping @Sendable (Response) -> Void
    ) {
        self.topic = topic
        self.caller = caller
        self.service = service
        self.cancellation = cancellation
        self.answer = answer
    }

    /// Answers soon, on the thread of the long reads.
    func begin(for account: CallerAccount?) {
        service.backgroundReads.addOneByOne(for: account, unless: cancellation) { [self] over in
            gather {
                over()
                self.write(for: account)
            }
        }
    }

    /// Has each loop describe its subscribers; `then` runs on the last one.
    private func gather(_ then: @escaping @Sendable () -> Void) {
        let loops = service.loops
        progress.write { $0.loopsLeft = loops.count }
        for loop in loops {
            loop.onBus { [self] loop in
                describe(on: loop) { found in
                    let isLast = self.progress.write { progress in
                        progress.found += found
                        progress.loopsLeft -= 1
                        return progress.loopsLeft == 0
                    }
                    if isLast { then() }
                }
            }
        }
    }

    /// Describes the subscribers of a loop, in as many turns as it takes.
    private func describe(
        on loop: BusLoop, _ then: @escaping @Sendable ([SubscriberDescription]) -> Void
    ) {
        let subscriptions = loop.waits.subscriptions
        var found: SubscriptionTable.Found = []
        if let topic {
            var matching: [SubscriptionTable.Woken] = []
            subscriptions.find(matching: [topic], into: &matching)
            for group in matching { found += group.members }
        } else {
            found = subscriptions.all
        }
        describe(found, [], on: loop, then)
    }

    private func describe(
        _ found: SubscriptionTable.Found, _ described: [SubscriberDescription], on loop: BusLoop,
        _ then: @escaping @Sendable ([SubscriberDescription]) -> Void
    ) {
        var (found, described) = (found, described)
        while let subscription = found.last, loop.budget.isLeft(for: .judgements),
            !cancellation.isCancelled
        {
            loop.budget.begin(.judgements, 1)
            found.removeLast()
            guard subscription.isSubscriber, subscription.place != nil,
                let description = SubscriberDescription(subscription, now: service.bus.now)
            else { continue }
            described.append(description)
        }
        guard !found.isEmpty, !cancellation.isCancelled else { return then(described) }
        // It is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let left = found
        loop.handle.onBus { [self, described] in describe(left, described, on: $0, then) }
    }

    private func write(for account: CallerAccount?) {
        let count = progress.read { $0.found.count }
        let room = service.answers.room(
            for: service.answers.guess(count * Limits.listedSubscriberBytes))
        service.backgroundReads.add(for: account, unless: cancellation, in: room) { [self] in
            goOn(in: room)
        }
    }

    /// Writes the next ones; false once it has answered.
    private func goOn(in room: ResponseReservation) -> Bool {
        let access: AccessPolicy
        do throws(Refusal) { access = try service.access(for: caller) } catch {
            answer(error.response)
            return false
        }
        var progress = progress.write { progress in
            let taken = progress
            progress = Progress()
            return taken
        }
        var left = Limits.subscriberStepsPerTurn
        // A comparison that wrote the text of a selector each time would do so again and again.
        while let subscriber = progress.found.last, left > 0 {
            progress.found.removeLast()
            progress.rows.append((subscriber.selector.description, subscriber))
            left -= subscriber.selector.termCount
            if progress.found.isEmpty { progress.rows.sort(by: Self.isBefore) }
        }
        guard progress.found.isEmpty else {
            self.progress.write { $0 = progress }
            return true
        }
        // By other rules it begins anew.
        if progress.access != access { progress.begin(access) }
        while progress.next < progress.rows.count, left > 0 {
            let (selector, subscriber) = progress.rows[progress.next]
            progress.next += 1
            left -= Limits.judgementSteps * subscriber.selector.termCount
            guard mayKnow(of: subscriber, by: access) else { continue }
            var steps = 0
            subscriber.write(selector, to: &progress.json, countedBy: service.bus, &steps)
            left -= steps
        }
        guard progress.next == progress.rows.count else {
            self.progress.write { $0 = progress }
            return true
        }
        progress.json.endArray()
        progress.json.endObject()
        answer(
            Response(
                status: 200, headers: [("Content-Type", "application/json")],
                body: .made(progress.json.finished(), in: room)))
        return false
    }

    private static func isBefore(
        _ left: (selector: String, subscriber: SubscriberDescription),
        _ right: (selector: String, subscriber: SubscriberDescription)
    ) -> Bool {
        left.selector == right.selector
            ? left.subscriber.since < right.subscriber.since : left.selector < right.selector
    }

    private func mayKnow(of subscriber: SubscriberDescription, by access: AccessPolicy) -> Bool {
        subscriber.caller.isKnown(as: caller)
            || access.seesOthers(
                at: subscriber.selector, madeBy: { service.bus.description(of: $0)?.owner }, caller)
    }
}
