internal import Synchronization

/// One observer's standing in a broadcaster, from its registration until it is ended.
///
/// Shared by the registry and every snapshot of it, so that a notification already under way sees
/// that it was ended.
// @unchecked: the observer is only handed out, as a strong reference, to whoever notifies; those
// who register one owe that it is safe there.
final class Registration: @unchecked Sendable {
    let observer: WeakObject<AnyObject>
    /// Its place in the order of registration.
    let number: UInt64
    private let shape: ExistentialShape?
    private let ending = Atomic(false)

    /// The registration of `observer`, which is `conforming`.
    init<P>(_ observer: AnyObject, as conforming: P, number: UInt64) {
        self.observer = WeakObject(observer)
        self.number = number
        shape = ExistentialShape(of: conforming, object: observer)
    }

    /// Whether no call may begin any more.
    var isEnded: Bool { ending.load(ordering: .acquiring) }

    /// Lets no call begin from now on.
    func end() { ending.store(true, ordering: .releasing) }

    /// The observer, while it lives.
    ///
    /// - Precondition: `P` is the protocol that it was registered for.
    func observer<P>(as observed: P.Type) -> P? {
        guard let object = observer.object else { return nil }
        guard let shape else { return object as? P }
        return shape.value(of: object, as: observed)
    }
}
