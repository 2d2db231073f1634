internal import Dispatch
internal import Protection

/// An in-process bus: tells every observer of a protocol what happened, without knowing any.
///
/// Observers are held weakly, under the protocol they observe and perhaps one topic; being
/// released is enough to leave. The registry changes only in barrier blocks of a private
/// concurrent queue, one after the other; a notification reads the snapshot that the last of them
/// published, and waits for no queue.
///
/// Promises that an observer registered on a thread is reached by every later notification of
/// that thread, that observers are called in order of registration, and that no call begins after
/// `unregister` returned: a call begins when the bus has found its observer still registered.
/// Observers may register, unregister and notify from inside a call. No observer's `deinit` runs
/// inside the bus's lock or its barrier blocks.
///
/// Does not promise that calls which had begun are over when `unregister` returns, nor an order
/// between notifications of two threads. The memory of an instance that is gone, without what it
/// referred to, may be kept until later registrations sweep its entry.
///
/// ```swift
/// protocol DoorObserver: AnyObject { func doorOpened(_ number: Int) }
/// bus.register((any DoorObserver).self, observer: lamp)
/// bus.notify((any DoorObserver).self) { $0.doorOpened(3) }
/// ```
///
/// Safe from any thread. Observers are called on whatever thread notifies, so whoever registers one
/// owes that it is safe there. Topics are compared and hashed inside the bus, and must not use it
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
    /// The process stops with a sentence if `observer` does not conform to the protocol, or is a
    /// value in a box, which would be gone at once.
    ///
    /// - Complexity: O(topics of this protocol + observers of this topic), amortised.
    public func register<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, observer: AnyObject
    ) {
        guard let conforming = observer as? P else {
            fatalError(
                "\(type(of: observer)) cannot observe \(observed): it does not conform to it")
        }
        let kind = type(of: conforming as Any)
        guard kind is AnyClass else {
            fatalError("\(kind) cannot observe \(observed): it is a value, register an object")
        }
        let place = Self.place(observed, topic)
        let snapshot = registry.value
        let dead = snapshot.isSweepDue ? snapshot.dead() : nil
        change { registry in
            if let dead { registry.remove(dead) }
            registry.add(WeakObject(observer), at: place)
        }
    }

    /// Ends what an observer registered for a protocol, under every topic.
    ///
    /// - Complexity: O(topics and observers of this protocol).
    public func unregister<P>(_ observed: P.Type, observer: AnyObject) {
        change { $0.remove(ObjectIdentifier(observer), of: ObjectIdentifier(observed)) }
    }

    /// Ends all registrations for a protocol.
    ///
    /// - Complexity: O(protocols + topics of this protocol).
    public func unregister<P>(_ observed: P.Type) {
        change { $0.removeAll(of: ObjectIdentifier(observed)) }
    }

    /// Calls `body` with every observer registered at this moment, in order of registration.
    ///
    /// Reaches the observers of all topics, and with a topic those of that topic too; one that
    /// registered both ways is called once. Observers that register during the call are not
    /// called, nor are those that are unregistered before their turn.
    ///
    /// - Complexity: O(observers of all topics + observers of this topic).
    /// - Important: Observers run on the calling thread, outside every lock of the bus.
    public func notify<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, _ body: (P) -> Void
    ) {
        let place = Self.place(observed, topic)
        let snapshot = registry.value
        for case let entry? in snapshot.entries(at: place) {
            guard
                registry.read({ $0.generation }) == snapshot.generation
                    || registry.value.holds(entry, at: place),
                let observer = entry.object.object as? P
            else { continue }
            body(observer)
        }
    }

    /// Makes a change in a barrier block, and releases what it displaced outside of it: a topic's
    /// `deinit` may use the bus.
    private func change(_ body: (inout Registry) -> Void) {
        let displaced = changes.sync(flags: .barrier) {
            var next = registry.value
            body(&next)
            return registry.write { current in
                defer { current = next }
                return current
            }
        }
        withExtendedLifetime(displaced) {}
    }

    private static func place<P>(
        _ observed: P.Type, _ topic: (any Hashable & Sendable)?
    ) -> Registry.Place {
        Registry.Place(
            observed: ObjectIdentifier(observed), topic: topic.map { AnyHashable($0) })
    }
}
