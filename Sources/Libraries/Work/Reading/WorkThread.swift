internal import Protection
internal import Queues
internal import Topics

/// The thread for reads of the log that may be long, so that publishers and requesters wait for
/// none of them.
///
/// Each user has a line for the reads of their groups, and one for their requests. The lines take
/// turns: a user who reads much waits for themself. Reads of groups are bounded by the number of
/// groups. Of the requests of one user a few are under way, and a bounded number waits. The thread
/// begins with a task and ends when none is left.
///
/// Safe from any thread; no verb waits.
final class WorkThread: Sendable {
    typealias Job = @Sendable () -> Void

    private struct Line: Hashable {
        let user: UInt32?
        /// Whether requests wait here to begin.
        let isAsked: Bool
    }

    private struct State {
        var lines = TurnLines<Line, Job> { line in
            line.isAsked
                ? .init(waiting: Limits.askedPerUserMax, underWay: Limits.askedUnderWayMax)
                : .init()
        }
        var isWorking = false

        /// True where a thread has to begin.
        mutating func begin() -> Bool {
            guard !isWorking, !lines.isEmpty else { return false }
            isWorking = true
            return true
        }

        mutating func next() -> Job? {
            let job = lines.take()
            isWorking = job != nil
            return job
        }
    }

    /// The jobs of one run of the thread, one a step.
    private final class Shift: SteppedWork {
        private let thread: WorkThread

        init(of thread: WorkThread) { self.thread = thread }

        func step(mayWait: Bool) -> WorkStep {
            guard let job = thread.state.write({ $0.next() }) else { return .end }
            job()
            return .done
        }
    }

    private let state = Protected(State())
    private let starter: any WorkStarter

    /// - Parameter starter: Starts the thread.
    init(_ starter: any WorkStarter = ThreadStarter()) { self.starter = starter }

    /// Has `job` run soon: on another thread, or before this returns where there is none to be had.
    func run(for user: UInt32?, _ job: @escaping Job) {
        add(job, to: Line(user: user, isAsked: false))
    }

    /// Has a request begin soon in the same way, behind earlier requests of its user.
    ///
    /// - Parameter begin: Gets a closure that is to be called once, when the request was answered.
    /// - Returns: False if as many requests of its user wait as may: then it does not begin.
    func ask(
        for user: UInt32?, _ begin: @escaping @Sendable (_ over: @escaping Job) -> Void
    ) -> Bool {
        let line = Line(user: user, isAsked: true)
        return add({ begin { self.end(line) } }, to: line)
    }

    @discardableResult
    private func add(_ job: @escaping Job, to line: Line) -> Bool {
        let (isAdded, isFirst) = state.write { state in
            let isAdded = state.lines.add(job, to: line)
            return (isAdded, isAdded && state.begin())
        }
        if isFirst { begin() }
        return isAdded
    }

    private func end(_ line: Line) {
        let isFirst = state.write { state in
            state.lines.end(line)
            return state.begin()
        }
        if isFirst { begin() }
    }

    private func begin() {
        let shift = Shift(of: self)
        guard let started = try? starter.start(shift) else { return shift.run() }
        started.detach()
    }
}
