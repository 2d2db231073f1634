internal import Protection
internal import Queues
internal import Topics

/// Reads that wait for a reader's thread, in a line for each user. Users take turns: however much
/// one of them looks for, another one's page waits for one turn of it.
///
/// A read that needs another turn goes to the end of its line. Safe from any thread.
final class ReadQueue: Sendable {
    private let state: Protected<State>

    /// One thing for a reader to do.
    enum Job: Sendable {
        /// To go on reading.
        case read(ReadJob)
        /// To give an answer that had to wait for the writer.
        case answer(@Sendable () -> Void)
    }

    /// The outcome of asking for a job.
    enum Taken {
        case job(Job)
        /// Nothing waits.
        case nothing
        case closed
    }

    /// The outcome of adding a job.
    enum Place {
        case queued
        /// Its user has as many reads waiting as there may be.
        case tooMany
        case closed
    }

    private struct State {
        /// Answers go first: their reads have had their turns.
        var answers = Ring<@Sendable () -> Void>()
        var reads: TurnLines<UInt32?, ReadJob>
        /// The wake-ups of sleeping readers, one each.
        var sleepers: [WakeUp] = []
        var isClosed = false

        mutating func add(_ job: Job, isUnderWay: Bool) -> Place {
            guard !isClosed else { return .closed }
            switch job {
            case .answer(let answer): answers.append(answer)
            case .read(let read) where isUnderWay: reads.putBack(read, to: read.user)
            case .read(let read):
                guard reads.add(read, to: read.user) else { return .tooMany }
            }
            return .queued
        }

        mutating func next() -> Job? {
            if !answers.isEmpty { return .answer(answers.removeFirst()) }
            return reads.take().map { .read($0) }
        }
    }

    /// - Parameter perUserMax: Reads of one user that may wait.
    init(perUserMax: Int = Limits.waitingReadsPerUserMax) {
        state = Protected(State(reads: TurnLines { _ in .init(waiting: perUserMax) }))
    }

    /// Adds a job behind those of its user.
    ///
    /// - Parameter isUnderWay: Whether it has had a turn, and so has its place in any case.
    @discardableResult
    func add(_ job: Job, isUnderWay: Bool = false) -> Place {
        let (place, sleeper) = state.write { state -> (Place, WakeUp?) in
            let place = state.add(job, isUnderWay: isUnderWay)
            return (place, place == .queued ? state.sleepers.popLast() : nil)
        }
        sleeper?.signal()
        return place
    }

    /// Lets nothing in from now on. Returns the jobs that were waiting.
    func close() -> [Job] {
        let (left, sleepers) = state.write { state in
            state.isClosed = true
            var left: [Job] = []
            while let job = state.next() { left.append(job) }
            defer { state.sleepers = [] }
            return (left, state.sleepers)
        }
        for sleeper in sleepers { sleeper.signal() }
        return left
    }

    /// The next job, waited for.
    ///
    /// - Parameters:
    ///   - wakeUp: The wake-up of the reader that asks, at which nobody else sleeps; nil for one that
    ///     does not wait.
    func take(sleepingAt wakeUp: WakeUp?) -> Taken {
        while true {
            let taken = state.write { state -> Taken in
                if let job = state.next() { return .job(job) }
                if state.isClosed { return .closed }
                if let wakeUp { state.sleepers.append(wakeUp) }
                return .nothing
            }
            guard case .nothing = taken, let wakeUp else { return taken }
            wakeUp.wait(milliseconds: -1)
        }
    }
}
