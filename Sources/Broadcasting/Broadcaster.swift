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
/// `unregister` returned. Observers may register, unregister and notify from inside a call.
///
/// Does not promise that calls which had begun are over when `unregister` returns, nor an order
/// between notifications of two threads.
///
/// ```swift
/// protocol DoorObserver: AnyObject { func doorOpened(_ number: Int) }
/// bus.register((any DoorObserver).self, observer: lamp)
/// bus.notify((any DoorObserver).self) { $0.doorOpened(3) }
/// ```
///
/// Safe from any thread.
public final class Broadcaster: Sendable {
    /// The default bus of the process.
    public static let shared = Broadcaster()

    private let changes = DispatchQueue(label: "belfry.broadcaster", attributes: .concurrent)
    private let registry = Protected(Registry())

    /// A bus without observers.
    public init() {}

    /// Adds an observer of a protocol, of all topics or of one; adding it twice changes nothing.
    ///
    /// The process stops with a sentence if `observer` does not conform to the protocol, as no
    /// value type can.
    ///
    /// - Complexity: O(observers of this protocol and topic).
    public func register<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, observer: AnyObject
    ) {
        guard observer is P else {
            fatalError(
                "\(type(of: observer)) cannot observe \(observed): it does not conform to it")
        }
        let key = Registry.Key(
            observed: ObjectIdentifier(observed), topic: topic.map { AnyHashable($0) })
        change { $0.add(observer, to: key) }
    }

    /// Ends what an observer registered for a protocol, under every topic.
    ///
    /// - Complexity: O(topics and observers of this protocol).
    public func unregister<P>(_ observed: P.Type, observer: AnyObject) {
        change { $0.remove(observer, of: ObjectIdentifier(observed)) }
    }

    /// Ends all registrations for a protocol.
    ///
    /// - Complexity: O(topics and observers of this protocol).
    public func unregister<P>(_ observed: P.Type) {
        change { $0.removeAll(of: ObjectIdentifier(observed)) }
    }

    /// Calls `body` with every observer registered at this moment, in order of registration.
    ///
    /// Reaches the observers of all topics, and with a topic those of that topic too. Observers
    /// that register during the call are not called.
    ///
    /// - Complexity: O(observers of this protocol and topic).
    /// - Important: Observers run on the calling thread, outside every lock of the bus.
    public func notify<P>(
        _ observed: P.Type, topic: (any Hashable & Sendable)? = nil, _ body: (P) -> Void
    ) {
        let everything = Registry.Key(observed: ObjectIdentifier(observed), topic: nil)
        let topical = topic.map {
            Registry.Key(observed: everything.observed, topic: AnyHashable($0))
        }
        let (general, particular) = registry.read { registry in
            (registry.list(everything), topical.map { registry.list($0) } ?? [])
        }
        for registration in Self.merged(general, particular) {
            // Conformance was checked at registration; a protocol metatype `P` cannot be demanded
            // to be a class protocol, so the cast stays.
            if let observer = registration.active as? P { body(observer) }
        }
    }

    /// Makes a change in a barrier block, and releases what it displaced outside of it: an
    /// observer's `deinit` may use the bus.
    private func change(_ body: (inout Registry) -> [AnyObject]) {
        let displaced = changes.sync(flags: .barrier) {
            var next = registry.value
            let displaced = body(&next)
            let previous = registry.write { current in
                defer { current = next }
                return current
            }
            return (displaced, previous)
        }
        withExtendedLifetime(displaced) {}
    }

    private static func merged(
        _ left: [Registration], _ right: [Registration]
    ) -> [Registration] {
        if right.isEmpty { return left }
        if left.isEmpty { return right }
        return (left + right).sorted { $0.number < $1.number }
    }
}
