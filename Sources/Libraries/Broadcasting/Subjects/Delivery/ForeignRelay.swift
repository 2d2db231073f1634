/// A relay between a sink and a publisher that the library did not write. The sink gets all that
/// ``Publisher`` promises, even if that publisher breaks its rules.
///
/// It passes everything on through a subject of its own, which has the rules already: one call at
/// a time, nothing after the end or the cancellation, one end, and a cancellation that waits for
/// the running call unless two would wait for each other.
final class ForeignRelay<Input: Sendable, Failure: Error>: Subscriber {
    private let subject = PassthroughSubject<Input, Failure>()
    private let slot = SubscriptionSlot()

    /// Attaches `sink` to `publisher`.
    ///
    /// - Returns: The handle that cancels it. Keeps neither the relay nor the closures of the sink.
    static func attach(
        _ sink: Sink<Input, Failure>, to publisher: some Publisher<Input, Failure>
    ) -> some Cancellable {
        let relay = ForeignRelay()
        relay.subject.receive(subscriber: sink)
        publisher.receive(subscriber: relay)
        return Bonds(near: sink.slot, far: relay.slot)
    }

    func receive(subscription: any Subscription) {
        if slot.fill(subscription) { subscription.request(.unlimited) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        subject.send(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        slot.empty()
        subject.send(completion: completion)
    }

    /// Both subscriptions: the sink's, and the one with the foreign publisher.
    private struct Bonds: Cancellable {
        let near: SubscriptionSlot
        let far: SubscriptionSlot

        /// The near one first: the foreign publisher may call once more while it is cancelled.
        func cancel() {
            near.cancel()
            far.cancel()
        }
    }
}

/// A publisher that keeps by itself all that ``Publisher`` promises, so that a sink needs no relay.
///
/// Not public: nobody else's word is taken for it.
protocol KeepsItsPromises {}

extension PassthroughSubject: KeepsItsPromises {}
extension CurrentValueSubject: KeepsItsPromises {}
