/// A value that is only ever touched under its own lock, as a property wrapper or stored as it is.
///
/// ```swift
/// final class Census: Sendable {
///     private let table = Protected<[String: Int]>([:])        // shared: stored form
///
///     func count(_ name: String) -> Int {
///         table.write { table in
///             table[name, default: 0] += 1
///             return table[name, default: 0]
///         }
///     }
/// }
///
/// @Protected var table: [String: Int] = [:]
/// table["a", default: 0] += 1                                  // one access
/// $table.write { $0.removeAll() }
/// ```
///
/// Each access takes the lock for itself. **One access** is: a block; reading ``value`` or a
/// member; assigning to one; changing one in place (`+=`, a mutating method, passing it `inout`).
/// **Two accesses** are `table.count = table.count + 1` and all else that reads in one place and
/// writes in another: a change that another thread made in between is lost. Make it one
/// ``ProtectedResource/write(_:)``.
///
/// Everything that ``ProtectedResource`` promises and does not promise holds here too: no fairness,
/// and re-entry stops the process with a sentence. That includes an expression that uses the value
/// while it changes it in place. Changing it in place must not outlast a suspension: a value passed
/// `inout` to an `async` function keeps its lock meanwhile, and stops the process with a sentence
/// if it comes back on another thread.
///
/// A `Sendable` class cannot have a `@Protected var`, which the compiler takes for unguarded
/// mutable state: store a `Protected` in a `let`. A concurrent block captures `$table`, not `table`.
///
/// - Complexity: O(1) beside the caller's block; reading a value copies it, as assigning it to a
///   variable would.
@propertyWrapper @dynamicMemberLookup
// @unchecked for the reason, and with the duties, of ProtectedResource: for every type of Value,
// only the thread that has the lock touches it.
public final class Protected<Value>: ProtectedResource<Value>, @unchecked Sendable {
    /// Guards `value` from now on.
    @inlinable
    public override init(_ value: consuming Value) {
        super.init(value)
    }

    /// Guards the value that a `@Protected` property begins with.
    @inlinable
    public init(wrappedValue: consuming Value) {
        super.init(wrappedValue)
    }

    /// The value of a `@Protected` property; the same as ``value``.
    @inlinable
    public var wrappedValue: Value {
        get { value }
        set { value = newValue }
        _modify { yield &value }
    }

    /// The wrapper itself: `$table` of `@Protected var table`.
    @inlinable
    public var projectedValue: Protected<Value> { self }

    /// A copy of the value at this moment, its replacement, or the value itself to change in place.
    ///
    /// Each of the three is one access. A replaced value is released outside the lock. Parts that a
    /// change in place displaces are released under it. A block of ``ProtectedResource/write(_:)``
    /// can return them instead.
    @inlinable
    public var value: Value {
        get { lock.withLock { storage } }
        set {
            let displaced = lock.withLock { exchange(newValue) }
            withExtendedLifetime(displaced) {}
        }
        _modify {
            lock.lock()
            defer { lock.unlockHere() }
            yield &storage
        }
    }

    /// A copy of a member of the value at this moment.
    ///
    /// Members of the wrapper hide those of the value that have the same name.
    @inlinable
    public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member {
        lock.withLock { storage[keyPath: path] }
    }

    /// A member of the value: a copy of it, its replacement, or itself to change in place.
    ///
    /// Each of the three is one access: `state.hits += 1` loses nothing. A displaced member is
    /// released under the lock.
    @inlinable
    public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
        get { lock.withLock { storage[keyPath: path] } }
        _modify {
            lock.lock()
            defer { lock.unlockHere() }
            yield &storage[keyPath: path]
        }
    }

    /// Replaces the value by the result of `transform`, in one access.
    ///
    /// The old value is released outside the lock. Nothing has changed if `transform` throws.
    ///
    /// - Throws: The error of `transform`.
    @inlinable
    public func setValue<Failure: Error>(
        _ transform: (Value) throws(Failure) -> Value
    ) throws(Failure) {
        let displaced = try lock.withLock { () throws(Failure) in
            exchange(try transform(storage))
        }
        withExtendedLifetime(displaced) {}
    }

    /// Changes the value, all or nothing: if `body` throws, the value stays as it was before.
    ///
    /// A block that cannot throw changes the value in place, as ``ProtectedResource/write(_:)``
    /// does. One that can throw changes a copy, so that collections in it are copied when it first
    /// changes them. The copy that is not needed is released outside the lock.
    ///
    /// - Throws: The error of `body`.
    @inlinable @discardableResult
    public func mutate<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard Failure.self != Never.self else { return try write(body) }
        var spare: Value?
        defer { withExtendedLifetime(spare) {} }
        return try lock.withLock { () throws(Failure) in
            var draft = storage
            defer { spare = draft }
            let result = try body(&draft)
            swap(&storage, &draft)
            return result
        }
    }

    @inlinable
    func exchange(_ value: consuming Value) -> Value {
        swap(&storage, &value)
        return value
    }
}
