internal import Foundation
internal import Protection

/// Runs `body` on that many threads of their own at once, and returns when all have ended.
///
/// No thread runs `body` before all of them exist, so that they contend on a small machine too.
/// Threads that do not end within the bound are left behind. An expectation that fails on one of
/// them is an issue of the test that called this, as on its own thread.
///
/// - Parameters:
///   - count: How many threads, at least one; each is told its index.
///   - bound: How long all of them together may take.
/// - Throws: The first error of any thread, else ``Gate/TimedOut`` if the bound passed.
public func inParallel(
    _ count: Int, within bound: Duration = .seconds(900),
    _ body: @escaping @Sendable (Int) throws -> Void
) throws {
    try runInParallel(count, within: bound, body)
}

/// Runs `body` on that many threads of their own at once, and returns when all have ended, without
/// blocking a thread that tasks share.
///
/// As the blocking one otherwise.
public func inParallel(
    _ count: Int, within bound: Duration = .seconds(900),
    _ body: @escaping @Sendable (Int) throws -> Void
) async throws {
    try await withCheckedThrowingContinuation { continuation in
        onThreadOfItsOwn {
            continuation.resume(with: Result { try runInParallel(count, within: bound, body) })
        }
    }
}

/// Runs `body` on a new thread, as a part of the test that the calling task runs.
///
/// The library for tests knows a test by values that a task inherits. A thread that is started
/// without a task has none of them: an expectation that fails there belongs to no test.
public func onThreadOfItsOwn(_ body: @escaping @Sendable () -> Void) {
    Task(executorPreference: NewThreads()) { body() }
}

/// Runs each job on a new thread.
private final class NewThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

private func runInParallel(
    _ count: Int, within bound: Duration, _ body: @escaping @Sendable (Int) throws -> Void
) throws {
    let start = Gate(openings: count)
    let end = Gate(openings: count)
    let failure = Protected<(any Error)?>(nil)
    for index in 0..<count {
        onThreadOfItsOwn {
            defer { end.open() }
            do {
                start.open()
                try start.wait(within: bound)
                try body(index)
            } catch {
                failure.write { $0 = $0 ?? error }
            }
        }
    }
    let result = Result { () throws(Gate.TimedOut) in try end.wait(within: bound) }
    if let failure = failure.value { throw failure }
    try result.get()
}
