internal import Protection
internal import Topics

/// The agreement of a store's writer and the keeper of its journal: which of them syncs or moves
/// the journal, and when.
///
/// Safe from any thread. One thread writes and one keeps.
final class Checkpointer: Sendable {
    private let schedule: Protected<JournalSchedule>
    /// How long the journal is; nil before it is open.
    private let length = Protected<JournalLength?>(nil)
    private let keeperWakeUp = WakeUp()
    private let writerWakeUp = WakeUp()
    private let clock: BootClock

    /// - Parameters:
    ///   - syncsCommits: Whether every commit is synced by itself.
    ///   - clock: The clock by which the journal waits to be synced and moved.
    init(syncsCommits: Bool, by clock: BootClock) {
        schedule = Protected(JournalSchedule(syncsCommits: syncsCommits))
        self.clock = clock
    }

    private var now: Int { Int(clock.now()) }

    /// Bytes of the journal on the disk, as of the last commit.
    var bytes: Int { length.read { $0?.bytes ?? 0 } }

    // MARK: The writer

    /// Notes a commit after which the journal has so many pages.
    func committed(pages: Int) {
        length.write { $0?.committed(pages: pages) }
        let now = now
        if schedule.write({ $0.committed(pages: pages, now: now) }) { keeperWakeUp.signal() }
    }

    /// Moves the journal if that is the writer's to do now. Waits for the keeper only if the
    /// journal is far beyond its bound.
    func moveIfNeeded(_ database: Database) {
        move(database, .passive) { $0.writerStep() }
    }

    /// Moves and empties the journal, for the room that it takes; waits for the keeper.
    func empty(_ database: Database) {
        move(database, .truncating) { $0.takes() }
    }

    private func move(
        _ database: Database, _ mode: Database.Checkpoint,
        _ ask: (inout JournalSchedule) -> JournalSchedule.WriterStep
    ) {
        while true {
            switch schedule.write({ ask(&$0) }) {
            case .nothing: return
            case .wait: writerWakeUp.wait(milliseconds: -1)
            case .checkpoint:
                let outcome = Self.outcome { () throws(DatabaseError) in
                    try database.checkpoint(mode)
                }
                if mode == .truncating, outcome == .complete { length.write { $0?.emptied() } }
                let now = now
                let isAsleep = schedule.write { $0.writerEnded(outcome, now: now) }
                return isAsleep ? keeperWakeUp.signal() : ()
            }
        }
    }

    /// Has the keeper end once it has finished its step.
    func close() {
        if schedule.write({ $0.close() }) { keeperWakeUp.signal() }
    }

    // MARK: The keeper

    /// Notes how long the journal is that was opened; called before there is a writer.
    func opened(bytes: Int, pageBytes: Int) {
        length.write { $0 = JournalLength(bytes: bytes, pageBytes: pageBytes) }
    }

    /// The keeper's next step as of now. Where that is to wait, a keeper with a thread calls
    /// ``wait(milliseconds:)`` before it asks again.
    ///
    /// - Parameters:
    ///   - hasRoom: Whether the disk has room for a long journal, as far as is known.
    func next(hasRoom: Bool) -> JournalSchedule.Step {
        let now = now
        return schedule.write { $0.keeperStep(hasRoom: hasRoom, now: now) }
    }

    /// Waits until the keeper has something to do, or for so many milliseconds; -1 is for ever.
    func wait(milliseconds: Int32) { keeperWakeUp.wait(milliseconds: milliseconds) }

    /// Notes the outcome of a step. Returns whether the writer has something to do now.
    func keeperEnded(
        _ step: JournalSchedule.Step, _ outcome: JournalSchedule.Outcome
    ) -> Bool {
        let now = now
        let woken = schedule.write { $0.keeperEnded(step, outcome, now: now) }
        if woken.awaited { writerWakeUp.signal() }
        return woken.needed
    }

    /// The outcome of a checkpoint, which returns whether it moved everything.
    static func outcome(
        of checkpoint: () throws(DatabaseError) -> Bool
    ) -> JournalSchedule.Outcome {
        do throws(DatabaseError) {
            return try checkpoint() ? .complete : .partial
        } catch {
            // A lock says that somebody else reads the journal, or moves it.
            return error.kind == .busy ? .partial : .failed
        }
    }
}
