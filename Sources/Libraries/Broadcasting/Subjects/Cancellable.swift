/// Something that can be called off.
///
/// Safe from any thread; to cancel twice is to cancel once.
public protocol Cancellable: Sendable {
    /// Calls it off: nothing comes after this has returned.
    ///
    /// So a call to the subscriber that is running on another thread is waited for. From inside
    /// of a call to a subscriber, this one or any other, nothing is waited for, as two that cancel
    /// each other would never return: then no further call begins, and only one that has already
    /// begun may still be running.
    ///
    /// - Important: Do not hold a lock that the subscriber takes; nor be a task's cancellation
    ///   handler when it is that task which the subscriber resumes, as the system holds a lock of
    ///   its own around handlers. Release an ``AnyCancellable`` there: that never waits.
    func cancel()
}

extension Cancellable {
    /// Keeps it in a set, with whose members it will be released and so cancelled.
    public func store(in set: inout Set<AnyCancellable>) {
        set.insert(self as? AnyCancellable ?? AnyCancellable(self))
    }

    /// Keeps it at the end of a collection, with whose elements it will be released and so
    /// cancelled.
    public func store<C: RangeReplaceableCollection>(
        in collection: inout C
    ) where C.Element == AnyCancellable {
        collection.append(self as? AnyCancellable ?? AnyCancellable(self))
    }
}
