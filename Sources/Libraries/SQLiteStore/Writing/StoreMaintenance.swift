internal import Topics

/// The upkeep that the writer does between two groups, some at a time. It removes rows of events
/// that are gone, merges tombstones and gives pages back. If the keeper of the journal cannot
/// finish beside the writer, it also moves the journal into the file.
///
/// None of it changes the events that readers see. So after a failure it is tried again later, and
/// nobody is told. Belongs to the writer's thread.
struct StoreMaintenance {
    private let database: Database
    private let rows: EventRows
    private let space: SpaceLimit
    private let later: LaterRows
    private let tombstonesMax: Int
    private var leftovers: [TopicLoading.Leftover]
    /// Tombstones on the disk, or somewhat fewer.
    private var tombstones: Int
    private var hasFreePages = true
    private var hasFailed = false
    private let journal: Checkpointer
    /// Whether something was committed of which the keeper of the journal does not know yet.
    private var isDirty = false

    init(
        _ database: Database, _ rows: EventRows, _ later: LaterRows, _ space: SpaceLimit,
        _ journal: Checkpointer,
        leftovers: [TopicLoading.Leftover], tombstones: Int, tombstonesMax: Int
    ) {
        self.database = database
        self.rows = rows
        self.later = later
        self.space = space
        self.journal = journal
        self.leftovers = leftovers
        self.tombstones = tombstones
        self.tombstonesMax = tombstonesMax
    }

    /// Notes the upkeep that a commit left.
    mutating func note(_ changed: [TopicState], _ leftovers: [TopicLoading.Leftover]) {
        self.leftovers += leftovers
        for topic in changed where !topic.isLive { tombstones += 1 }
        hasFreePages = true
        isDirty = true
    }

    /// How long the writer may wait for something to do, in milliseconds; -1 is for ever.
    var pause: Int32 {
        if hasFailed { return Limits.retryMilliseconds }
        if !leftovers.isEmpty || later.hasLeftovers || hasFreePages || tombstones > tombstonesMax {
            return 0
        }
        return -1
    }

    /// Does a bounded part of the upkeep.
    mutating func turn(isIdle: Bool) {
        defer { report() }
        report()
        journal.moveIfNeeded(database)
        if hasFailed, !isIdle { return }
        do throws(DatabaseError) {
            try removeLeftovers()
            try mergeTombstones()
            if hasFreePages {
                hasFreePages = try space.hasFreePages()
                if hasFreePages {
                    try space.giveBack()
                    isDirty = true
                }
            }
            hasFailed = false
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            space.forget()
            hasFailed = true
        }
    }

    /// Tells the keeper of the journal of new commits.
    private mutating func report() {
        guard isDirty else { return }
        isDirty = false
        journal.committed(pages: database.journalPages)
    }

    // MARK: Leftovers and tombstones

    private mutating func removeLeftovers() throws(DatabaseError) {
        if later.hasLeftovers {
            try later.removeLeftovers()
            space.forget()
            hasFreePages = true
            isDirty = true
        }
        guard let leftover = leftovers.first else { return }
        let count = try rows.removeSome(
            leftover.topic, through: leftover.through, countMax: Limits.removedEventsMax)
        if count < Limits.removedEventsMax { leftovers.removeFirst() }
        space.forget()
        hasFreePages = true
        isDirty = true
    }

    /// Merges the tombstones with the lowest losses into the floor.
    private mutating func mergeTombstones() throws(DatabaseError) {
        guard tombstones > tombstonesMax else { return }
        let rows = TombstoneRows(database)
        tombstones = try rows.count()
        guard tombstones > tombstonesMax else { return }
        let busy = leftovers.map { String($0.topic) }.joined(separator: ",")
        try database.execute("BEGIN IMMEDIATE")
        _ = try rows.merge(tombstones, downTo: tombstonesMax, sparing: "number IN (\(busy))")
        try database.execute("COMMIT")
        tombstones = tombstonesMax
        space.forget()
        isDirty = true
    }
}
