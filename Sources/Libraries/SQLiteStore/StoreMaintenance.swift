internal import Telemetry
internal import Topics

/// What the writer does between two groups, some at a time: the journal is moved into the file,
/// rows of what is gone are removed, tombstones are merged, pages are given back.
///
/// None of it changes what readers see, so a failure is tried again later and told nobody. Belongs
/// to the writer's thread.
struct StoreMaintenance {
    private let database: Database
    private let rows: EventRows
    private let space: SpaceLimit
    private let tombstonesMax: Int
    private var leftovers: [TopicLoading.Leftover]
    /// Tombstones on the disk, or somewhat fewer.
    private var tombstones: Int
    private var hasFreePages = true
    private var hasFailed = false
    private var journal = Journal()

    /// What is known of the journal.
    private struct Journal {
        /// Pages after the last checkpoint.
        var base = 0
        var isDirty = false
        var time = MonotonicClock.microseconds()
    }

    init(
        _ database: Database, _ rows: EventRows, _ space: SpaceLimit,
        leftovers: [TopicLoading.Leftover], tombstones: Int, tombstonesMax: Int
    ) {
        self.database = database
        self.rows = rows
        self.space = space
        self.leftovers = leftovers
        self.tombstones = tombstones
        self.tombstonesMax = tombstonesMax
    }

    /// Notes what a commit left to be done.
    mutating func note(_ changed: [TopicState], _ leftovers: [TopicLoading.Leftover]) {
        self.leftovers += leftovers
        for topic in changed where !topic.isLive { tombstones += 1 }
        hasFreePages = true
        journal.isDirty = true
    }

    /// How long the writer may wait for something to do, in milliseconds; -1 is for ever.
    var pause: Int32 {
        if hasFailed { return Limits.retryMilliseconds }
        if !leftovers.isEmpty || hasFreePages || tombstones > tombstonesMax { return 0 }
        return journal.isDirty ? Limits.checkpointMilliseconds : -1
    }

    /// Does a part of what is to be done.
    mutating func turn(isIdle: Bool) {
        if hasFailed, !isIdle { return }
        do throws(DatabaseError) {
            try checkpoint(isIdle: isIdle)
            try removeLeftovers()
            try mergeTombstones()
            if hasFreePages {
                hasFreePages = try space.hasFreePages()
                if hasFreePages { try space.giveBack() }
            }
            hasFailed = false
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            space.forget()
            hasFailed = true
        }
    }

    // MARK: The journal

    private mutating func checkpoint(isIdle: Bool) throws(DatabaseError) {
        guard journal.isDirty else { return }
        let pages = database.journalPages
        if pages < journal.base { journal.base = 0 }
        let now = MonotonicClock.microseconds()
        let isDue =
            pages - journal.base >= Limits.checkpointPages
            || now - journal.time >= Int(Limits.checkpointMilliseconds) * 1_000
        guard isDue else { return }
        journal = Journal(base: pages, isDirty: false, time: now)
        try database.checkpoint(.passive)
    }

    // MARK: What is gone

    private mutating func removeLeftovers() throws(DatabaseError) {
        guard let leftover = leftovers.first else { return }
        let count = try rows.removeSome(
            leftover.topic, through: leftover.through, countMax: Limits.removedEventsMax)
        if count < Limits.removedEventsMax { leftovers.removeFirst() }
        space.forget()
        hasFreePages = true
        journal.isDirty = true
    }

    /// Merges the tombstones with the lowest losses into the floor, an eighth of them at once.
    private mutating func mergeTombstones() throws(DatabaseError) {
        guard tombstones > tombstonesMax else { return }
        let isTombstone = "NOT registered AND events = 0"
        tombstones = Int(
            try database.integer("SELECT count(*) FROM topics WHERE \(isTombstone)"))
        let surplus = tombstones - tombstonesMax + tombstonesMax / 8
        guard tombstones > tombstonesMax else { return }
        let busy = leftovers.map { String($0.topic) }.joined(separator: ",")
        let merged =
            """
            (SELECT number, lost, lost_time FROM topics
                WHERE \(isTombstone) AND number NOT IN (\(busy)) ORDER BY lost LIMIT \(surplus))
            """
        try database.execute(
            """
            BEGIN IMMEDIATE;
            UPDATE bus SET floor = max(floor, (SELECT coalesce(max(lost), 0) FROM \(merged))),
                floor_time = max(floor_time,
                    (SELECT coalesce(max(lost_time), floor_time) FROM \(merged))),
                time = max(time, (SELECT coalesce(max(lost_time), time) FROM \(merged)));
            DELETE FROM topics WHERE number IN (SELECT number FROM \(merged));
            COMMIT
            """)
        tombstones = tombstonesMax
        space.forget()
        journal.isDirty = true
    }
}
