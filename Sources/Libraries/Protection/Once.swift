public import Synchronization

/// Runs one block, once.
///
/// ```swift
/// private let setUp = Once()
///
/// func use() throws {
///     try setUp.run { try connect() }
/// }
/// ```
///
/// Promises that when ``run(_:)`` returns, some block has run to its end, and that its effects are
/// seen. A caller that comes while it runs waits for it. The block runs on its caller's thread
/// outside every lock, so blocks may run others of their own, of any depth.
///
/// **An error leaves it unused**: it goes to the caller whose block threw it, and one of the
/// waiting callers runs its own block instead.
///
/// **Waiting for oneself stops the process** with a sentence, instead of hanging it: a block that
/// comes to its own `Once` again, and blocks of several threads that wait for each other in a ring.
/// Only threads are followed: a block hangs that waits for a queue or a task which comes to the
/// same `Once`.
///
/// Waiting blocks the thread. If several callers bring a block, any of the blocks may run.
///
/// - Complexity: O(1); one atomic load once it is done.
public final class Once: Sendable {
    private enum Phase {
        case unused
        case running(OnceRun)
        case done
    }

    private enum Turn {
        case run(OnceRun)
        case wait(OnceRun)
        case none
    }

    @usableFromInline let done = Atomic(false)
    private let phase = Protected(Phase.unused)

    /// Nothing has run yet.
    public init() {}

    /// Whether a block has run to its end.
    @inlinable
    public var isDone: Bool { done.load(ordering: .acquiring) }

    /// Runs `block` if no block has run to its end yet; returns when one has.
    ///
    /// - Returns: Whether it was this call that ran its block.
    /// - Throws: The error of `block`; then it counts for nothing.
    @inlinable @discardableResult
    public func run<Failure: Error>(_ block: () throws(Failure) -> Void) throws(Failure) -> Bool {
        guard !isDone else { return false }
        return try runUnlessDone(block)
    }

    @usableFromInline
    func runUnlessDone<Failure: Error>(
        _ block: () throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        while true {
            switch nextTurn() {
            case .none: return false
            case .wait(let run): run.waitUntilOver()
            case .run(let run):
                do {
                    try block()
                } catch {
                    end(run, as: .unused)
                    throw error
                }
                done.store(true, ordering: .releasing)
                end(run, as: .done)
                return true
            }
        }
    }

    private func nextTurn() -> Turn {
        if case .running(let run) = phase.value { return .wait(run) }
        let own = OnceRun()
        return phase.write { phase in
            switch phase {
            case .unused:
                phase = .running(own)
                return .run(own)
            case .running(let run): return .wait(run)
            case .done: return .none
            }
        }
    }

    private func end(_ run: OnceRun, as next: Phase) {
        phase.value = next
        run.end()
    }
}
