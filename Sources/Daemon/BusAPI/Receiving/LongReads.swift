internal import HTTPFront
internal import Protection
internal import Topics

/// Reads that take more than one turn under the bus's lock, on a thread of their own: no loop waits
/// for them.
///
/// Each user has a line, and the lines take turns, one read at a time: whoever asks for much waits
/// for themself. The thread begins with a read and ends when none is left.
///
/// Safe from any thread; no verb waits.
final class LongReads: Sendable {
    /// One read, until its next answer.
    typealias Job = @Sendable () -> Void

    private struct State {
        /// The jobs of each user, nil for those that are unknown together.
        var lines: [UInt32?: Ring<Job>] = [:]
        /// Users with a line, in the order of their turns.
        var order = Ring<UInt32?>()
        var isWorking = false

        mutating func add(_ job: @escaping Job, of user: UInt32?) -> Bool {
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
            if lines[user]?.isEmpty == false { order.append(user) } else { lines[user] = nil }
            return job
        }
    }

    private let state = Protected(State())

    /// Has `job` run soon: on another thread, or before this returns where there is none to be had.
    func add(for account: CallerAccount?, _ job: @escaping Job) {
        guard state.write({ $0.add(job, of: account?.uid) }) else { return }
        guard let thread = try? OwnedThread({ self.work() }) else { return work() }
        thread.detach()
    }

    private func work() {
        while let job = state.write({ $0.next() }) { job() }
    }
}
