/// Something that receives the values of a publisher as fast as it has said it will.
///
/// The calls come one after the other, though not always on the same thread. They may send,
/// subscribe, demand and cancel. The effects of that on this subscriber itself come after the call
/// has returned.
///
/// - Important: Publishers keep a subscriber until it has ended or was cancelled.
public protocol Subscriber<Input, Failure>: Sendable {
    /// The type of the values that it receives.
    associatedtype Input: Sendable
    /// How its publisher may fail; `Never` if it cannot.
    associatedtype Failure: Error

    /// Comes first and once, with the subscription to demand values by, and to cancel.
    func receive(subscription: any Subscription)

    /// Comes with each value.
    ///
    /// - Returns: How many more values it will take, beside those that it has demanded already.
    func receive(_ input: Input) -> Subscribers.Demand

    /// Comes last and once, even without demand; not after a cancellation.
    func receive(completion: Subscribers.Completion<Failure>)
}

/// The place of the types that subscribers and publishers tell each other.
public enum Subscribers {}

extension Subscribers {
    /// How a publisher has ended.
    public enum Completion<Failure: Error>: Sendable {
        /// All values were sent.
        case finished
        /// No further value can be sent, for this reason.
        case failure(Failure)
    }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}
