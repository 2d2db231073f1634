/// When the journal is synced, when it is moved into the file, and which thread does that: the
/// machine of `Checkpointer`, without lock and clock.
///
/// The keeper has both to do, beside the writer. Only a checkpoint during which nobody commits
/// moves everything, and only then the journal begins anew. So a writer that never rests makes one
/// itself once the journal is long, and after a failure. Where the disk has little room, all
/// checkpoints are the writer's: beside one of the keeper the journal would grow and the file too.
struct JournalSchedule {
    /// The keeper's next step.
    enum Step: Equatable {
        /// Sync the journal, so that its commits outlast a loss of power.
        case sync
        /// Move the journal into the file, which syncs it first.
        case checkpoint
        /// Rouse the writer, which moves the journal itself.
        case leave
        /// Nothing for so many milliseconds, unless it is woken; -1 is for ever.
        case wait(milliseconds: Int32)
        case end
    }

    /// The writer's next step.
    enum WriterStep: Equatable {
        case nothing
        /// Move the journal into the file itself; the keeper does nothing meanwhile.
        case checkpoint
        /// Wait until the keeper has finished its step, and ask again.
        case wait
    }

    /// The outcome of a sync or a checkpoint.
    enum Outcome {
        case complete
        /// There is more: commits came meanwhile, or somebody reads an older state.
        case partial
        case failed
    }

    /// Whether every commit is synced by itself.
    private let syncsCommits: Bool
    /// Pages in the journal after the last commit.
    private var pages = 0
    /// Pages when the keeper and when the writer last began a checkpoint of this journal.
    private var keeperBase = 0
    private var writerBase = 0
    /// Whether something was committed after the last sync began, and when that began.
    private var isDirty = false
    private var syncTime: Int?
    /// Since when something waits to be moved, or the last attempt to move it; nil for nothing.
    private var unmovedSince: Int?
    /// Whether the disk failed, and nobody moved everything since.
    private var hasFailed = false
    /// Whether the disk has room for a long journal, as the keeper last saw.
    private var hasRoom = true
    private var needsWriter = false
    private var isWorking = false
    private var isTaken = false
    private var isAwaited = false
    private var isClosed = false
    private var isAsleep = false

    init(syncsCommits: Bool) {
        self.syncsCommits = syncsCommits
    }

    // MARK: The writer

    /// Notes a commit after which the journal has so many pages. Returns whether the keeper has to
    /// be woken.
    mutating func committed(pages: Int, now: Int) -> Bool {
        if pages < self.pages { (keeperBase, writerBase) = (0, 0) }
        self.pages = pages
        unmovedSince = unmovedSince ?? now
        // A keeper with nothing to sync sleeps without a time for the next sync, so it is woken.
        let isFirst = !isDirty
        isDirty = true
        return isFirst || isLong ? wakes() : false
    }

    /// The step that the writer has to take before it goes on. It calls `writerEnded` after a
    /// checkpoint.
    mutating func writerStep() -> WriterStep {
        let free = hasRoom ? Limits.journalPagesMax - Limits.checkpointPages : 0
        let over = pages - max(writerBase, free)
        guard needsWriter || over >= Limits.checkpointPages else { return .nothing }
        // Once it is longer still, the disk sets the pace.
        let mayGrow = hasRoom && over < 2 * Limits.checkpointPages
        return isWorking && mayGrow ? .nothing : takes()
    }

    /// Lets the writer have the journal for itself, or has it wait for that.
    mutating func takes() -> WriterStep {
        guard !isWorking else {
            isAwaited = true
            return .wait
        }
        isTaken = true
        writerBase = pages
        return .checkpoint
    }

    /// Notes the outcome of the writer's checkpoint. Returns whether the keeper has to be woken.
    mutating func writerEnded(_ outcome: Outcome, now: Int) -> Bool {
        isTaken = false
        needsWriter = false
        switch outcome {
        case .complete:
            isDirty = false
            unmovedSince = nil
            hasFailed = false
        case .partial: break
        case .failed: fails(now: now)
        }
        return wakes()
    }

    // MARK: The keeper

    /// The keeper's next step. It calls `keeperEnded` after a sync or a checkpoint.
    mutating func keeperStep(hasRoom: Bool, now: Int) -> Step {
        isAsleep = false
        self.hasRoom = hasRoom
        if isClosed { return .end }
        guard !isTaken else { return waits(until: nil, now: now) }
        if isLong { return checkpoint(now: now) }
        if let since = unmovedSince, now - since >= Limits.unmovedMicrosecondsMax {
            return hasRoom ? checkpoint(now: now) : leaves(now: now)
        }
        if isDirty, now >= syncDue {
            if !hasRoom { return leaves(now: now) }
            if hasFailed || pages >= Limits.checkpointPages { return checkpoint(now: now) }
            isDirty = false
            syncTime = now
            if !syncsCommits {
                isWorking = true
                return .sync
            }
        }
        let due = unmovedSince.map { $0 + Limits.unmovedMicrosecondsMax }
        return waits(until: isDirty ? min(syncDue, due ?? .max) : due, now: now)
    }

    /// Notes the outcome of a step. Returns whether the writer waits for the keeper, and whether it
    /// has something to do that the keeper could not. In both cases it has to be woken.
    mutating func keeperEnded(
        _ step: Step, _ outcome: Outcome, now: Int
    ) -> (awaited: Bool, needed: Bool) {
        isWorking = false
        switch outcome {
        case .failed: fails(now: now)
        case .complete where step == .checkpoint: unmovedSince = isDirty ? now : nil
        case .partial: unmovedSince = now
        case .complete: break
        }
        // After a failure nobody knows which pages of the journal are on the disk. Once the file
        // has all of them, that does not matter. The keeper cannot tell whether a commit came
        // meanwhile.
        if outcome != .failed, hasFailed { needsWriter = true }
        defer { isAwaited = false }
        return (isAwaited, needsWriter)
    }

    /// Has the keeper end. Returns whether it has to be woken.
    mutating func close() -> Bool {
        isClosed = true
        return wakes()
    }

    // MARK: Details

    /// Whether there is enough for a checkpoint before its time. Beyond the bound and without room
    /// it is the writer's, which would have to wait for the keeper's.
    private var isLong: Bool {
        !hasFailed && hasRoom && pages - keeperBase >= Limits.checkpointPages
            && pages < Limits.journalPagesMax
    }

    private var syncDue: Int {
        syncTime.map { $0 + Int(Limits.syncMilliseconds) * 1_000 } ?? .min
    }

    private mutating func checkpoint(now: Int) -> Step {
        isWorking = true
        isDirty = false
        syncTime = now
        keeperBase = pages
        return .checkpoint
    }

    private mutating func leaves(now: Int) -> Step {
        needsWriter = true
        isDirty = false
        syncTime = now
        unmovedSince = now
        return .leave
    }

    private mutating func fails(now: Int) {
        hasFailed = true
        needsWriter = false
        isDirty = true
        syncTime = now
        unmovedSince = now
    }

    private mutating func waits(until due: Int?, now: Int) -> Step {
        isAsleep = true
        // Rounded up: a moment too early is another turn for nothing.
        return .wait(milliseconds: due.map { Int32(clamping: ($0 - now + 999) / 1_000) } ?? -1)
    }

    private mutating func wakes() -> Bool {
        defer { isAsleep = false }
        return isAsleep
    }
}
