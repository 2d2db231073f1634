import Protection

/// Runs tasks on the thread that says so, when it says so: until then they wait.
///
/// So a test decides what happens before a reader goes on, and counts how often it was woken.
final class ManualExecutor: TaskExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var count = 0
    }

    private let queue = Protected(Queue())
    private let onEnqueue: @Sendable () -> Void

    /// Calls `onEnqueue` whenever a task is made or resumed, where that happens.
    init(onEnqueue: @escaping @Sendable () -> Void = {}) {
        self.onEnqueue = onEnqueue
    }

    /// How many jobs came so far: one for each beginning and each resumption of a task.
    var count: Int { queue.read { $0.count } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.write { queue in
            queue.jobs.append(job)
            queue.count += 1
        }
        onEnqueue()
    }

    /// Runs what waits, and what comes of it, until every task waits for something else.
    func run() {
        while let job = queue.write({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
