/// The bounds of this module, each with the reason for its number.
enum Limits {
    /// Ids are committed ahead of use by this many: one synced write per million events.
    static let idsAhead: UInt64 = 1 << 20
    /// Steps that one transaction takes, a row or half a KiB each, unless a single entry has more.
    /// A failing disk fails all of its entries together, and each entry waits for all. Enough for a
    /// batch of 10,000 small events and for the entries that others bring meanwhile, or for 8 MiB:
    /// some 20 ms.
    static let groupStepsMax = 16_384
    /// Bytes that take about as long as a row.
    static let stepBytes = 512
    /// Steps of a transaction that a user has in one turn while others wait: a sixteenth of the
    /// transaction, about a millisecond.
    static let turnSteps = 1_024
    /// Entries and removals that one transaction takes, for the same reason.
    static let groupEntriesMax = 4_096
    /// Commits that take this long are worth waiting for one another: a shorter wait than a
    /// millisecond cannot be told from none.
    static let gatheringCommitMicrosecondsMin = 2_000
    /// The writer waits for a commit's duration divided by this, so that others share the commit.
    static let gatheringDivisor = 4
    /// The longest that anybody waits for others on a disk that is slower still.
    static let gatheringMillisecondsMax = 20
    /// Events that one turn of the writer removes for retention or for a topic that is gone: a few
    /// milliseconds that publishers wait for.
    static let removedEventsMax = 2_048
    /// Events that go by themselves with one group of an order, at most: a part of the rules that are
    /// the same on all hosts.
    static let orderedRemovalsMax = 16_384
    /// The order's bytes are looked at with every group whose number this divides.
    static let spaceLookGroups: Int64 = 8
    /// The order's tombstones are looked at with every group whose number this divides.
    static let tombstoneLookGroups: Int64 = 256
    /// Entries of topics that are not due any more, beyond as many as there are topics.
    static let dueTopicsSpare = 64
    /// Events that one turn of the writer removes because the file is at its limit.
    static let evictedEventsMax = 32_768
    /// Milliseconds that removals wait for something to be committed with, so that a publisher at
    /// the bound of its topic does not cost two transactions each time.
    static let removalWaitMilliseconds: Int32 = 20
    /// Milliseconds between two attempts of a store that was refused by its disk.
    static let retryMilliseconds: Int32 = 1_000
    /// Milliseconds that a transaction waits for a lock of another program.
    static let busyMilliseconds: Int32 = 2_000
    /// Removals that a disk which refused is tried with at a time: each attempt costs its publisher
    /// so much, however many wait.
    static let retriedTrimsMax = 64
    /// Threads that read: a second one, so that a long search does not stop everybody else's page.
    static let readers = 2
    /// Events that one turn of a reader looks at before others have theirs: about a millisecond,
    /// which somebody else's page waits.
    static let examinedEventsMax = 1_024
    /// Names that a turn compares with terms of a selector, some 30 ns each, to find the topics that it
    /// merges: where it takes more, every event is looked at.
    static let comparedNamesMax = 1 << 17
    /// Reads of one user that wait for a reader: more than anybody has connections, some 300 bytes each.
    static let waitingReadsPerUserMax = 1 << 17
    /// Topics that are merged by their indexes; more are found by looking at every event.
    static let mergedTopicsMax = 64
    /// Pages of the journal that are moved into the file in one go: 8 MiB, some milliseconds.
    /// Rarely, because the first commit of a journal that begins anew waits for a sync.
    static let checkpointPages = 2_048
    /// Pages of the journal from which on the writer moves it itself, because it never rests while
    /// the keeper does: 32 MiB, thousands of commits for each that waits.
    static let journalPagesMax = 8_192
    /// Free bytes of the disk below which the journal is kept as short as can be, though publishers
    /// wait for that: a journal at its bound takes as much, and as much again in the file.
    static let longJournalRoomBytesMin: UInt64 = 80 << 20
    /// Milliseconds after which the journal is synced: so much is lost at the most when the power
    /// goes, unless every commit is synced.
    static let syncMilliseconds: Int32 = 1_000
    /// Microseconds after which even a short journal is moved into the file, so that the file alone
    /// has all but the last events.
    static let unmovedMicrosecondsMax = 60_000_000
    /// Bytes that the journal may keep on the disk when nothing is in it.
    static let journalBytesMax = 16 << 20
    /// Pages that one turn gives back to the file system.
    static let vacuumedPagesMax = 64
    /// Free pages that the file keeps for new rows: 1 MiB.
    static let freePagesMin = 256
    /// The part of all pages that may lie free before they are given back: half of the file.
    static let freePagesDivisor = 2
    /// The part of the size limit that is made free beyond the need, so that the search for the
    /// largest topics is paid once for many events.
    static let roomSlackDivisor = 256
    /// Bytes that an event takes on the disk beside its payload and fields: its row, its place
    /// in the index, and its part of pages that are not full.
    static let eventOverheadBytes = 64
    /// Bytes that an open job takes on the disk with its lease, about.
    static let jobRowBytes = 192
    /// Bytes that a work group takes on the disk, about.
    static let groupRowBytes = 1_024
    /// Bytes of the file that are kept for topics and for pages that fill unevenly.
    static let spareBytes = 1 << 20
    /// Free bytes of the disk from which on a store that was refused for want of room is ready
    /// again.
    static let roomBytesMin: UInt64 = 4 << 20
    /// The smallest size limit: below it not even the largest batch fits.
    static let sizeBytesMin = 64 << 20
    /// A life record is one line; anything longer is not one.
    static let lifeRecordBytes = 256
    /// An id, behind that line.
    static let answeredMarkBytes = 8
    /// Both together.
    static let lifeFileBytes = lifeRecordBytes + answeredMarkBytes
    /// The byte of a database's file that is locked: no file is as long, and SQLite locks others.
    static let lockedByte = Int.max - 1
    /// The most findings that a check of the file returns.
    static let findingsMax = 20
    /// Damaged events that the log is told of, a line each: a check says more.
    static let damagedEventsToldMax = 100

    // Ranges of the numbers in columns. The sum of two counts, ids or times fits in 64 bits.

    /// Rows of forgotten keys that go with one publish, so that they go faster than they come.
    static let goneKeysMax = 64
    /// Keys that are forgotten at once beside a commit, some 300 ns each.
    static let forgottenKeysMax = 1_024
    /// Range of windows of keys, in seconds.
    static let windows: ClosedRange<Int64> = 0...Int64(UInt32.max)
    /// Range of the number of events of a batch.
    static let batchCounts: ClosedRange<Int64> = 1...Int64(UInt32.max)
    /// Range of numbers that count something, and of spans in microseconds: as many as there are
    /// ids.
    static let counts: ClosedRange<Int64> = 0...(1 << 53) - 1
    /// Range of ids, and of cursors, which may be zero.
    static let ids = counts
    /// Range of the numbers that are keys of rows.
    static let keys: ClosedRange<Int64> = 1...(1 << 53) - 1
    /// Range of yes and no.
    static let flags: ClosedRange<Int64> = 0...1
    /// Range of bounds, such as those of programs that mean "none" by the highest number. Nothing
    /// is added to one without a check.
    static let bounds: ClosedRange<Int64> = 0...Int64.max
    /// Range of times: the years that RFC 3339 can write, in microseconds since 1970.
    static let times: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999
    /// Range of times of losses. The lowest number is a time before any loss.
    static let lossTimes: ClosedRange<Int64> = Int64.min...times.upperBound
    /// Range of user ids.
    static let users: ClosedRange<Int64> = 0...Int64(UInt32.max)
    /// Range of process ids.
    static let processes: ClosedRange<Int64> = Int64(Int32.min)...Int64(Int32.max)
    /// Range of random bits.
    static let any: ClosedRange<Int64> = Int64.min...Int64.max
    /// The most bytes of the identity that names a store in its life record.
    static let identityBytesMax = 32
}
