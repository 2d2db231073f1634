internal import Protection
internal import Queues
internal import Topics

/// Jobs that wait for the writer. Entries wait in lines that take turns: one for each user, in the
/// order they came, one for changes of work groups, and one for removals of topics. The groups of an
/// order, which come alone, have one line.
///
/// Turns are counted in the cost of a commit, rows and bytes. However much one user brings, another
/// one's publish goes with the next commit, which is bounded. Safe from any thread; one thread
/// takes.
final class CommitQueue: Sendable {
    private let wakeUp = WakeUp()
    private let state = Protected(State())

    /// One thing for the writer to do.
    enum Job {
        case entry(EntryJob)
        case trim(TrimJob)

        var isTrim: Bool {
            if case .trim = self { true } else { false }
        }
    }

    /// An entry, and the closure that learns its place.
    struct EntryJob {
        let entry: StoreEntry
        /// The group of the order that the store follows, of which this has the entries, and the
        /// closure that learns what it led to; nil for an entry of its own.
        var ordered: OrderedWork?
        let queuedBytes: Int
        let then: @Sendable (Result<StoreReceipt, BusError>) -> Void

        /// The steps that it costs to commit, at least one.
        var steps: Int { max(1, entry.rowCount) + queuedBytes / Limits.stepBytes }
        var line: Line { ordered == nil ? Line(of: entry) : .order }
    }

    /// A group of an order. If it fails, the `then` of its job is called.
    struct OrderedWork {
        let group: OrderedGroup
        let applied: @Sendable (AppliedGroup) -> Void
    }

    /// A line of entries that keep their order.
    enum Line: Hashable {
        /// Publishes and registrations of one user.
        case user(UInt32?)
        /// Changes of work groups, with the events that their jobs lead to: each group has one
        /// under way.
        case groups
        case removals
        /// Groups of an order.
        case order

        init(of entry: StoreEntry) {
            self =
                switch entry {
                case .events(let batch, _, _): .user(batch.sender.uid)
                case .registration(_, _, let owner): .user(owner)
                case .hold(let held): .user(held.batch.sender.uid)
                case .work, .together: .groups
                case .removal, .cancel, .release: .removals
                }
        }
    }

    /// A removal of events that are no longer retained, and the closure that learns the loss. The
    /// closure is nil for the rest of a removal that was told already.
    struct TrimJob {
        let trim: StoreTrim
        let then: (@Sendable (StoreLoss) -> Void)?
    }

    private struct State {
        var lines = TurnLines<Line, EntryJob>()
        var trims: [TrimJob] = []
        var entries = 0
        var queuedBytes = 0
        var queuedBytesMax = 0
        /// The number of entries that wakes the sleeping writer; at 1 a removal wakes it too.
        var wakesAt: Int?
        /// Whether the writer is to go round once, even if nothing waits.
        var isRoused = false
        var isClosed = false

        /// Whether the job that was just added has to wake the writer.
        mutating func wakes() -> Bool {
            guard let count = wakesAt, entries >= count || count == 1 else { return false }
            wakesAt = nil
            return true
        }
    }

    /// The outcome of adding an entry.
    enum EnqueueResult {
        case queued
        case tooMuch
        case closed
    }

    /// Lets entries in, of so many bytes together. Groups of an order are let in by their host, which
    /// counts them.
    func open(bytesMax: Int) {
        state.write { $0.queuedBytesMax = bytesMax }
    }

    func add(_ job: EntryJob) -> EnqueueResult {
        let (admittance, isAsleep) = state.write { state -> (EnqueueResult, Bool) in
            guard !state.isClosed else { return (.closed, false) }
            guard
                job.ordered != nil || state.queuedBytes == 0
                    || state.queuedBytes + job.queuedBytes <= state.queuedBytesMax
            else { return (.tooMuch, false) }
            state.queuedBytes += job.queuedBytes
            state.entries += 1
            state.lines.add(job, to: job.line)
            return (.queued, state.wakes())
        }
        if isAsleep { wakeUp.signal() }
        return admittance
    }

    /// Adds a removal; it is dropped once the queue is closed, since a start applies it again.
    func add(_ job: TrimJob) {
        let isAsleep = state.write { state in
            guard !state.isClosed else { return false }
            state.trims.append(job)
            return state.wakes()
        }
        if isAsleep { wakeUp.signal() }
    }

    /// Has the writer go round once, though nothing may wait.
    func rouse() {
        let isAsleep = state.write { state in
            state.isRoused = true
            defer { state.wakesAt = nil }
            return state.wakesAt != nil
        }
        if isAsleep { wakeUp.signal() }
    }

    /// Notes that an entry was answered and waits no more.
    func finished(_ job: EntryJob) {
        state.write { $0.queuedBytes -= job.queuedBytes }
    }

    /// Lets nothing in from now on. Jobs that are in are still taken.
    func close() {
        state.write {
            $0.isClosed = true
            $0.wakesAt = nil
        }
        wakeUp.signal()
    }

    /// Whether no entry waits to be taken.
    var isEmpty: Bool { state.read { $0.entries == 0 } }

    var isClosed: Bool { state.read { $0.isClosed } }

    /// The next step of `take`.
    private enum Step {
        case give([Job])
        case sleep(milliseconds: Int32, isLast: Bool)
        case gather
    }

    /// The next jobs, as many as one transaction takes. Waits for the first one, and with
    /// `delay` for those that come right behind it.
    ///
    /// - Parameters:
    ///   - milliseconds: How long to wait; -1 is for ever, 0 not at all.
    /// - Returns: No job when the time is up, the writer was roused, or the queue is closed and
    ///   empty.
    func take(milliseconds: Int32, _ delay: GroupCommitDelay) -> [Job] {
        var left = milliseconds
        var isGathered = delay.milliseconds == 0
        while true {
            let step = state.write { state -> Step in
                state.wakesAt = nil
                if state.isClosed { return .give(Self.group(&state)) }
                if state.entries > 0 {
                    if isGathered || state.entries >= delay.wanted {
                        return .give(Self.group(&state))
                    }
                    state.wakesAt = delay.wanted
                    return .gather
                }
                if left == 0 || state.isRoused { return .give(Self.group(&state)) }
                state.wakesAt = 1
                return state.trims.isEmpty
                    ? .sleep(milliseconds: left, isLast: left > 0)
                    : .sleep(milliseconds: Limits.removalWaitMilliseconds, isLast: true)
            }
            switch step {
            case .give(let jobs): return jobs
            case .gather:
                wakeUp.wait(milliseconds: delay.milliseconds)
                isGathered = true
            case .sleep(let milliseconds, let isLast):
                wakeUp.wait(milliseconds: milliseconds)
                if isLast { left = 0 }
            }
        }
    }

    /// The jobs of one transaction. Removals go first, since they came before the next publishes.
    /// They leave at least half of the places to entries.
    private static func group(_ state: inout State) -> [Job] {
        state.isRoused = false
        let trims = state.trims.prefix(Limits.groupEntriesMax / 2)
        state.trims.removeFirst(trims.count)
        var jobs: [Job] = trims.map { .trim($0) }
        state.lines.take(
            atMost: Limits.groupEntriesMax - trims.count, costing: Limits.groupStepsMax,
            turn: Limits.turnSteps, \.steps
        ) { jobs.append(.entry($0)) }
        state.entries -= jobs.count - trims.count
        return jobs
    }
}
