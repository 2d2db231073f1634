internal import Topics

/// The rows of topics that vanished, whose losses are told apart. Belongs to the writer's thread.
struct TombstoneRows {
    private let database: Database

    private static let condition = "NOT registered AND events = 0"

    init(_ database: Database) {
        self.database = database
    }

    /// How many there are.
    ///
    /// - Complexity: O(topics).
    func count() throws(DatabaseError) -> Int {
        Int(try database.integer("SELECT count(*) FROM topics WHERE \(Self.condition)"))
    }

    /// The tombstones that were merged, and the floor with their losses.
    struct Merged {
        var names: [TopicName] = []
        var floor: (id: EventID, time: Timestamp)?
    }

    /// Merges the tombstones with the lowest losses into the floor, within the transaction that is
    /// open. To merge again soon would cost the search each time, so an eighth of them goes at once.
    ///
    /// - Parameters:
    ///   - count: How many there are.
    ///   - countMax: How many may stay.
    ///   - spared: The condition of rows that stay in any case.
    func merge(
        _ count: Int, downTo countMax: Int, sparing spared: String
    ) throws(DatabaseError) -> Merged {
        var merged = Merged()
        var numbers: [String] = []
        let lowest = try database.prepare(
            """
            SELECT number, name, lost, lost_time FROM topics
            WHERE \(Self.condition) AND NOT (\(spared)) ORDER BY lost, name
            LIMIT \(count - countMax + countMax / 8)
            """)
        while try lowest.step() {
            numbers.append(String(try lowest.integer(0, .topicNumber)))
            if let name = try? TopicName(lowest.text(1) ?? "") { merged.names.append(name) }
            let (id, time) = (try lowest.id(2, .topicLost), try lowest.time(3, .topicLostTime))
            let floor = merged.floor ?? (id, time)
            merged.floor = (max(floor.id, id), max(floor.time, time))
        }
        guard let floor = merged.floor else { return merged }
        let list = numbers.joined(separator: ",")
        try database.execute(
            """
            UPDATE bus SET floor = max(floor, \(floor.id)),
                floor_time = max(floor_time, \(floor.time.microseconds)),
                time = max(time, \(floor.time.microseconds));
            DELETE FROM events WHERE topic IN (\(list));
            DELETE FROM topics WHERE number IN (\(list))
            """)
        return merged
    }
}
