internal import Topics

/// The order that a replica follows, and the last group that it has: columns of the row of `bus`.
///
/// The row's `ceiling` is the next id that the order gives, and its `time` is that of the group.
struct FollowedOrder: Equatable {
    let life: OrderLife
    var place: OrderPlace

    /// Columns in the order of `init(_:from:time:)`.
    static let columns = "order_life, order_base, order_sequence, order_chain, order_line"

    init(life: OrderLife, place: OrderPlace) {
        self.life = life
        self.place = place
    }

    /// The order in a row that has its columns from `first` on; nil if it follows none.
    init?(_ row: Statement, from first: Int32, time: Timestamp) throws(DatabaseError) {
        let base = try row.optionalInteger(first + 1, .busOrderBase)
        let sequence = try row.optionalInteger(first + 2, .busOrderSequence)
        let line = try row.optionalInteger(first + 4, .busOrderLine)
        guard let text = row.text(first) else { return nil }
        guard let identity = Self.number(text), let base, let sequence, let line,
            let chain = row.text(first + 3).flatMap(Self.number)
        else { throw .damaged("the order of the store makes no sense") }
        life = OrderLife(identity: identity, base: EventID(rawValue: UInt64(base)))
        place = OrderPlace(sequence: sequence, chain: chain, line: line, time: time)
    }

    /// Binds the columns to parameters from `first` on.
    func bind(to statement: Statement, from first: Int32) {
        statement.bind(Self.text(life.identity), at: first)
        statement.bind(life.base, at: first + 1)
        statement.bind(place.sequence, at: first + 2)
        statement.bind(Self.text(place.chain), at: first + 3)
        statement.bind(place.line, at: first + 4)
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
                order_line = ?5
            """)
    }

    /// Writes the place of the last group, within the transaction of its rows.
    func write(_ place: OrderPlace, next: UInt64) throws(DatabaseError) {
        update.bind(Int64(next), at: 1)
        update.bind(place.time.microseconds, at: 2)
        update.bind(place.sequence, at: 3)
        update.bind(FollowedOrder.text(place.chain), at: 4)
        update.bind(place.line, at: 5)
        try update.run()
    }
}
