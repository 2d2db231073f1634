/// The entries that wait for a store that commits on the threads of its callers, and the choice of
/// the thread that commits.
///
/// A thread that comes while nobody commits does it for all threads that come meanwhile. Its turn
/// is bounded: once it has committed so many bytes it leaves the rest to a thread that waits at
/// that moment (``CommitWaiters``) for the lock of this line, with an entry of its own. Where no
/// thread waits there is none to be fair to.
struct CommitLine<Job> {
    private var jobs: [Job] = []
    private var queuedBytes = 0
    private var isCommitting = false
    private var isClosed = false
    /// Bytes that were committed in this turn.
    private var turnBytes = 0
    /// How often a turn was left to another thread.
    private(set) var handOvers = 0

    /// Bytes that may wait; a single entry always may.
    var queuedBytesMax = 0
    private let turnBytesMax: Int

    /// The outcome of adding an entry.
    enum Place {
        /// Nobody commits, and nothing waits: the caller commits from now on, this entry first.
        case first
        /// It waits behind others.
        case queued
        case tooMuch, closed
    }

    /// The next step of the committing thread.
    enum Next {
        /// Go on with the entries that wait.
        case more
        /// Stop: all is committed, or another thread goes on.
        case nothing
    }

    init(turnBytesMax: Int) {
        self.turnBytesMax = turnBytesMax
    }

    /// Takes an entry behind the others, unless too much waits or the line is closed.
    ///
    /// - Parameter job: Makes the job of the entry; called where it has to wait.
    /// - Returns: Whether the entry was taken, and whether the caller is to commit the entries that
    ///   wait. It may have to even if its own was not taken: another thread may rely on it.
    mutating func add(bytes: Int, _ job: () -> Job) -> (place: Place, isToCommit: Bool) {
        let fits = queuedBytes == 0 || queuedBytes + bytes <= queuedBytesMax
        let isIdle = !isCommitting && jobs.isEmpty
        let place: Place =
            isClosed ? .closed : !fits ? .tooMuch : isIdle ? .first : .queued
        switch place {
        case .first: queuedBytes += bytes
        case .queued:
            queuedBytes += bytes
            jobs.append(job())
        case .tooMuch, .closed: break
        }
        guard !isCommitting, place == .first || !jobs.isEmpty else { return (place, false) }
        isCommitting = true
        turnBytes = 0
        return (place, place != .first)
    }

    /// Takes nothing from now on; entries that wait are committed.
    mutating func close() { isClosed = true }

    /// Whether all that was taken has been committed and told.
    var isSettled: Bool { !isCommitting && jobs.isEmpty }

    /// Whether the committing thread has done its part.
    var isTurnOver: Bool { isCommitting && turnBytes >= turnBytesMax }

    /// Hands all jobs that wait to the committing thread.
    mutating func take(into jobs: inout [Job]) {
        swap(&jobs, &self.jobs)
    }

    /// Notes that an entry of so many bytes was committed. `rest` has the jobs that are left of
    /// those taken with it; they wait here again where another thread is to go on. With nothing
    /// left, nobody commits any more.
    mutating func finish(
        bytes: Int, rest: ArraySlice<Job>, hasWaiters: Bool
    ) -> Next {
        queuedBytes -= bytes
        turnBytes += bytes
        guard !rest.isEmpty || !jobs.isEmpty else {
            isCommitting = false
            return .nothing
        }
        guard isTurnOver, hasWaiters else { return .more }
        jobs = rest + jobs
        isCommitting = false
        handOvers += 1
        return .nothing
    }
}
