import Testing
import Topics

@testable import SQLiteStore

@Suite(.blocking) struct JournalScheduleTests {
    private static let second = 1_000_000
    private static let long = Limits.checkpointPages
    private static let bound = Limits.journalPagesMax

    /// A schedule of which the keeper sleeps, and its time.
    private struct Trial {
        var schedule: JournalSchedule
        var now = 10 * second
        var hasRoom = true

        init(syncsCommits: Bool = false) {
            schedule = JournalSchedule(syncsCommits: syncsCommits)
            _ = schedule.keeperStep(hasRoom: true, now: now)
        }

        mutating func commit(pages: Int) -> Bool { schedule.committed(pages: pages, now: now) }

        mutating func keeper(after microseconds: Int = 0) -> JournalSchedule.Step {
            now += microseconds
            return schedule.keeperStep(hasRoom: hasRoom, now: now)
        }

        @discardableResult
        mutating func ends(
            _ step: JournalSchedule.Step, _ outcome: JournalSchedule.Outcome = .complete
        ) -> (awaited: Bool, needed: Bool) {
            schedule.keeperEnded(step, outcome, now: now)
        }

        mutating func writerEnds(_ outcome: JournalSchedule.Outcome) {
            _ = schedule.writerEnded(outcome, now: now)
        }

        /// The first commit of a long time, synced at once.
        mutating func syncsFirst(pages: Int = 4) {
            #expect(commit(pages: pages) == true)
            #expect(keeper() == .sync)
            ends(.sync)
        }
    }

    @Test func aCommitIsSyncedAtOnceAndThoseBehindItOnceASecond() {
        var trial = Trial()
        #expect(trial.keeper() == .wait(milliseconds: -1))
        trial.syncsFirst()
        #expect(trial.keeper() == .wait(milliseconds: 60_000))
        #expect(trial.commit(pages: 8) == true, "it slept for something later")
        #expect(trial.keeper(after: 1) == .wait(milliseconds: 1_000))
        #expect(trial.commit(pages: 9) == false, "nobody is woken, it is not due")
        #expect(trial.keeper(after: Self.second) == .sync)
        #expect(trial.commit(pages: 12) == false)
        trial.ends(.sync)
        #expect(trial.keeper(after: Self.second) == .sync, "it came while a sync was under way")
    }

    @Test func aCommitThatIsSyncedItselfHasNobodySync() {
        var trial = Trial(syncsCommits: true)
        #expect(trial.commit(pages: 4) == true)
        #expect(trial.keeper() == .wait(milliseconds: 60_000))
        #expect(trial.keeper(after: 60 * Self.second) == .checkpoint)
        trial.ends(.checkpoint)
        #expect(trial.keeper() == .wait(milliseconds: -1))
        #expect(trial.commit(pages: 4 + Self.long) == true)
        #expect(trial.keeper() == .checkpoint)
    }

    @Test func aLongJournalIsMovedAtOnceAndAShortOneAfterAMinute() {
        var trial = Trial()
        trial.syncsFirst()
        _ = trial.keeper()
        #expect(trial.commit(pages: Self.long - 1) == true)
        #expect(trial.keeper() == .wait(milliseconds: 1_000))
        #expect(trial.commit(pages: Self.long) == true)
        #expect(trial.keeper() == .checkpoint)
        trial.ends(.checkpoint)
        #expect(trial.keeper() == .wait(milliseconds: -1))
        trial.now += 2 * Self.second
        trial.syncsFirst()
        #expect(trial.keeper(after: 60 * Self.second) == .checkpoint)
    }

    @Test func aCheckpointThatCommitsOvertookIsMadeAgainWithTheNextSync() {
        var trial = Trial()
        trial.syncsFirst(pages: Self.long - 1)
        _ = trial.keeper()
        #expect(trial.commit(pages: Self.long) == true)
        #expect(trial.keeper() == .checkpoint)
        #expect(trial.commit(pages: Self.long + 4) == false)
        trial.ends(.checkpoint, .partial)
        #expect(trial.keeper() == .wait(milliseconds: 1_000))
        #expect(trial.keeper(after: Self.second) == .checkpoint)
    }

    @Test func aWriterThatNeverRestsMovesTheJournalItselfAtItsBound() {
        var trial = Trial()
        trial.syncsFirst()
        _ = trial.commit(pages: Self.bound - 1)
        #expect(trial.schedule.writerStep() == .nothing)
        _ = trial.commit(pages: Self.bound)
        #expect(trial.schedule.writerStep() == .checkpoint)
        #expect(trial.keeper(after: Self.second) == .wait(milliseconds: -1), "it has it alone")
        trial.writerEnds(.partial)
        #expect(trial.schedule.writerStep() == .nothing, "somebody reads what is older")
        _ = trial.commit(pages: Self.bound + Self.long)
        #expect(trial.schedule.writerStep() == .checkpoint)
        trial.writerEnds(.complete)
        #expect(trial.keeper() == .wait(milliseconds: -1))
        // It begins anew.
        _ = trial.commit(pages: 3)
        #expect(trial.schedule.writerStep() == .nothing)
        _ = trial.commit(pages: Self.bound)
        #expect(trial.schedule.writerStep() == .checkpoint)
    }

    @Test func theWriterWaitsForTheKeeperOnlyFarBeyondTheBound() {
        var trial = Trial()
        trial.syncsFirst()
        _ = trial.commit(pages: Self.bound)
        #expect(trial.keeper(after: Self.second) == .checkpoint)
        #expect(trial.schedule.writerStep() == .nothing)
        _ = trial.commit(pages: Self.bound + Self.long)
        #expect(trial.schedule.writerStep() == .wait)
        let woken = trial.ends(.checkpoint, .partial)
        #expect(woken.awaited && !woken.needed)
        #expect(trial.schedule.writerStep() == .checkpoint)
    }

    @Test func afterAFailureEverythingIsMovedByTheWriter() {
        var trial = Trial()
        #expect(trial.commit(pages: 4) == true)
        #expect(trial.keeper() == .sync)
        #expect(trial.ends(.sync, .failed).needed == false)
        #expect(trial.keeper() == .wait(milliseconds: 1_000))
        #expect(trial.keeper(after: Self.second) == .checkpoint)
        trial.ends(.checkpoint, .failed)
        #expect(trial.schedule.writerStep() == .nothing, "the disk still fails")
        #expect(trial.keeper(after: Self.second) == .checkpoint)
        #expect(trial.ends(.checkpoint).needed == true)
        #expect(trial.schedule.writerStep() == .checkpoint)
        trial.writerEnds(.failed)
        #expect(trial.keeper(after: Self.second) == .checkpoint)
        #expect(trial.ends(.checkpoint).needed == true)
        #expect(trial.schedule.writerStep() == .checkpoint)
        trial.writerEnds(.complete)
        #expect(trial.keeper() == .wait(milliseconds: -1))
        trial.now += Self.second
        trial.syncsFirst()
    }

    @Test func withoutRoomTheWriterAloneMovesTheJournal() {
        var trial = Trial()
        trial.hasRoom = false
        #expect(trial.commit(pages: 4) == true)
        #expect(trial.keeper() == .leave)
        #expect(trial.schedule.writerStep() == .checkpoint)
        trial.writerEnds(.complete)
        #expect(trial.keeper() == .wait(milliseconds: -1))
        _ = trial.commit(pages: 8)
        #expect(trial.keeper() == .wait(milliseconds: 1_000), "once a second")
        #expect(trial.keeper(after: Self.second) == .leave)
        #expect(trial.schedule.writerStep() == .checkpoint)
        trial.writerEnds(.failed)
        #expect(trial.schedule.writerStep() == .nothing, "the disk still fails")
        #expect(trial.keeper(after: Self.second) == .leave)
        #expect(trial.schedule.writerStep() == .checkpoint)
        trial.writerEnds(.partial)
        #expect(trial.keeper(after: 60 * Self.second) == .leave, "somebody read what was older")
        #expect(trial.schedule.writerStep() == .checkpoint)
        trial.writerEnds(.complete)
        _ = trial.keeper()
        _ = trial.commit(pages: 8 + Self.long)
        #expect(trial.keeper() == .wait(milliseconds: 1_000), "it is the writer's")
        #expect(trial.schedule.writerStep() == .checkpoint)
    }

    @Test func atTheEndTheKeeperDoesNothingMore() {
        var trial = Trial()
        _ = trial.commit(pages: Self.long)
        _ = trial.schedule.close()
        #expect(trial.keeper() == .end)
    }
}
