internal import Topics

/// Retention on the disk: which events of a topic go, and the state of the topic without them.
///
/// Runs within the transaction that is open. Belongs to the writer's thread.
struct Removal {
    /// The result of a trim.
    struct Outcome {
        let loss: StoreLoss
        /// The removal that is still to be done, of which the log knows already; nil for none.
        let rest: StoreTrim?
    }

    /// Removes the events that a trim asks for, a bounded number at most. The log asks again for
    /// events that are over the bounds beyond that.
    static func trim(
        _ trim: StoreTrim, _ topics: inout TopicRows, _ rows: EventRows
    ) throws(DatabaseError) -> Outcome {
        guard let topic = try topics.state(of: trim.topic), topic.isLive else {
            return Outcome(
                loss: StoreLoss(
                    removedThrough: trim.through, removedTime: trim.now, EventSum(),
                    oldest: nil,
                    oldestTime: nil), rest: nil)
        }
        var walk = Walk(trim, topic)
        try rows.walk(topic.number, after: topic.removedThrough) { walk.take($0) }
        if let last = walk.last {
            try rows.remove(topic.number, after: topic.removedThrough, through: last.id)
        }
        if !walk.isCutShort || walk.oldest.map({ $0.id > trim.through }) ?? true {
            topics.change(walk.topic(lostThrough: trim.through))
            return Outcome(loss: walk.loss, rest: nil)
        }
        topics.change(walk.topic(lostThrough: .zero))
        let oldest = try rows.first(topic.number, after: trim.through)
        return Outcome(
            loss: StoreLoss(
                removedThrough: trim.through, removedTime: trim.now, EventSum(),
                oldest: oldest?.id,
                oldestTime: oldest?.time),
            rest: StoreTrim(
                topic: trim.topic, through: trim.through,
                retention: Retention(keep: nil, bytes: nil, age: nil), now: trim.now))
    }

    /// Removes the oldest events of a topic until it takes no more than `level` bytes of the disk and
    /// is within its bounds at `now`.
    static func cut(
        _ topic: TopicState, downTo level: Int = .max,
        to retention: Retention = Retention(keep: nil, bytes: nil, age: nil), heldFrom: EventID?,
        at now: Timestamp = .distantPast, _ topics: inout TopicRows, _ rows: EventRows,
        countMax: Int
    ) throws(DatabaseError) -> StoreLoss {
        let trim = StoreTrim(
            topic: topic.name, through: .zero, retention: retention, heldFrom: heldFrom, now: now)
        var walk = Walk(trim, topic, level: level, countMax: countMax)
        try rows.walk(topic.number, after: topic.removedThrough) { walk.take($0) }
        if let last = walk.last {
            try rows.remove(topic.number, after: topic.removedThrough, through: last.id)
        }
        topics.change(walk.topic(lostThrough: .zero))
        return walk.loss
    }

    /// One walk over the oldest rows of a topic, until one may stay.
    private struct Walk {
        private let trim: StoreTrim
        private let level: Int
        private let countMax: Int
        private var topic: TopicState
        /// How many events went, and those of them beyond `through`.
        private var removed = 0
        private var sum = EventSum()
        /// The last row that goes.
        private(set) var last: EventRows.Row?
        /// The first row that stays.
        private(set) var oldest: EventRows.Row?
        /// Whether the first row that stays should go, too.
        private(set) var isCutShort = false

        init(
            _ trim: StoreTrim, _ topic: TopicState, level: Int = .max,
            countMax: Int = Limits.removedEventsMax
        ) {
            self.trim = trim
            self.topic = topic
            self.level = level
            self.countMax = countMax
        }

        mutating func take(_ row: EventRows.Row) -> Bool {
            guard mustGo(row), removed < countMax else {
                oldest = row
                isCutShort = mustGo(row)
                return false
            }
            removed += 1
            let one = EventSum(count: 1, ofBus: row.isOfBus ? 1 : 0, bytes: row.bytes)
            if row.id > trim.through { sum += one }
            topic.sum -= one
            last = row
            return true
        }

        private func mustGo(_ row: EventRows.Row) -> Bool {
            let retention = trim.retention
            if row.id <= trim.through { return true }
            if row.id >= trim.heldFrom ?? .max { return false }
            return retention.isExceeded(by: topic.sum)
                || topic.diskBytes > level || retention.isExpired(row.time, at: trim.now)
        }

        /// The topic without the events that went.
        func topic(lostThrough id: EventID) -> TopicState {
            var topic = topic
            if let last {
                topic.removedThrough = max(topic.removedThrough, last.id)
                topic.removedTime = max(topic.removedTime, last.time)
            }
            if id > topic.removedThrough {
                topic.removedThrough = id
                topic.removedTime = max(topic.removedTime, trim.now)
            }
            return topic
        }

        var loss: StoreLoss {
            let removedThrough =
                last.map { max($0.id, trim.through) } ?? max(topic.removedThrough, trim.through)
            return StoreLoss(
                removedThrough: removedThrough, removedTime: last?.time ?? trim.now, sum,
                oldest: oldest?.id, oldestTime: oldest?.time)
        }
    }
}
