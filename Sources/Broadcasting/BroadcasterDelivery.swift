public import Dispatch

// Delivery elsewhere than on the calling thread.
extension Broadcaster {
    /// Calls `body` on a queue, later, with every observer registered at this moment that is still
    /// registered then, in order of registration.
    ///
    /// Returning says nothing about any observer having been called. Two notifications of one
    /// thread to one serial queue are delivered in order.
    ///
    /// - Complexity: O(1) here, O(observers) on the queue.
    public func notify<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, on queue: DispatchQueue,
        _ body: @escaping @Sendable (P) -> Void
    ) {
        let registrations = registrations(of: observed, topic)
        guard !registrations.isEmpty else { return }
        queue.async {
            for case let registration? in registrations where !registration.isEnded {
                if let observer = registration.observer(as: P.self) { body(observer) }
            }
        }
    }

    /// Calls `body` on an actor with every observer registered when it runs there, in order of
    /// registration; from elsewhere, awaiting it waits for the calls.
    ///
    /// ```swift
    /// await bus.notify((any DoorObserver).self, on: MainActor.shared) { $0.doorOpened(3) }
    /// ```
    ///
    /// - Complexity: O(observers), and the way to the actor.
    public func notify<P, Isolation: Actor>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil,
        on actor: isolated Isolation, _ body: @Sendable (P) -> Void
    ) {
        notify(observed, topic: topic) { body($0) }
    }
}
