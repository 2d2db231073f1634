internal import Protection
internal import Topics

/// Reads of the log that may be long, on a thread of their own: whoever publishes or asks waits for
/// none of them.
///
/// Each user has a line, and the lines take turns: a user whose groups read much waits for
/// themself. The thread begins with a job and ends when none is left.
final class WorkThread: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var lines: [UInt32?: Ring<Job>] = [:]
        /// Users with a line, in the order of their turns.
        var order = Ring<UInt32?>()
        var isWorking = false

        /// True where a thread has to begin.
        mutating func add(_ job: @escaping Job, for user: UInt32?) -> Bool {
            if lines[user] == nil { order.append(user) }
            lines[user, default: Ring()].append(job)
            defer { isWorking = true }
            return !isWorking
        }

        mutating func next() -> Job? {
            guard !order.isEmpty else {
                isWorking = false
                return nil
            }
            let user = order.removeFirst()
            let job = lines[user]?.removeFirst()
            if lines[user]?.isEmpty == true { lines[user] = nil } else { order.append(user) }
            return job
        }
    }

    private let state = Protected(State())

    /// Has `job` run soon: on another thread, or before this returns where there is none to be had.
    func run(for user: UInt32?, _ job: @escaping Job) {
        guard state.write({ $0.add(job, for: user) }) else { return }
        guard let thread = try? OwnedThread({ self.work() }) else { return work() }
        thread.detach()
    }

    private func work() {
        while let job = state.write({ $0.next() }) { job() }
    }
}
