public import Dispatch

// Delivery elsewhere than on the calling thread.
extension Broadcaster {
    /// Calls `body` on a queue, later, with every observer registered at this moment that is still
    /// registered then, in order of registration.
    ///
    /// Returning says nothing about any observer having been called. Two notifications of one
    /// thread to one serial queue are delivered in order. For observers of the main actor there is
    /// ``notify(_:topic:on:_:)-3yrt8``, as the compiler knows no queue to be an actor.
    ///
    /// - Complexity: O(1) here, O(observers) on the queue.
    public func notify<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, on queue: DispatchQueue,
        _ body: @escaping @Sendable (P) -> Void
    ) {
        let registrations = registrations(of: observed, topic)
        guard !registrations.isEmpty else { return }
        queue.async { Self.call(registrations, body) }
    }

    // Disfavoured: of two forms that fit, the compiler would take this one for the main actor too,
    // and then refuse observers that are isolated to it.
    /// Calls `body` on an actor with every observer registered when it runs there, in order of
    /// registration, and returns when all were called.
    ///
    /// ```swift
    /// await bus.notify((any DoorObserver).self, on: house) { $0.doorOpened(3) }
    /// ```
    ///
    /// - Complexity: O(observers), and the way to the actor.
    @_disfavoredOverload
    public func notify<P, Isolation: Actor>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, on actor: Isolation,
        _ body: @Sendable (P) -> Void
    ) async {
        await deliver(topic, on: actor, body)
    }

    /// Calls `body` on the main actor with every observer registered when it runs there, in order
    /// of registration, and returns when all were called.
    ///
    /// The protocol may be the main actor's own:
    ///
    /// ```swift
    /// @MainActor protocol PanelObserver: AnyObject { func refresh() }
    /// await bus.notify((any PanelObserver).self, on: MainActor.shared) { $0.refresh() }
    /// ```
    ///
    /// - Complexity: O(observers), and the way to the actor.
    public func notify<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, on actor: MainActor,
        _ body: @MainActor @Sendable (P) -> Void
    ) async {
        await deliverOnMain(topic, body)
    }

    /// Where nothing can be awaited: calls `body` on the main actor, later, with every observer
    /// registered at this moment that is still registered then, in order of registration.
    ///
    /// The compiler takes this form in code that is not `async`. Returning says nothing about any
    /// observer having been called; two notifications of one thread are delivered in order. Code of
    /// the main actor that wants its observers called at once names no actor.
    ///
    /// - Complexity: O(1) here, O(observers) on the main actor.
    public func notify<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, on actor: MainActor,
        _ body: @escaping @MainActor @Sendable (P) -> Void
    ) {
        let registrations = registrations(of: observed, topic)
        guard !registrations.isEmpty else { return }
        DispatchQueue.main.async {
            MainActor.assumeIsolated { Self.call(registrations, body) }
        }
    }

    private func deliver<P, Isolation: Actor>(
        _ topic: (any Hashable & Sendable)?, on actor: isolated Isolation,
        _ body: @Sendable (P) -> Void
    ) {
        notify(P.self, topic: topic) { body($0) }
    }

    @MainActor
    private func deliverOnMain<P>(
        _ topic: (any Hashable & Sendable)?, _ body: @MainActor @Sendable (P) -> Void
    ) {
        notify(P.self, topic: topic) { body($0) }
    }

    private static func call<P>(_ registrations: [Registration?], _ body: (P) -> Void) {
        for case let registration? in registrations where !registration.isEnded {
            if let observer = registration.observer(as: P.self) { body(observer) }
        }
    }
}
