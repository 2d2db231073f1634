internal import Topics

/// What the store keeps of one topic beside its events: one row of `topics`.
struct TopicState {
    let number: Int64
    let name: TopicName
    /// Its settings, if it was registered.
    var settings: TopicSettings?
    var owner: UInt32?
    /// Events up to this id are gone, even where their rows still wait to be removed.
    var removedThrough: EventID
    var removedTime: Timestamp
    /// The highest id that was given to an event without a row; exact only in memory.
    var unstored: EventID
    /// Retained events.
    var events = 0
    /// Their payload bytes.
    var bytes = 0

    /// Whether the topic exists: another one with no events is a tombstone.
    var isLive: Bool { settings != nil || events > 0 }

    /// Whether new events need no row.
    var persists: Bool { settings?.persists ?? true }

    /// What it takes on the disk, about.
    var diskBytes: Int { bytes + events * Limits.eventOverheadBytes }

    /// Columns in the order of `init(_:)`.
    static let columns =
        """
        number, name, registered, keep, bytes_max, age, persists, owner, lost, lost_time, unstored,
        events, bytes, hold
        """

    /// The topic that a row of `columns` says; nil if it says none.
    init?(_ row: Statement) {
        guard let name = try? TopicName(row.text(1) ?? "") else { return nil }
        number = row.integer(0)
        self.name = name
        if row.integer(2) != 0 {
            settings = TopicSettings(
                retention: Retention(
                    keep: row.optionalInteger(3).map { max(0, Int($0)) },
                    bytes: row.optionalInteger(4).map { max(0, Int($0)) },
                    age: row.optionalInteger(5).map { max(0, $0) }),
                persists: row.integer(6) != 0)
            settings?.hold = row.text(13)
        }
        owner = row.optionalInteger(7).map { UInt32(truncatingIfNeeded: $0) }
        removedThrough = row.id(8)
        removedTime = row.time(9)
        unstored = row.id(10)
        events = Int(row.integer(11))
        bytes = Int(row.integer(12))
    }

    /// A topic that is new.
    init(number: Int64, name: TopicName) {
        self.number = number
        self.name = name
        removedThrough = .zero
        removedTime = .distantPast
        unstored = .zero
    }
}
