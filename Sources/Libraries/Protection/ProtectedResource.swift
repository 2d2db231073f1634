/// A value, even one that cannot be copied, that is only ever touched under its own lock.
///
/// The value cannot be reached except through ``read(_:)`` and ``write(_:)``, so a shared table
/// cannot be used unguarded by mistake. ``Protected`` adds what only values that can be copied
/// allow.
///
/// Does not promise fairness between threads, and does not allow re-entry: a block that touches
/// the same value again stops the process with a sentence, instead of hanging it. Decide inside
/// the block, act after it: no callback, C call or log line belongs under the lock, and what a
/// block takes out of the value it returns, so that no `deinit` runs there.
///
/// - Complexity: O(1) beside the caller's block.
/// - Important: Blocks run on the calling thread while the lock is held.
///
/// `@unchecked` because `storage` is only touched by the thread that has `lock`, whatever `Value`
/// is. Callers owe what the compiler then does not check: what goes in, and what a block returns,
/// shares no mutable state with anything outside (no reference to an object that is not `Sendable`
/// stays behind on either side).
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

    /// Returns what `body` makes of the value.
    ///
    /// - Throws: What `body` throws.
    @inlinable
    public final func read<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) in try body(storage) }
    }

    /// Changes the value in place, and returns what `body` returns.
    ///
    /// What `body` changed before it threw stays changed; ``Protected/mutate(_:)`` takes it back.
    ///
    /// - Throws: What `body` throws.
    @inlinable @discardableResult
    public final func write<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) in try body(&storage) }
    }

    /// Whether some thread, perhaps this one, is inside a block of the value or an access to it.
    ///
    /// True says so of a moment that may be over by now; nothing may be decided by it but whether
    /// to try later. It tries the lock and gives it back, so two threads that ask at once may find
    /// each other. Never waits, and is safe to ask from inside a block.
    @inlinable
    public final var isMutating: Bool {
        guard lock.tryLock() else { return true }
        lock.unlock()
        return false
    }
}
