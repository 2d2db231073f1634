public import Synchronization

/// One observer's standing in a broadcaster, from its registration until it is ended.
///
/// Shared by the registry and every snapshot of it, so that a notification already under way sees
/// that it was ended.
@usableFromInline
// @unchecked: the observer is only handed out, as a strong reference, to the code that notifies.
// Code that registers one has to ensure that it is safe there.
final class Registration: @unchecked Sendable {
    @usableFromInline let observer: WeakObject<AnyObject>
    /// Its place in the order of registration.
    let number: UInt64
    @usableFromInline let layout: ExistentialLayout?
    @usableFromInline let ending = Atomic(false)

    /// The registration of `observer`, which is `conforming`.
    init<P>(_ observer: AnyObject, as conforming: P, number: UInt64) {
        self.observer = WeakObject(observer)
        self.number = number
        layout = ExistentialLayout(of: conforming, object: observer)
    }

    /// Whether no call may begin any more.
    @inlinable
    var isEnded: Bool { ending.load(ordering: .acquiring) }

    /// Lets no call begin from now on.
    func end() { ending.store(true, ordering: .releasing) }

    /// The observer, while it lives.
    ///
    /// - Precondition: `P` is the protocol that it was registered for.
    @inlinable
    func observer<P>(as observed: P.Type) -> P? {
        observer.object.flatMap { ExistentialLayout.value(of: $0, as: observed, layout) }
    }
}
