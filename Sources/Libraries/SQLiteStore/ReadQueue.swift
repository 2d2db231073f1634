internal import Protection
internal import Topics

/// Reads that wait for a reader's thread; each has its turn, and those that need another one go to
/// the end.
///
/// Safe from any thread.
final class ReadQueue: Sendable {
    private let wakeUp: WakeUpPipe
    private let state = Protected(State())

    /// One thing for a reader to do.
    enum Job: Sendable {
        /// To go on reading.
        case read(ReadJob)
        /// To give an answer that had to wait for the writer.
        case answer(@Sendable () -> Void)
    }

    private struct State {
        var jobs = Ring<Job>()
        var sleepers = 0
        var isClosed = false
    }

    init() throws(Errno) {
        wakeUp = try WakeUpPipe()
    }

    /// Returns false if it was closed.
    @discardableResult
    func add(_ job: Job) -> Bool {
        let (isTaken, isAsleep) = state.write { state in
            guard !state.isClosed else { return (false, false) }
            state.jobs.append(job)
            return (true, state.sleepers > 0)
        }
        if isAsleep { wakeUp.signal() }
        return isTaken
    }

    /// Lets nothing in from now on. Returns what was waiting.
    func close() -> [Job] {
        let left = state.write { state in
            state.isClosed = true
            var left: [Job] = []
            while !state.jobs.isEmpty { left.append(state.jobs.removeFirst()) }
            return left
        }
        wakeUp.signal()
        return left
    }

    /// The next job; nil when the queue is closed.
    func take() -> Job? {
        while true {
            let (job, isClosed) = state.write { state -> (Job?, Bool) in
                guard state.jobs.isEmpty else { return (state.jobs.removeFirst(), false) }
                if !state.isClosed { state.sleepers += 1 }
                return (nil, state.isClosed)
            }
            if let job { return job }
            if isClosed {
                wakeUp.signal()  // for the next thread that sleeps
                return nil
            }
            wakeUp.wait(milliseconds: -1)
            state.write { $0.sleepers -= 1 }
        }
    }
}
