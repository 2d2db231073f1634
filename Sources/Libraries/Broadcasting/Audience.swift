/// The observers that a notification reaches. They are taken out of the registry under the lock,
/// and called outside of it.
@usableFromInline
enum Audience: ~Copyable {
    case nobody
    /// The only observer, held already: to hold a list of one would cost as much as the call.
    case one(AnyObject, ExistentialLayout?)
    /// The registrations, in order; nil where one was removed.
    case many([Registration?])

    /// The observers of `registrations`.
    ///
    /// May hold an observer, and so must be handed out of the lock before it is released.
    init(_ registrations: [Registration?]) {
        if registrations.count == 1, let only = registrations[0] {
            self.init(of: only)
        } else {
            self = registrations.isEmpty ? .nobody : .many(registrations)
        }
    }

    /// The observer of the only registration, which it holds while it lives.
    @inline(__always)
    init(of only: Registration) {
        let layout = only.layout
        guard let object = only.observer.object else {
            self = .nobody
            return
        }
        self = .one(object, layout)
    }

    /// Calls `body` with everybody whose registration is not ended when the turn comes.
    @inlinable
    consuming func forEach<P>(as observed: P.Type, _ body: (P) -> Void) {
        switch consume self {
        case .nobody:
            break
        case .one(let object, let layout):
            if let observer = ExistentialLayout.value(of: consume object, as: observed, layout) {
                body(observer)
            }
        case .many(let registrations):
            for case let registration? in registrations where !registration.isEnded {
                if let observer = registration.observer(as: observed) { body(observer) }
            }
        }
    }
}
