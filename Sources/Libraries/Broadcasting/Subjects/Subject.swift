/// A publisher that sends the values and the end that it is given.
///
/// Safe from any thread. All subscribers get the same values in the same order: those of one
/// sending thread in the order it sent them, and nothing after the completion. The calls to one
/// subscriber never overlap. Values sent during a call wait, 65,536 at the least; beyond that they
/// are dropped and counted, see ``Subscription/droppedCount``. The thread that calls the subscriber
/// delivers them after the call. So a send from inside of a call returns before its value has
/// arrived there.
///
/// Does not promise that a value has arrived when `send` returns, if another thread was calling the
/// subscriber, nor on which of the sending threads it arrives.
///
/// A subject keeps its subscribers; their subscriptions do not keep the subject. Once it is
/// released its subscribers are let go: without a call, as nobody has said how it ended. So a
/// closure that sends to its own subject holds it weakly, or the two keep each other until the end.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    /// Sends a value to all subscribers; after the completion, does nothing.
    ///
    /// - Complexity: O(subscribers).
    /// - Important: Subscribers are called on this thread, outside of every lock.
    func send(_ value: Output)

    /// Sends the end to all subscribers and lets go of them; after the first one, does nothing.
    ///
    /// It comes behind the values that were sent before, and needs no demand.
    func send(completion: Subscribers.Completion<Failure>)

    /// How many values subscribers have missed, because they had no demand or no room: the sum over
    /// all that ever subscribed.
    var droppedCount: Int { get }
}

extension Subject where Output == Void {
    /// Sends the signal.
    public func send() { send(()) }
}
