internal import Dispatch
internal import Protection
public import Testing

/// Runs tests on a few threads of their own, because they block the thread that they run on.
///
/// A test that waits for a socket, a process or another thread holds its thread meanwhile. On the
/// threads that tasks share, of which there are no more than processors, two such tests keep every
/// task of all other tests from going on, for as long as they wait.
///
/// Promises that tests with this trait leave those threads alone, as long as they are not `async`
/// or start no task of their own; not that they run at once, or in order.
public struct BlockingTests: TestTrait, SuiteTrait, TestScoping {
    /// Holds for all tests of a suite, and for suites inside it.
    public var isRecursive: Bool { true }

    /// Runs one test, or one case of it, on the threads for such tests.
    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingThreads.shared) { try await function() }
    }
}

extension Trait where Self == BlockingTests {
    /// The test blocks its thread while it waits.
    public static var blocking: Self { Self() }
}

/// A few threads, one job each at a time: more than there are processors, because tests wait most of
/// the time.
private final class BlockingThreads: TaskExecutor {
    static let shared = BlockingThreads()

    private struct Line {
        var jobs: [UnownedJob] = []
        var idle: [DispatchQueue]
    }

    private let line = Protected(
        Line(idle: (0..<4).map { DispatchQueue(label: "belfry.blocking-tests-\($0)") }))

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let queue = line.write { line in
            line.jobs.append(job)
            return line.idle.popLast()
        }
        if let queue { queue.async { self.run(on: queue) } }
    }

    private func run(on queue: DispatchQueue) {
        while let job = next(on: queue) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private func next(on queue: DispatchQueue) -> UnownedJob? {
        line.write { line in
            if line.jobs.isEmpty {
                line.idle.append(queue)
                return nil
            }
            return line.jobs.removeFirst()
        }
    }
}
