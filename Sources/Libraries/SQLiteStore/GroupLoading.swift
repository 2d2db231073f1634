internal import Topics

/// What a start reads of work groups: their rows, and those of their open jobs.
enum GroupLoading {
    /// Reads all groups by their numbers, each with its jobs by their ids.
    ///
    /// A job whose topic nobody remembers any more lost its event with it: its row goes, and counts
    /// as gone. The transaction that is open removes the row.
    ///
    /// - Complexity: O(groups × log jobs + jobs).
    static func load(_ database: Database) throws(DatabaseError) -> [StoredGroup] {
        var found: [StoredGroup] = []
        let topics = try names(database)
        let all = try database.prepare("SELECT \(GroupColumns.names) FROM groups ORDER BY number")
        let jobs = try database.prepare(
            "SELECT \(JobColumns.names) FROM jobs WHERE in_group = ?1 ORDER BY id")
        var gone = 0
        while try all.step() {
            let number = GroupNumber(rawValue: all.integer(GroupColumns.number))
            guard var record = record(all) else {
                throw DatabaseError(code: -1, text: "group \(number.rawValue) makes no sense")
            }
            var open: [JobRecord] = []
            jobs.bind(number.rawValue, at: 1)
            while try jobs.step() {
                if let topic = topics[jobs.integer(JobColumns.topic)] {
                    open.append(job(jobs, of: topic))
                } else {
                    record.tally.gone += 1
                    gone += 1
                }
            }
            found.append(StoredGroup(number: number, record: record, jobs: open))
        }
        if gone > 0 { try removeGone(database) }
        return found
    }

    private static func names(_ database: Database) throws(DatabaseError) -> [Int64: TopicName] {
        var names: [Int64: TopicName] = [:]
        let all = try database.prepare("SELECT number, name FROM topics")
        while try all.step() {
            if let name = try? TopicName(all.text(1) ?? "") { names[all.integer(0)] = name }
        }
        return names
    }

    private static func removeGone(_ database: Database) throws(DatabaseError) {
        let isGone = "topic NOT IN (SELECT number FROM topics)"
        try database.execute(
            """
            UPDATE groups SET gone = gone
                + (SELECT count(*) FROM jobs WHERE in_group = number AND \(isGone));
            DELETE FROM jobs WHERE \(isGone)
            """)
    }

    /// The group that a row says; nil if it says none.
    private static func record(_ row: Statement) -> GroupRecord? {
        guard let name = row.text(GroupColumns.name), let selector = row.text(GroupColumns.selector)
        else { return nil }
        var dead: TopicName?
        if let text = row.text(GroupColumns.dead) {
            dead = try? TopicName(text)
            if dead == nil { return nil }
        }
        var gap: Gap?
        if !row.isNull(GroupColumns.gapThrough) {
            gap = Gap(
                after: row.id(GroupColumns.gapAfter), through: row.id(GroupColumns.gapThrough))
        }
        var tally = JobTally()
        tally.done = row.integer(GroupColumns.done)
        tally.dead = row.integer(GroupColumns.failed)
        tally.gone = row.integer(GroupColumns.gone)
        tally.expired = row.integer(GroupColumns.expired)
        return GroupRecord(
            name: name, terms: selector.split(separator: ",").map(String.init),
            type: row.text(GroupColumns.type), lease: row.integer(GroupColumns.lease),
            attempts: Int(row.integer(GroupColumns.attempts)), dead: dead,
            isOrderedByKey: row.integer(GroupColumns.byKey) != 0,
            inFlightMax: Int(row.integer(GroupColumns.inFlight)),
            replies: row.integer(GroupColumns.replies) != 0,
            persists: row.integer(GroupColumns.persists) != 0,
            owner: row.optionalInteger(GroupColumns.owner).map { UInt32(truncatingIfNeeded: $0) },
            epoch: row.integer(GroupColumns.epoch), reach: row.id(GroupColumns.reach),
            reportedThrough: row.id(GroupColumns.gapReported), gap: gap, tally: tally)
    }

    private static func job(_ row: Statement, of topic: TopicName) -> JobRecord {
        var state = JobRecord.State.waiting(microseconds: row.integer(JobColumns.due))
        if !row.isNull(JobColumns.tokenHigh) {
            state = .leased(
                JobLease(
                    token: LeaseToken(
                        high: UInt64(bitPattern: row.integer(JobColumns.tokenHigh)),
                        low: UInt64(bitPattern: row.integer(JobColumns.tokenLow))),
                    length: row.integer(JobColumns.lease), worker: row.text(JobColumns.worker),
                    caller: row.text(JobColumns.caller)))
        }
        return JobRecord(
            id: row.id(JobColumns.id), topic: topic, key: row.text(JobColumns.key),
            attempt: Int(row.integer(JobColumns.attempt)), state: state)
    }
}
