internal import Synchronization

/// One observer's entry in a broadcaster, from its registration until it is unregistered or gone.
///
/// Shared by every snapshot that holds it, so that a notification already under way sees that it
/// was ended.
// @unchecked: the weak reference is written once, at init; loading it is atomic.
final class Registration: @unchecked Sendable {
    /// Its place in the order of registration.
    let number: UInt64
    private weak var observer: AnyObject?
    private let isEnded = Atomic(false)

    init(_ observer: AnyObject, number: UInt64) {
        self.observer = observer
        self.number = number
    }

    /// The observer, unless it is gone or unregistered.
    var active: AnyObject? {
        isEnded.load(ordering: .acquiring) ? nil : observer
    }

    /// Lets no call begin from now on.
    func end() { isEnded.store(true, ordering: .releasing) }
}
