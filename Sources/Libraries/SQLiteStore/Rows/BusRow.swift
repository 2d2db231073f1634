internal import Topics

/// The state that the store keeps of the whole bus: the one row of `bus`.
struct BusRow: Equatable {
    /// Drawn when the store was made; a backup has the same.
    var identity: String
    /// Starts so far.
    var life: Int64
    /// Whether this file is a backup that nobody has used yet.
    var isCopy: Bool
    /// Whether the last life was closed in order.
    var isClosed: Bool
    /// No id from here on was given.
    var ceiling: UInt64
    /// The time of the last event when the store was last closed, or of one whose topic is
    /// forgotten since.
    var time: Timestamp
    /// The highest loss of topics that nobody remembers apart.
    var floor: EventID
    var floorTime: Timestamp
    /// No life of the bus gave an id up to here; zero where nobody can say.
    var unusedThrough: EventID
    /// The boot of the last life.
    var boot = BootMark()
    /// The order of several hosts that it follows; nil for a store that gives ids itself.
    var order: FollowedOrder?

    /// The row of a store without a life.
    static func fresh() -> BusRow {
        BusRow(
            identity: String(UInt64.random(in: 0 ... .max), radix: 36), life: 0, isCopy: false,
            isClosed: true, ceiling: 0, time: .distantPast, floor: .zero,
            floorTime: .distantPast, unusedThrough: .zero)
    }

    /// The row of a replica that has no group yet. Nothing that came before the order is in it.
    static func replica(of life: OrderLife) -> BusRow {
        let order = FollowedOrder(life: life)
        let before = EventID(rawValue: life.base.rawValue - 1)
        return BusRow(
            identity: FollowedOrder.text(life.identity), life: 0, isCopy: false, isClosed: true,
            ceiling: life.base.rawValue, time: order.place.time, floor: before,
            floorTime: .distantPast, unusedThrough: before,
            order: order)
    }

    /// The row of a store; nil if it has none.
    static func read(_ database: Database) throws(DatabaseError) -> BusRow? {
        let row = try database.prepare(
            """
            SELECT identity, life, is_copy, is_closed, ceiling, time, floor, floor_time,
                unused_through, seals, boot, boot_number, boot_began, boot_time,
                \(FollowedOrder.columns)
            FROM bus
            """)
        guard try row.step() else { return nil }
        let identity = row.text(0) ?? ""
        guard isIdentity(identity) else {
            throw .damaged("the store's identity is '\(identity.prefix(40))'")
        }
        // Only SQLite computes with this number, so it is read to check its range alone.
        _ = try row.integer(9, .busSeals)
        let time = try row.time(5, .busTime)
        return BusRow(
            identity: identity, life: try row.integer(1, .busLife),
            isCopy: try row.flag(2, .busIsCopy), isClosed: try row.flag(3, .busIsClosed),
            ceiling: try row.id(4, .busCeiling).rawValue, time: time,
            floor: try row.id(6, .busFloor), floorTime: try row.time(7, .busFloorTime),
            unusedThrough: try row.id(8, .busUnusedThrough),
            boot: BootMark(
                id: row.text(10) ?? "", number: try row.integer(11, .busBootNumber),
                began: try row.integer(12, .busBootBegan), time: try row.time(13, .busBootTime)),
            order: try FollowedOrder(row, from: 14, time: time))
    }

    /// Whether a text can be the word of a life record that names its store.
    static func isIdentity(_ text: String) -> Bool {
        (1...Limits.identityBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 }
    }

    /// Puts the row in place of the one that is there.
    func write(_ database: Database) throws(DatabaseError) {
        let write = try database.prepare(
            """
            INSERT INTO bus (only_row, identity, life, is_copy, is_closed, ceiling, time, floor,
                floor_time, seals, unused_through, boot, boot_number, boot_began, boot_time,
                \(FollowedOrder.columns))
            VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
                ?17, ?18, ?19, ?20, ?21, ?22, ?23)
            ON CONFLICT DO UPDATE SET identity = ?1, life = ?2, is_copy = ?3, is_closed = ?4,
                ceiling = ?5, time = ?6, floor = ?7, floor_time = ?8, unused_through = ?9,
                boot = ?10, boot_number = ?11, boot_began = ?12, boot_time = ?13
            """)
        write.bind(identity, at: 1)
        write.bind(life, at: 2)
        write.bind(isCopy ? 1 : 0, at: 3)
        write.bind(isClosed ? 1 : 0, at: 4)
        write.bind(Int64(ceiling), at: 5)
        write.bind(time.microseconds, at: 6)
        write.bind(floor, at: 7)
        write.bind(floorTime.microseconds, at: 8)
        write.bind(unusedThrough, at: 9)
        write.bind(boot.id, at: 10)
        write.bind(boot.number, at: 11)
        write.bind(boot.began, at: 12)
        write.bind(boot.time.microseconds, at: 13)
        order?.bind(to: write, from: 14)
        try write.run()
    }

    /// Whether events may be missing that the last life answered: the file is a copy from before
    /// the last life ended, or the machine lost its power before they were synced.
    ///
    /// Anything that is not certain counts as a loss: a needless gap is told, but a loss that is
    /// not counted would not be.
    func mayLackEvents(lastLife: LifeRecord?, boot: String) -> Bool {
        guard life > 0 else { return true }
        guard !isCopy, let lastLife, lastLife.identity == identity else { return true }
        // The row is committed before the record is written, so it may be one step ahead.
        if life != lastLife.life { return life < lastLife.life }
        if isClosed { return false }
        if lastLife.isClosed || ceiling < lastLife.ceiling { return true }
        return !lastLife.isSynced && (boot.isEmpty || boot != lastLife.boot)
    }
}
