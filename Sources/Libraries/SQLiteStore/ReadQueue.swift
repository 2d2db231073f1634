internal import Protection
internal import Topics

/// Reads that wait for a reader's thread; each has its turn, and those that need another one go to
/// the end.
///
/// Safe from any thread.
final class ReadQueue: Sendable {
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
        /// Where readers sleep, one each.
        var sleepers: [WakeUp] = []
        var isClosed = false
    }

    /// Returns false if it was closed.
    @discardableResult
    func add(_ job: Job) -> Bool {
        let (isTaken, sleeper) = state.write { state -> (Bool, WakeUp?) in
            guard !state.isClosed else { return (false, nil) }
            state.jobs.append(job)
            return (true, state.sleepers.popLast())
        }
        sleeper?.signal()
        return isTaken
    }

    /// Lets nothing in from now on. Returns what was waiting.
    func close() -> [Job] {
        let (left, sleepers) = state.write { state in
            state.isClosed = true
            var left: [Job] = []
            while !state.jobs.isEmpty { left.append(state.jobs.removeFirst()) }
            defer { state.sleepers = [] }
            return (left, state.sleepers)
        }
        for sleeper in sleepers { sleeper.signal() }
        return left
    }

    /// The next job; nil when the queue is closed.
    ///
    /// - Parameters:
    ///   - wakeUp: Where the reader sleeps that asks; nobody else does.
    func take(sleepingAt wakeUp: WakeUp) -> Job? {
        while true {
            let (job, isClosed) = state.write { state -> (Job?, Bool) in
                guard state.jobs.isEmpty else { return (state.jobs.removeFirst(), false) }
                if !state.isClosed { state.sleepers.append(wakeUp) }
                return (nil, state.isClosed)
            }
            if job != nil || isClosed { return job }
            wakeUp.wait(milliseconds: -1)
        }
    }
}
