public import Dispatch

// The default bus of the process, in short.
extension Broadcaster {
    /// Adds an observer on the default bus; see the method of this name on a bus.
    public static func register<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, observer: P
    ) {
        shared.register(observed, topic: topic, observer: observer)
    }

    /// Adds an observer on the default bus until the token is released.
    public static func observe<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, observer: P
    ) -> ObserverToken {
        shared.observe(observed, topic: topic, observer: observer)
    }

    /// Ends the registrations of an observer for a protocol on the default bus.
    public static func unregister<P>(_ observed: P.Type, observer: AnyObject) {
        shared.unregister(observed, observer: observer)
    }

    /// Ends all registrations for a protocol on the default bus.
    public static func unregister<P>(_ observed: P.Type) {
        shared.unregister(observed)
    }

    /// Calls every observer of all topics of a protocol on the default bus.
    @inlinable
    public static func notify<P>(_ observed: P.Type, _ body: (P) -> Void) {
        shared.notify(observed, body)
    }

    /// Calls every observer of all topics and of one of a protocol on the default bus.
    @inlinable
    public static func notify<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)?, _ body: (P) -> Void
    ) {
        shared.notify(observed, topic: topic, body)
    }

    /// Calls observers on a queue, later, on the default bus.
    public static func notify<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, on queue: DispatchQueue,
        _ body: @escaping @Sendable (P) -> Void
    ) {
        shared.notify(observed, topic: topic, on: queue, body)
    }

    // Disfavoured for the reason of the method of this name on a bus.
    /// Calls observers on an actor, on the default bus, and returns when all were called.
    @_disfavoredOverload
    public static func notify<P, Isolation: Actor>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, on actor: Isolation,
        _ body: @Sendable (P) -> Void
    ) async {
        await shared.notify(observed, topic: topic, on: actor, body)
    }

    /// Calls observers on the main actor, on the default bus, and returns when all were called.
    public static func notify<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, on actor: MainActor,
        _ body: @MainActor @Sendable (P) -> Void
    ) async {
        await shared.notify(observed, topic: topic, on: actor, body)
    }

    /// Calls observers on the main actor, later, on the default bus, where nothing can be awaited.
    public static func notify<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, on actor: MainActor,
        _ body: @escaping @MainActor @Sendable (P) -> Void
    ) {
        shared.notify(observed, topic: topic, on: actor, body)
    }
}
