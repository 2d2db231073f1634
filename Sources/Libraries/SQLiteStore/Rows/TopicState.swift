internal import Topics

/// The state that the store keeps of one topic beside its events: one row of `topics`.
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
    /// Events up to this id are of a topic of this name that was removed.
    var deletedThrough: EventID
    /// Whether it is silent; nil where it is not expected to have events.
    var silence: Silence?
    /// Retained events.
    var sum = EventSum()

    /// Whether the topic exists. One without settings and events is a tombstone.
    var isLive: Bool { settings != nil || sum.count > 0 }

    /// Whether new events need a row.
    var persists: Bool { settings?.persists ?? true }

    /// The bytes that it takes on the disk, about.
    var diskBytes: Int { sum.bytes + sum.count * Limits.eventOverheadBytes }

    /// Columns in the order of `init(_:)`.
    static let columns =
        """
        number, name, registered, keep, bytes_max, age, persists, owner, lost, lost_time, unstored,
        events, bytes, hold, hold_group, expect, heard, silence, deleted, of_bus
        """

    /// The topic in a row of `columns`.
    init(_ row: Statement) throws(DatabaseError) {
        number = try row.integer(0, .topicNumber)
        guard let name = try? TopicName(row.text(1) ?? "") else {
            throw .damaged("topic \(number) is called \((row.text(1) ?? "nothing").prefix(40))")
        }
        self.name = name
        let retention = Retention(
            keep: try row.optionalInteger(3, .topicKeep).map { Int($0) },
            bytes: try row.optionalInteger(4, .topicBytesMax).map { Int($0) },
            age: try row.optionalInteger(5, .topicAge))
        let persists = try row.flag(6, .topicPersists)
        if try row.flag(2, .topicRegistered) {
            settings = TopicSettings(retention: retention, persists: persists)
            if let name = row.text(13),
                let group = try row.optionalInteger(14, .topicHoldGroup)
            {
                settings?.hold = TopicHolder(group: GroupNumber(rawValue: group), name: name)
            }
            silence = try Self.silence(row)
            settings?.expect = silence?.expect
        }
        owner = try row.user(7, .topicOwner)
        removedThrough = try row.id(8, .topicLost)
        removedTime = try row.time(9, .topicLostTime)
        unstored = try row.id(10, .topicUnstored)
        sum = EventSum(
            count: Int(try row.integer(11, .topicEvents)),
            ofBus: Int(try row.integer(19, .topicOfBus)),
            bytes: Int(try row.integer(12, .topicBytes)))
        deletedThrough = try row.id(18, .topicDeleted)
    }

    /// The version of the topic, for conditions of publishes.
    ///
    /// - Parameter last: The last of its rows.
    func version(last: EventID?) -> TopicVersion {
        let newest = max(last ?? .zero, unstored, removedThrough)
        return TopicVersion(exists: isLive, newest: newest > deletedThrough ? newest : .zero)
    }

    private static func silence(_ row: Statement) throws(DatabaseError) -> Silence? {
        guard let expect = try row.optionalInteger(15, .topicExpect),
            let heard = try row.optionalInteger(16, .topicHeard)
        else { return nil }
        let phase = try row.optionalInteger(17, .topicSilence).flatMap(Silence.Phase.init)
        return Silence(
            expect: expect, heard: Timestamp(microseconds: heard), phase: phase ?? .heard)
    }

    /// A new topic.
    init(number: Int64, name: TopicName) {
        self.number = number
        self.name = name
        removedThrough = .zero
        removedTime = .distantPast
        unstored = .zero
        deletedThrough = .zero
    }
}
