/// Who a notification reaches: what it takes out of the registry under the lock, to call outside.
@usableFromInline
enum Audience {
    case nobody
    /// The only observer, held already: to hold a list of one would cost as much as the call.
    case one(AnyObject, ExistentialShape?)
    /// The registrations, in order; nil where one was removed.
    case many([Registration?])

    /// Those of `registrations`.
    ///
    /// May hold an observer, and so must be handed out of the lock before it is released.
    @inline(__always)
    init(_ registrations: [Registration?]) {
        guard registrations.count == 1, let only = registrations[0] else {
            self = registrations.isEmpty ? .nobody : .many(registrations)
            return
        }
        self = only.observer.object.map { .one($0, only.shape) } ?? .nobody
    }

    /// Calls `body` with everybody whose registration is not ended when the turn comes.
    @inlinable
    func forEach<P>(as observed: P.Type, _ body: (P) -> Void) {
        switch self {
        case .nobody:
            break
        case .one(let object, let shape):
            if let observer = ExistentialShape.value(of: object, as: observed, shape) {
                body(observer)
            }
        case .many(let registrations):
            for case let registration? in registrations where !registration.isEnded {
                if let observer = registration.observer(as: observed) { body(observer) }
            }
        }
    }
}
