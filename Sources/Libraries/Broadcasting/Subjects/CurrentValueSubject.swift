/// A subject that keeps the value sent last.
///
/// A new subscriber gets the current value with its first demand. One without demand misses values,
/// but not the latest: that is delivered when demand arrives. One that subscribes after the
/// completion gets its subscription and the completion at once, and no value.
///
/// ```swift
/// let level = CurrentValueSubject<Int, Never>(0)
/// let gauge = level.sink { print("level \($0)") }  // level 0
/// level.value = 5                                  // level 5
/// level.update { $0 += 1 }                         // level 6
/// ```
///
/// Safe from any thread; see ``Subject`` for its promises. The last value that a subscriber gets is
/// the one that ``value`` has, as all values are put in one order.
public final class CurrentValueSubject<Output: Sendable, Failure: Error>: Subject {
    @usableFromInline let hub: SubjectHub<Output, Failure>

    /// A subject with `value` as its current one.
    @inlinable
    public init(_ value: Output) {
        hub = SubjectHub(latest: .some(value))
    }

    /// The value sent last; setting it sends. After the completion it stays the same.
    ///
    /// Changing it in place is a read and a send, and may undo a value that another thread sent in
    /// between: ``update(_:)`` is for that.
    @inlinable
    public var value: Output {
        get {
            guard let latest = hub.latest else { fatalError("the current value is missing") }
            return latest
        }
        set { hub.send(newValue) }
    }

    /// Changes the current value by `change`, and sends it, in one step: no value of another thread
    /// comes in between, and none is lost.
    ///
    /// After the completion, does not call `change`. Nothing is changed or sent if it throws.
    ///
    /// - Returns: The value that is current then.
    /// - Throws: The error that `change` throws.
    /// - Complexity: O(subscribers), and a copy of the value where `change` changes it.
    /// - Important: `change` runs under the subject's lock. Using the subject inside stops the
    ///   process with a sentence.
    @inlinable @discardableResult
    public func update<Reason: Error>(
        _ change: (inout Output) throws(Reason) -> Void
    ) throws(Reason) -> Output {
        try hub.update(change)
    }

    /// Makes a value the current one, and sends it; after the completion, does nothing.
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
