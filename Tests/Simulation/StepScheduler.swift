import Protection
import TestSupport

/// Does the steps of tasks that have threads in use, in one thread and in the order that a seed
/// chooses.
// @unchecked: everything that has it is in one thread.
final class StepScheduler: WorkStarter, @unchecked Sendable {
    private var tasks: [(number: Int, work: any SteppedWork)] = []
    private var started = 0

    // @unchecked: it is in the one thread of its scheduler.
    private final class Task: StartedWork, @unchecked Sendable {
        let number: Int
        // Weak: the scheduler has the tasks, and they have what starts others.
        weak var scheduler: StepScheduler?

        init(_ number: Int, of scheduler: StepScheduler) {
            self.number = number
            self.scheduler = scheduler
        }

        func join() {
            while let scheduler, scheduler.step(number) != .end {}
        }

        /// The scheduler goes on with it.
        func detach() {}
    }

    func start(_ work: any SteppedWork) throws(Errno) -> any StartedWork {
        started += 1
        tasks.append((started, work))
        return Task(started, of: self)
    }

    /// One step of one task.
    func step(using random: inout SeededRandom) {
        guard !tasks.isEmpty else { return }
        _ = step(tasks[Int.random(in: tasks.indices, using: &random)].number)
    }

    /// Does steps until no task has anything to do; false where they go on for too long.
    func settle() -> Bool {
        for _ in 0..<10_000 {
            var isBusy = false
            for number in tasks.map(\.number) where step(number) == .done { isBusy = true }
            if !isBusy { return true }
        }
        return false
    }

    /// Lets the tasks that are left end by themselves. They have what starts others, and so this.
    func finish() {
        _ = settle()
        tasks = []
    }

    private func step(_ number: Int) -> WorkStep {
        guard let index = tasks.firstIndex(where: { $0.number == number }) else { return .end }
        let outcome = tasks[index].work.step(mayWait: false)
        // The step may have started or ended others.
        if outcome == .end { tasks.removeAll { $0.number == number } }
        return outcome
    }
}
