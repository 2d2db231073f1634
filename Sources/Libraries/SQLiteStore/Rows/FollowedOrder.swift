internal import Topics

/// The order that a replica follows, and the last group that it has: columns of the row of `bus`.
///
/// The settings of the order lie beside it. The row's `ceiling` is the next id that the order gives,
/// and its `time` is that of the group.
struct FollowedOrder: Equatable {
    let life: OrderLife
    var place: OrderPlace
    var settings: OrderSettings

    /// Columns in the order of `init(_:from:time:)`.
    static let columns =
        """
        order_life, order_base, order_sequence, order_chain, order_line, order_keep, order_bytes,
        order_age, order_tombstones, order_bytes_max
        """

    /// A replica without a group.
    init(life: OrderLife) {
        self.life = life
        place = .beginning(of: life)
        settings = .unbounded
    }

    /// The order in a row that has its columns from `first` on; nil if it follows none.
    init?(_ row: Statement, from first: Int32, time: Timestamp) throws(DatabaseError) {
        let base = try row.optionalInteger(first + 1, .busOrderBase)
        let sequence = try row.optionalInteger(first + 2, .busOrderSequence)
        let line = try row.optionalInteger(first + 4, .busOrderLine)
        let keep = try row.optionalInteger(first + 5, .busOrderKeep)
        let bytes = try row.optionalInteger(first + 6, .busOrderBytes)
        let age = try row.optionalInteger(first + 7, .busOrderAge)
        let tombstones = try row.optionalInteger(first + 8, .busOrderTombstones)
        let bytesMax = try row.optionalInteger(first + 9, .busOrderBytesMax)
        guard let text = row.text(first) else { return nil }
        guard let identity = Self.number(text), let base, let sequence, let line,
            let chain = row.text(first + 3).flatMap(Self.number)
        else { throw .damaged("the order of the store makes no sense") }
        life = OrderLife(identity: identity, base: EventID(rawValue: UInt64(base)))
        place = OrderPlace(sequence: sequence, chain: chain, line: line, time: time)
        settings = OrderSettings(
            defaults: Retention(keep: keep.map { Int($0) }, bytes: bytes.map { Int($0) }, age: age),
            tombstonesMax: tombstones.map { Int($0) } ?? .max,
            bytesMax: bytesMax.map { Int($0) } ?? .max)
    }

    /// Binds the columns to parameters from `first` on.
    func bind(to statement: Statement, from first: Int32) {
        statement.bind(Self.text(life.identity), at: first)
        statement.bind(life.base, at: first + 1)
        statement.bind(place.sequence, at: first + 2)
        statement.bind(Self.text(place.chain), at: first + 3)
        statement.bind(place.line, at: first + 4)
        Self.bind(settings, to: statement, from: first + 5)
    }

    fileprivate static func bind(
        _ settings: OrderSettings, to statement: Statement, from first: Int32
    ) {
        func bind(_ number: Int?, _ offset: Int32) {
            statement.bind(number.flatMap { $0 == .max ? nil : Int64($0) }, at: first + offset)
        }
        bind(settings.defaults.keep, 0)
        bind(settings.defaults.bytes, 1)
        statement.bind(settings.defaults.age, at: first + 2)
        bind(settings.tombstonesMax, 3)
        bind(settings.bytesMax, 4)
    }

    /// The 32 digits of a number, as the file has them.
    static func text(_ number: UInt128) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    private static func number(_ text: String) -> UInt128? {
        text.utf8.count == 32 ? UInt128(text, radix: 16) : nil
    }
}

/// The statement that writes how far a replica is. Belongs to the writer's thread.
struct FollowedRow {
    private let update: Statement

    init(_ database: Database) throws(DatabaseError) {
        update = try database.prepare(
            """
            UPDATE bus SET ceiling = ?1, time = ?2, order_sequence = ?3, order_chain = ?4,
                order_line = ?5, order_keep = ?6, order_bytes = ?7, order_age = ?8,
                order_tombstones = ?9, order_bytes_max = ?10
            """)
    }

    /// Writes the place of the last group, within the transaction of its rows.
    func write(
        _ place: OrderPlace, _ settings: OrderSettings, next: UInt64
    ) throws(DatabaseError) {
        update.bind(Int64(next), at: 1)
        update.bind(place.time.microseconds, at: 2)
        update.bind(place.sequence, at: 3)
        update.bind(FollowedOrder.text(place.chain), at: 4)
        update.bind(place.line, at: 5)
        FollowedOrder.bind(settings, to: update, from: 6)
        try update.run()
    }
}
