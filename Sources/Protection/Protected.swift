/// A value that is only ever touched under its own lock.
///
/// The value cannot be reached except through `read`, `write` and `value`, so a shared table can
/// not be used unguarded by mistake.
///
/// Does not promise fairness between threads, and does not allow re-entry: a block that touches
/// the same `Protected` again stops the process. Decide inside the block, act after it: no
/// callback, C call or log line belongs under the lock, and what a block takes out of the value it
/// returns, so that no `deinit` runs there.
///
/// - Complexity: O(1) beside the caller's block.
/// - Important: Blocks run on the calling thread while the lock is held.
///
/// `@unchecked` because `storage` is only touched inside `lock.withLock`; callers owe that what a
/// block returns does not share mutable state with the value.
public final class Protected<Value: ~Copyable>: @unchecked Sendable {
    private let lock = Lock()
    private var storage: Value

    /// Guards `value` from now on.
    public init(_ value: consuming Value) {
        storage = value
    }

    /// Returns what `body` makes of the value.
    public func read<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) in try body(storage) }
    }

    /// Changes the value in place, and returns what `body` returns.
    ///
    /// What `body` changed before it threw stays changed.
    public func write<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) in try body(&storage) }
    }
}

extension Protected {
    /// The value at this moment, or its replacement; each access takes the lock by itself.
    ///
    /// Changing it in place is two accesses, and may lose what another thread wrote in between:
    /// that is what ``write(_:)`` is for. The value that was replaced is released outside the lock.
    public var value: Value {
        get { lock.withLock { storage } }
        set {
            let replaced = lock.withLock {
                let replaced = storage
                storage = newValue
                return replaced
            }
            withExtendedLifetime(replaced) {}
        }
    }
}
