/// A state that says which states may follow it.
///
/// ```swift
/// enum Job: StateMachine {
///     case waiting, running, done
///
///     func canTransition(to next: Job) -> Bool {
///         switch (self, next) {
///         case (.waiting, .running), (.running, .done): true
///         default: false
///         }
///     }
/// }
///
/// let job = Protected(Job.waiting)
/// guard job.attemptToTransition(to: .running) else { return }   // somebody else has it
/// ```
public protocol StateMachine {
    /// Whether `next` may follow this state.
    ///
    /// A protected state is asked under its lock: answer from the two states alone.
    func canTransition(to next: Self) -> Bool
}

/// A transition that the state it was tried from does not allow.
public struct IllegalTransition<State: StateMachine & Sendable>: Error, CustomStringConvertible {
    /// The state at that moment, which has stayed.
    public let from: State

    /// The state that was refused.
    public let to: State

    /// Says which transition was refused.
    public var description: String { "\(from) cannot be followed by \(to)" }

    @usableFromInline
    init(from: State, to: State) {
        self.from = from
        self.to = to
    }
}

extension IllegalTransition: Equatable where State: Equatable {}

extension Protected where Value: StateMachine {
    /// Moves to `next` if the state allows it at this moment, and says whether it did.
    ///
    /// Judging and moving is one access: of several threads that try a move which only one may
    /// make, one succeeds. The state that was left is released outside the lock.
    @inlinable
    public func attemptToTransition(to next: Value) -> Bool {
        let left: Value? = lock.withLock {
            storage.canTransition(to: next) ? exchange(next) : nil
        }
        return left != nil
    }

    /// Moves from `expected` to `next` if that is the state at this moment and it allows it, and
    /// says whether it did.
    ///
    /// In one access, as ``attemptToTransition(to:)``; states are compared under the lock.
    @inlinable
    public func attemptToTransition(from expected: Value, to next: Value) -> Bool
    where Value: Equatable {
        let left: Value? = lock.withLock {
            storage == expected && storage.canTransition(to: next) ? exchange(next) : nil
        }
        return left != nil
    }

    /// Moves to `next`, and returns the state that was left.
    ///
    /// - Throws: ``IllegalTransition`` with the state that did not allow it, and that has stayed.
    @inlinable @discardableResult
    public func transition(to next: Value) throws(IllegalTransition<Value>) -> Value
    where Value: Sendable {
        try lock.withLock { () throws(IllegalTransition<Value>) in
            guard storage.canTransition(to: next) else {
                throw IllegalTransition(from: storage, to: next)
            }
            return exchange(next)
        }
    }
}
