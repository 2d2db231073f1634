/// A value, even one that cannot be copied, that is only ever touched under its own lock.
///
/// The value cannot be reached except through ``read(_:)`` and ``write(_:)``, so a shared table
/// cannot be used unguarded by mistake. ``Protected`` adds the verbs that only values that can be
/// copied allow.
///
/// Does not promise fairness between threads, and does not allow re-entry: a block that touches the
/// same value again stops the process with a sentence, instead of hanging it. Decide inside the
/// block, act after it: no callback, C call or log line belongs under the lock. A block returns the
/// parts that it takes out of the value, so that no `deinit` runs there.
///
/// - Complexity: O(1) beside the caller's block.
/// - Important: Blocks run on the calling thread while the lock is held.
///
/// `@unchecked` because `storage` is only touched by the thread that has `lock`, for every type of
/// `Value`. The compiler then does not check one duty of the caller: a value that goes in, or that
/// a block returns, shares no mutable state with anything outside. (No reference to an object that
/// is not `Sendable` stays behind on either side.)
public class ProtectedResource<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline final let lock = Lock()

    // The lock excludes others and stops re-entry, so a second check of exclusive access would
    // find nothing.
    @exclusivity(unchecked) @usableFromInline final var storage: Value

    /// Guards `value` from now on.
    @inlinable
    public init(_ value: consuming Value) {
        storage = value
    }

    /// Returns the result of `body` for the value.
    ///
    /// - Throws: The error of `body`.
    @inlinable
    public final func read<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) in try body(storage) }
    }

    /// Changes the value in place, and returns the result of `body`.
    ///
    /// Changes that `body` made before it threw stay; ``Protected/mutate(_:)`` takes them back.
    ///
    /// - Throws: The error of `body`.
    @inlinable @discardableResult
    public final func write<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) in try body(&storage) }
    }

    /// Whether some thread, perhaps this one, is inside a block of the value or an access to it.
    ///
    /// True is about a moment that may be over by now: decide by it only whether to try later. It
    /// tries the lock and gives it back, so two threads that ask at once may find each other. Never
    /// waits, and is safe to ask from inside a block.
    @inlinable
    public final var isMutating: Bool {
        guard lock.tryLock() else { return true }
        lock.unlock()
        return false
    }
}
