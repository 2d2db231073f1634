/// A subject that keeps nothing: a value goes to the subscribers that want one when it is sent.
///
/// A subscriber without demand misses the value, and so do those that subscribe later. One that
/// subscribes after the completion gets its subscription and the completion at once.
///
/// ```swift
/// let doors = PassthroughSubject<Int, Never>()
/// let lamp = doors.sink { print("door \($0) is open") }
/// doors.send(3)
/// ```
///
/// Safe from any thread; see ``Subject`` for its promises.
public final class PassthroughSubject<Output: Sendable, Failure: Error>: Subject {
    @usableFromInline let hub = SubjectHub<Output, Failure>(latest: nil)

    /// A subject without subscribers.
    @inlinable
    public init() {}

    /// Sends a value to all subscribers that have demand; after the completion, does nothing.
    @inlinable
    public func send(_ value: Output) { hub.send(value) }

    /// Sends the end to all subscribers and lets go of them; after the first one, does nothing.
    @inlinable
    public func send(completion: Subscribers.Completion<Failure>) {
        hub.send(completion: completion)
    }

    /// How many values subscribers have missed, because they had no demand or no room.
    @inlinable
    public var droppedCount: Int { hub.droppedCount }

    /// Attaches a subscriber, which gets its subscription before this returns.
    @inlinable
    public func receive<S: Subscriber>(
        subscriber: S
    ) where S.Input == Output, S.Failure == Failure {
        hub.add(subscriber)
    }
}
