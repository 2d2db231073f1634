/// A value that is only ever touched under its own lock.
///
/// The value cannot be reached except through `read`, `write` and `value`, so a shared table can
/// not be used unguarded by mistake.
///
/// Does not promise fairness between threads, and does not allow re-entry: a block that touches
/// the same `Protected` again stops the process. Decide inside the block, act after it: no
/// callback, C call or log line belongs under the lock.
///
/// - Complexity: O(1) beside the caller's block.
/// - Important: Blocks run on the calling thread while the lock is held.
// @unchecked: `storage` is only touched inside `lock.withLock`; callers owe that what a block
// returns does not share mutable state with the value.
public final class Protected<Value>: @unchecked Sendable {
    private let lock = Lock()
    private var storage: Value

    /// Guards `value` from now on.
    public init(_ value: Value) {
        storage = value
    }

    /// The value at this moment, or its replacement; each access takes the lock by itself.
    public var value: Value {
        get { lock.withLock { storage } }
        set { lock.withLock { storage = newValue } }
    }

    /// Returns what `body` makes of the value.
    public func read<Result, Failure: Error>(
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) in try body(storage) }
    }

    /// Changes the value in place, and returns what `body` returns.
    public func write<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) in try body(&storage) }
    }
}
