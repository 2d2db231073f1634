internal import Topics

/// What a start reads of work groups: their rows, and those of their open jobs.
enum GroupLoading {
    /// Reads all groups by their numbers, each with its jobs by their ids.
    ///
    /// A job whose topic nobody remembers any more lost its event with it, and counts as gone: the
    /// transaction that is open removes its row. With a key it leaves a mark, since of that key jobs
    /// of other topics may be parked behind it.
    ///
    /// - Complexity: O(groups × log jobs + jobs).
    static func load(_ database: Database) throws(DatabaseError) -> [StoredGroup] {
        var found: [StoredGroup] = []
        let topics = try names(database)
        let all = try database.prepare("SELECT \(GroupColumns.names) FROM groups ORDER BY number")
        let jobs = try database.prepare(
            "SELECT \(JobColumns.names) FROM jobs WHERE in_group = ?1 ORDER BY id")
        var gone = 0
        var last = (number: JobColumns.noTopic, name: TopicName?.none)
        var lease: JobLease?
        while try all.step() {
            let number = GroupNumber(rawValue: all.integer(GroupColumns.number))
            guard var record = record(all) else {
                throw DatabaseError(code: -1, text: "group \(number.rawValue) makes no sense")
            }
            var open: [JobRecord] = []
            // Groups are often alike, and moving what grows is most of the work.
            open.reserveCapacity(found.last?.jobs.count ?? 0)
            var marks: [KeyMark] = []
            jobs.bind(number.rawValue, at: 1)
            while try jobs.step() {
                let number = jobs.integer(JobColumns.topic)
                if number != last.number { last = (number, topics[number]) }
                if let topic = last.name {
                    open.append(job(jobs, of: topic, lease: &lease))
                    continue
                }
                if let key = jobs.text(JobColumns.key) {
                    marks.append(KeyMark(id: jobs.id(JobColumns.id), key: key))
                }
                guard number != JobColumns.noTopic else { continue }
                record.tally.gone += 1
                gone += 1
            }
            found.append(StoredGroup(number: number, record: record, jobs: open, marks: marks))
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
        let isGone =
            "topic <> \(JobColumns.noTopic) AND topic NOT IN (SELECT number FROM topics)"
        try database.execute(
            """
            UPDATE groups SET gone = gone
                + (SELECT count(*) FROM jobs WHERE in_group = number AND \(isGone));
            DELETE FROM jobs WHERE key IS NULL AND \(isGone);
            UPDATE jobs SET topic = \(JobColumns.noTopic), due = NULL, lease = NULL,
                token_high = NULL, token_low = NULL, worker = NULL, caller = NULL WHERE \(isGone)
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
        let chooser = StoredCaller(
            uid: row.optionalInteger(GroupColumns.deadUID).map { UInt32(truncatingIfNeeded: $0) },
            token: row.text(GroupColumns.deadToken))
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
            deadChooser: dead.map { _ in chooser },
            isOrderedByKey: row.integer(GroupColumns.byKey) != 0,
            inFlightMax: Int(row.integer(GroupColumns.inFlight)),
            replies: row.integer(GroupColumns.replies) != 0,
            persists: row.integer(GroupColumns.persists) != 0,
            owner: row.optionalInteger(GroupColumns.owner).map { UInt32(truncatingIfNeeded: $0) },
            epoch: row.integer(GroupColumns.epoch), reach: row.id(GroupColumns.reach),
            reportedThrough: row.id(GroupColumns.gapReported), gap: gap, tally: tally)
    }

    /// - Parameter last: The lease of the row before: jobs of a batch share theirs.
    private static func job(
        _ row: Statement, of topic: TopicName, lease last: inout JobLease?
    ) -> JobRecord {
        let state: JobRecord.State
        if row.isNull(JobColumns.tokenHigh) {
            state = .waiting(microseconds: row.integer(JobColumns.due))
        } else {
            let lease = lease(row, behind: last)
            last = lease
            state = .leased(lease)
        }
        return JobRecord(
            id: row.id(JobColumns.id), topic: topic, key: row.text(JobColumns.key),
            attempt: Int(row.integer(JobColumns.attempt)), state: state)
    }

    private static func lease(_ row: Statement, behind last: JobLease?) -> JobLease {
        let token = LeaseToken(
            high: UInt64(bitPattern: row.integer(JobColumns.tokenHigh)),
            low: UInt64(bitPattern: row.integer(JobColumns.tokenLow)))
        if let last, last.token == token { return last }
        return JobLease(
            token: token, length: row.integer(JobColumns.lease),
            worker: row.text(JobColumns.worker), caller: row.text(JobColumns.caller))
    }
}
