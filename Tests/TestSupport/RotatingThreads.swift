internal import Dispatch
internal import Synchronization

/// A few threads for tasks that are to change theirs: each step of a task goes to the next one.
///
/// The threads that tasks share by default are as many as the processors, and a task may stay on
/// one of them for long; here it goes on elsewhere behind almost every `await`.
public final class RotatingThreads: TaskExecutor {
    private let queues = (0..<4).map { DispatchQueue(label: "belfry.rotating-threads-\($0)") }
    private let steps = Atomic(0)

    /// Threads of their own.
    public init() {}

    /// Has the next thread do one step of a task.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let step = steps.wrappingAdd(1, ordering: .relaxed).oldValue
        queues[step % queues.count].async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}

/// Runs `body` as that many tasks at once on ``RotatingThreads``, and returns when all have ended.
///
/// - Parameters:
///   - count: How many tasks; each is told its index.
/// - Throws: The first error of any task; the others are cancelled.
public func inTasks(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void
) async throws {
    let threads = RotatingThreads()
    try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            group.addTask(executorPreference: threads) { try await body(index) }
        }
        try await group.waitForAll()
    }
}
