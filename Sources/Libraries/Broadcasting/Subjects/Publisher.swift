/// Something that sends values over time, and perhaps ends: the first of the three parts of
/// Combine's shape, for systems that have no Combine.
///
/// A publisher calls each subscriber in this order: once `receive(subscription:)`, then
/// `receive(_:)` at most as often as the subscriber has demanded, then at most once
/// `receive(completion:)`, and nothing after that. The calls to one subscriber never overlap.
///
/// A publisher of your own owes the same to the subscribers that it calls. Where it fails to,
/// closures given to `sink` and readers of `values` still see these rules kept.
///
/// Safe from any thread.
public protocol Publisher<Output, Failure>: Sendable {
    /// The type of the values that it sends.
    associatedtype Output: Sendable
    /// How it may fail; `Never` if it cannot.
    associatedtype Failure: Error

    /// Attaches a subscriber, which gets its subscription before this returns.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
    /// Attaches a subscriber; the usual way to call ``receive(subscriber:)``.
    public func subscribe<S: Subscriber>(
        _ subscriber: S
    ) where S.Input == Output, S.Failure == Failure {
        receive(subscriber: subscriber)
    }

    /// Calls `receiveValue` with every value and `receiveCompletion` with the end.
    ///
    /// Demands without limit. Objects that the closures hold are released at the end, or at the
    /// cancellation. No call begins after `cancel()` has returned or behind the end, and there is
    /// one end only. That holds for every publisher, even one that breaks its rules.
    ///
    /// - Returns: The handle that ends it: cancelled or released, no further call begins.
    public func sink(
        receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping @Sendable (Output) -> Void
    ) -> AnyCancellable {
        let sink = Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        guard self is any KeepsItsPromises else {
            return AnyCancellable(ForeignRelay.attach(sink, to: self))
        }
        receive(subscriber: sink)
        return AnyCancellable(sink.slot)
    }
}

extension Publisher where Failure == Never {
    /// Calls `receiveValue` with every value of a publisher that cannot fail.
    ///
    /// - Returns: The handle that ends it: cancelled or released, no further call begins.
    public func sink(receiveValue: @escaping @Sendable (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}
