/// A subscriber made of two closures, which demands without limit.
final class Sink<Input: Sendable, Failure: Error>: Subscriber {
    /// The slot that cancels it; does not keep the closures, so they go with the end.
    let slot = SubscriptionSlot()

    private let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void
    private let receiveValue: @Sendable (Input) -> Void

    init(
        receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping @Sendable (Input) -> Void
    ) {
        self.receiveCompletion = receiveCompletion
        self.receiveValue = receiveValue
    }

    func receive(subscription: any Subscription) {
        if slot.fill(subscription) { subscription.request(.unlimited) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        receiveValue(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        slot.empty()
        receiveCompletion(completion)
    }
}
