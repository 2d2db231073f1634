/// What waits for a store that commits on the threads of its callers, and which of them does.
///
/// Whoever comes while nobody commits does it for all who come meanwhile. Its turn is bounded: once
/// it has committed so many bytes it leaves the rest to a thread that waits at that moment
/// (``CommitWaiters``) for the lock of this line, with an entry of its own. Where no thread waits
/// there is none to be fair to.
struct CommitLine<Job> {
    private var jobs: [Job] = []
    private var queuedBytes = 0
    private var isCommitting = false
    private var isClosed = false
    /// What was committed in this turn.
    private var turnBytes = 0
    /// How often a turn was left to somebody else.
    private(set) var handOvers = 0

    /// Bytes that may wait; a single entry always may.
    var queuedBytesMax = 0
    private let turnBytesMax: Int

    /// What became of an entry that was brought.
    enum Place {
        /// Nobody commits, and nothing waits: whoever brought it does from now on, with it first.
        case first
        /// It waits behind others.
        case queued
        case tooMuch, closed
    }

    /// What whoever commits does next.
    enum Next {
        /// To go on with what waits.
        case more
        /// Nothing: all is committed, or somebody else goes on.
        case nothing
    }

    init(turnBytesMax: Int) {
        self.turnBytesMax = turnBytesMax
    }

    /// Takes an entry behind the others, unless too much waits or the line is closed.
    ///
    /// - Parameter job: Makes it; called where it has to wait.
    /// - Returns: Whether it was taken, and whether the caller is to commit what waits, which may
    ///   be the case even if it was not: somebody may rely on it.
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

    /// Takes nothing from now on; what waits is committed.
    mutating func close() { isClosed = true }

    /// Whether all that was taken has been committed and told.
    var isSettled: Bool { !isCommitting && jobs.isEmpty }

    /// Whether whoever commits has done its part.
    var isTurnOver: Bool { isCommitting && turnBytes >= turnBytesMax }

    /// Hands all that waits to whoever commits.
    mutating func take(into jobs: inout [Job]) {
        swap(&jobs, &self.jobs)
    }

    /// An entry of so many bytes was committed, and of those taken with it `rest` is left, which is
    /// here again where the caller was relieved. With nothing left, nobody commits any more.
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
