internal import Dispatch
internal import Protection

/// An in-process bus: it tells every observer of a protocol about events, without knowing any.
///
/// Observers are held weakly, under the protocol they observe and perhaps one topic; being released
/// is enough to leave. The registry changes only in barrier blocks of a private concurrent queue,
/// one after the other. A notification reads a snapshot of the registry after the last of them, and
/// waits for no queue.
///
/// Promises that an observer registered on a thread is reached by every later notification of
/// that thread, that observers are called in order of registration, and that no call begins after
/// `unregister` returned: a call begins when the bus has found its observer still registered.
/// Observers may register, unregister and notify from inside a call. No observer's `deinit` runs
/// inside the bus's lock or its barrier blocks.
///
/// Does not promise that calls which had begun are over when `unregister` returns, nor an order
/// between notifications of two threads. The memory of an instance that is gone, without the
/// objects it referred to, may be kept until later registrations sweep its entry.
///
/// ```swift
/// protocol DoorObserver: AnyObject { func doorOpened(_ number: Int) }
///
/// let bus = Broadcaster()
/// bus.register((any DoorObserver).self, observer: lamp)
/// bus.notify((any DoorObserver).self) { $0.doorOpened(3) }
/// ```
///
/// Safe from any thread. Observers are called on the thread that notifies, so code that registers
/// one has to ensure that it is safe there. Topics are compared inside the bus, and must not use it
/// to do so.
public final class Broadcaster: Sendable {
    /// The default bus of the process.
    public static let shared = Broadcaster()

    private let changes = DispatchQueue(label: "belfry.broadcaster", attributes: .concurrent)
    private let registry = Protected(Registry())

    /// A bus without observers.
    public init() {}

    /// Adds an observer of a protocol, of all topics or of one; adding it twice changes nothing.
    ///
    /// An observer that does not conform to the protocol does not compile. The process stops with
    /// a sentence if it is a value, which would be gone at once, or conforms on an actor only
    /// (`: @MainActor DoorObserver`), which every other thread would ignore: such an observer needs
    /// a protocol that is `@MainActor` itself.
    ///
    /// - Complexity: O(1), amortised; O(observers of this topic) while a notification reads them.
    public func register<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, observer: P
    ) {
        add(observer, of: observed, topic)
    }

    /// Adds an observer until the returned token is released or cancelled.
    ///
    /// There is one registration for each observer, protocol and topic. The token ends it even if
    /// another call made it.
    ///
    /// - Complexity: As ``register(_:topic:observer:)-method``.
    public func observe<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, observer: P
    ) -> ObserverToken {
        let registration = add(observer, of: observed, topic)
        return ObserverToken(of: registration, at: Self.place(observed, topic), on: self)
    }

    /// Ends the registrations of an observer for a protocol, under every topic.
    ///
    /// - Complexity: O(topics of this protocol).
    public func unregister<P>(_ observed: P.Type, observer: AnyObject) {
        change { $0.remove(ObjectIdentifier(observer), of: ObjectIdentifier(observed)) }
    }

    /// Ends all registrations for a protocol.
    ///
    /// - Complexity: O(observers and topics of this protocol).
    public func unregister<P>(_ observed: P.Type) {
        change { $0.removeAll(of: ObjectIdentifier(observed)) }
    }

    /// Calls `body` with every observer of all topics registered at this moment, in order of
    /// registration.
    ///
    /// Observers that register during the call are not called, nor are those that are unregistered
    /// before their turn.
    ///
    /// - Complexity: O(observers of all topics).
    /// - Important: Observers run on the calling thread, outside every lock of the bus.
    @inlinable
    public func notify<P>(_ observed: P.Type, _ body: (P) -> Void) {
        audience(of: ObjectIdentifier(observed)).forEach(as: observed, body)
    }

    /// Calls `body` with every observer of all topics and of this one registered at this moment,
    /// in order of registration.
    ///
    /// An observer that registered both ways is called once. Without a topic this does the same as
    /// ``notify(_:_:)-method``, but costs more: to hand over that there is no topic takes as long
    /// as to call somebody.
    ///
    /// - Complexity: O(observers of all topics + observers of this topic).
    /// - Important: Observers run on the calling thread, outside every lock of the bus.
    @inlinable
    public func notify<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)?, _ body: (P) -> Void
    ) {
        guard let topic else { return notify(observed, body) }
        audience(of: ObjectIdentifier(observed), topic).forEach(as: observed, body)
    }

    /// The observers that a notification of no topic reaches at this moment.
    @usableFromInline
    func audience(of observed: ObjectIdentifier) -> Audience {
        registry.read { $0.audience(of: observed) }
    }

    /// The observers that a notification of a topic reaches at this moment.
    @usableFromInline
    func audience(of observed: ObjectIdentifier, _ topic: any Hashable & Sendable) -> Audience {
        let place = Registry.Place(observed: observed, topic: TopicKey(AnyHashable(topic)))
        return registry.read { Audience($0.registrations(at: place)) }
    }

    /// The registrations of this moment, in order.
    func registrations<P>(
        of observed: P.Type, _ topic: (any Hashable & Sendable)?
    ) -> [Registration?] {
        let place = Self.place(observed, topic)
        return registry.read { $0.registrations(at: place) }
    }

    /// Ends one registration, if it stands.
    func end(_ registration: Registration, at place: Registry.Place) {
        change { $0.remove(registration, at: place) }
    }

    /// The whole registry of this moment.
    var snapshot: Registry { registry.value }

    @discardableResult
    private func add<P>(
        _ observer: P, of observed: P.Type, _ topic: (any Hashable & Sendable)?
    ) -> Registration {
        let kind = type(of: observer as Any)
        guard kind is AnyClass else {
            fatalError("\(kind) cannot observe \(observed): it is a value, register an object")
        }
        let object = observer as AnyObject
        guard Conformance.holdsEverywhere(of: object, to: observed) else {
            fatalError(
                """
                \(kind) cannot observe \(observed): it conforms on an actor only, and observers \
                are called on any thread; isolate the protocol itself, such as with @MainActor, \
                or conform without isolation
                """)
        }
        let topic = TopicKey(topic)
        let dead = registry.read { $0.isSweepDue } ? registry.value.dead() : nil
        return change { registry in
            if let dead { registry.remove(dead) }
            return registry.add(object, as: observer, of: observed, topic: topic)
        }
    }

    /// Makes a change in a barrier block, and releases the objects it displaced outside of it: an
    /// observer's or a topic's `deinit` may use the bus.
    private func change<Result>(_ body: (inout Registry) -> Result) -> Result {
        let (result, displaced) = changes.sync(flags: .barrier) {
            registry.write { (body(&$0), $0.takeDisplaced()) }
        }
        withExtendedLifetime(displaced) {}
        return result
    }

    static func place<P>(
        _ observed: P.Type, _ topic: (any Hashable & Sendable)?
    ) -> Registry.Place {
        Registry.Place(
            observed: ObjectIdentifier(observed), topic: TopicKey(topic))
    }
}
