internal import Topics

/// The beginning of a life, as a start works it out from the file: the row of the life, the first
/// id, and the losses.
///
/// The first id lies above every id that may have been given. The start of a replica changes
/// nothing: it goes on behind the last group that it has.
struct LifeStart {
    /// The row that the life begins with.
    let bus: BusRow
    /// The first id that it may give.
    let first: UInt64
    /// After a life that did not end in order, the highest id that may have been given.
    private let lostThrough: EventID?
    private let time: Timestamp
    /// Whether there is anything to write.
    private let isChange: Bool

    /// - Parameters:
    ///   - clock: The boot that it is in.
    ///   - now: The time.
    ///   - followsClock: Whether ids begin at the time if that is above all ids that were given. A
    ///     start that leaves nothing on the disk must not tell an id that only the clock knows.
    init(
        _ database: Database, _ file: StoreFile, _ idCeiling: IDCeiling?,
        _ clock: BootClock, now: Timestamp,
        followsClock: Bool = true
    ) throws {
        var bus = try BusRow.read(database) ?? .fresh()
        guard bus.order == nil else {
            throw StoreError(
                detail: "the store \(file.path) follows an order that other hosts share: begin "
                    + "with that order, or with an empty store")
        }
        let last = try Self.lastEvent(database)
        let loss = try Self.lastLoss(database)
        let lastLife = file.life.last
        let reached = max(last.id, loss.id, bus.floor)
        let mayLackEvents =
            reached < file.life.answered || bus.mayLackEvents(lastLife: lastLife, boot: clock.boot)
        let wasClosed = bus.isClosed && !mayLackEvents
        first = max(
            UInt64(followsClock ? max(1, now.microseconds) : 1), bus.ceiling,
            lastLife?.ceiling ?? 0, idCeiling?.found ?? 0, last.id.successor.rawValue)
        let ceiling = first + Limits.idsAhead
        guard ceiling <= EventID.max.rawValue else {
            throw StoreError(
                detail: "the next id of \(file.path) would be \(first), and ids end at "
                    + "\(EventID.max): set the clock right, and begin with an empty store")
        }
        let newest = EventID(rawValue: first - 1)
        if mayLackEvents {
            bus.floor = newest
            bus.floorTime = max(now, last.time)
        }
        if bus.life == 0, lastLife == nil, idCeiling?.found ?? 0 == 0 {
            bus.unusedThrough = newest
        } else if lastLife?.identity != bus.identity {
            bus.unusedThrough = .zero
        }
        bus.life = max(bus.life, lastLife?.life ?? 0) + 1
        bus.isCopy = false
        bus.isClosed = false
        bus.ceiling = ceiling
        bus.time = max(bus.time, last.time, loss.time)
        bus.boot = bus.boot.following(clock, now: now)
        self.bus = bus
        lostThrough = wasClosed ? nil : newest
        time = max(now, bus.time)
        isChange = true
    }

    /// The beginning of a replica's life.
    ///
    /// - Parameters:
    ///   - life: The order that it is to follow. An empty file is made its replica.
    ///   - clock: The boot that it is in. Spans of jobs have their full time anew in every life.
    init(
        following life: OrderLife, _ database: Database, _ path: String, _ clock: BootClock
    ) throws {
        let found = try BusRow.read(database)
        guard found == nil || found?.order != nil else {
            throw StoreError(
                detail: "the store \(path) is a bus of one host, and no replica of the order: "
                    + "begin with an empty store")
        }
        guard found == nil || found?.order?.life == life else {
            throw StoreError(
                detail: "the store \(path) is a replica of another order: begin with that order, "
                    + "or with an empty store")
        }
        var bus = found ?? .replica(of: life)
        bus.boot = BootMark(began: clock.now(), time: bus.time)
        self.bus = bus
        first = bus.ceiling
        lostThrough = nil
        time = bus.time
        isChange = found == nil
    }

    /// Writes the row of the life and the losses, within the open transaction.
    func apply(to database: Database) throws(DatabaseError) {
        guard isChange else { return }
        try bus.write(database)
        try TopicLoading.loseUnstored(database, through: lostThrough, now: time)
    }

    private static func lastEvent(
        _ database: Database
    ) throws(DatabaseError) -> (id: EventID, time: Timestamp) {
        let row = try database.prepare("SELECT id, time FROM events ORDER BY id DESC LIMIT 1")
        guard try row.step() else { return (.zero, .distantPast) }
        return (try row.id(0, .eventID), try row.time(1, .eventTime))
    }

    /// The highest id and the latest time that topics have of their lost events. The rows of those
    /// events may be gone.
    private static func lastLoss(
        _ database: Database
    ) throws(DatabaseError) -> (id: EventID, time: Timestamp) {
        let row = try database.prepare("SELECT max(lost), max(lost_time) FROM topics")
        guard try row.step(), !row.isNull(0) else { return (.zero, .distantPast) }
        return (try row.id(0, .topicLost), try row.time(1, .topicLostTime))
    }
}
