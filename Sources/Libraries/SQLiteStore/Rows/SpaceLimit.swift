internal import Topics

/// The limit of the file: when it is reached, the topics that are furthest above an equal share
/// lose their oldest events. Belongs to the writer's thread.
struct SpaceLimit {
    private let database: Database
    private let rows: EventRows
    private let held: HeldGroups
    private let bytesMax: Int
    private let pageBytes: Int
    private let pageCount: Statement
    private let freeCount: Statement
    private let pages = Pages()

    /// The counts of the file's pages, once known: asking for them outside of a transaction takes
    /// locks.
    private final class Pages {
        var counted: (all: Int, free: Int)?
    }

    init(
        _ database: Database, _ rows: EventRows, _ held: HeldGroups, bytesMax: Int
    ) throws(DatabaseError) {
        self.database = database
        self.rows = rows
        self.held = held
        self.bytesMax = bytesMax
        pageBytes = Int(try database.integer("PRAGMA page_size"))
        pageCount = try database.prepare("PRAGMA page_count")
        freeCount = try database.prepare("PRAGMA freelist_count")
    }

    /// The bytes of the file that are in use: its free pages do not count.
    func usedBytes() throws(DatabaseError) -> Int {
        let counted = try counted()
        return (counted.all - counted.free) * pageBytes
    }

    private func counted() throws(DatabaseError) -> (all: Int, free: Int) {
        if let counted = pages.counted { return counted }
        return try count()
    }

    /// Counts the pages as the transaction that is open leaves them.
    @discardableResult
    func count() throws(DatabaseError) -> (all: Int, free: Int) {
        let counted = (all: try Self.number(pageCount), free: try Self.number(freeCount))
        pages.counted = counted
        return counted
    }

    /// Has the pages counted again: something else changed them, or was rolled back.
    func forget() {
        pages.counted = nil
    }

    /// The bytes that jobs will take on the disk, about.
    static func bytes(of jobs: [CommitQueue.Job]) -> Int {
        var bytes = 0
        for case .entry(let job) in jobs { bytes += self.bytes(of: job.entry) }
        return bytes
    }

    private static func bytes(of entry: StoreEntry) -> Int {
        switch entry {
        case .events(let batch, persists: true, _): return bytes(of: batch)
        case .hold(let held): return Limits.jobRowBytes + bytes(of: held.batch)
        case .work(let change) where change.persists: return bytes(of: change)
        case .together(let entries): return entries.reduce(0) { $0 + bytes(of: $1) }
        // Events that are due have their room already.
        case .events, .removal, .registration, .work, .cancel, .release: return 0
        }
    }

    private static func bytes(of batch: PublishBatch) -> Int {
        let metadata = batch.metadata.textBytes
        return batch.payloads.reduce(0) { $0 + $1.count + metadata + Limits.eventOverheadBytes }
    }

    /// The bytes that a change of a group will take, about. A change that removes jobs or the group
    /// counts its open jobs alone, so without any it goes through at any size.
    private static func bytes(of change: WorkChange) -> Int {
        let isSmaller = change.removesGroup || change.forgetsJobs || !change.settled.isEmpty
        let record = isSmaller || change.record == nil ? 0 : Limits.groupRowBytes
        return record + change.open.count * Limits.jobRowBytes
    }

    /// Sees to it that `bytes` more fit, in a transaction of its own; nothing is open before.
    ///
    /// - Returns: The losses of topics, which are committed then.
    /// - Complexity: O(topics × log topics + events that go), if any have to.
    func makeRoom(
        for bytes: Int, _ topics: inout TopicRows
    ) throws(DatabaseError) -> [(topic: TopicName, loss: StoreLoss)] {
        guard try excess(bytes) > 0 else { return [] }
        var losses: [(topic: TopicName, loss: StoreLoss)] = []
        try database.execute("BEGIN IMMEDIATE")
        forget()
        var left = Limits.evictedEventsMax
        // Pages become free only when all of their events are gone, so it may take several cuts.
        while left > 0, case let excess = try excess(bytes), excess > 0 {
            let cut = try cut(excess + bytesMax / Limits.roomSlackDivisor, &topics, &left)
            guard !cut.isEmpty else { break }
            losses += cut
            forget()
        }
        try topics.write()
        try count()
        try database.execute("COMMIT")
        return losses
    }

    /// How far above the limit the file would be with `bytes` more.
    func excess(_ bytes: Int) throws(DatabaseError) -> Int {
        // A part of every page stays empty.
        try usedBytes() + bytes + bytes / 8 + Limits.spareBytes - bytesMax
    }

    private func cut(
        _ bytes: Int, _ topics: inout TopicRows, _ left: inout Int
    ) throws(DatabaseError) -> [(topic: TopicName, loss: StoreLoss)] {
        var largest: [TopicState] = []
        for topic in topics.current where topic.sum.count > 0 {
            if try mayLose(topic) { largest.append(topic) }
        }
        largest.sort { $0.diskBytes > $1.diskBytes }
        let level = CommonLevel.of(largest.map(\.diskBytes), freeing: bytes)
        var losses: [(topic: TopicName, loss: StoreLoss)] = []
        for topic in largest where left > 0 {
            guard topic.diskBytes > level else { break }
            let loss = try Removal.cut(
                topic, downTo: level, heldFrom: heldFrom(topic), &topics, rows, countMax: left)
            left -= loss.sum.count
            losses.append((topic.name, loss))
        }
        return losses
    }

    private func heldFrom(_ topic: TopicState) -> EventID? {
        topic.settings?.hold.flatMap { held[$0.group] }
    }

    /// Whether a topic has an event that no group needs.
    private func mayLose(_ topic: TopicState) throws(DatabaseError) -> Bool {
        guard let from = heldFrom(topic) else { return true }
        return try rows.first(topic).map { $0.id < from } ?? false
    }

    // MARK: Giving back

    /// Whether so much lies free that some of it is given back to the file system.
    func hasFreePages() throws(DatabaseError) -> Bool {
        let counted = try counted()
        return counted.free > max(Limits.freePagesMin, counted.all / Limits.freePagesDivisor)
    }

    /// Gives some pages back.
    func giveBack() throws(DatabaseError) {
        forget()
        try database.execute("PRAGMA incremental_vacuum(\(Limits.vacuumedPagesMax))")
    }

    private static func number(_ statement: Statement) throws(DatabaseError) -> Int {
        guard try statement.step() else { return 0 }
        defer { statement.reset() }
        return Int(statement.integer(0))
    }
}
