internal import Topics

/// Reads the work groups at a start: their rows, and those of their jobs.
enum GroupLoading {
    /// Reads all groups by their numbers, each with its jobs by their ids.
    ///
    /// A job whose topic nobody remembers any more lost its event with it, and counts as gone: the
    /// transaction that is open removes its row.
    ///
    /// - Parameter boot: The boot of the life that begins. Its clock tells the ends of spans. Nil where
    ///   the time of an order tells them.
    /// - Complexity: O(groups × log jobs + jobs).
    static func load(
        _ database: Database, _ boot: BootMark?
    ) throws(DatabaseError) -> [StoredGroup] {
        var found: [StoredGroup] = []
        let topics = try names(database)
        let all = try database.prepare("SELECT \(GroupColumns.names) FROM groups ORDER BY number")
        let jobs = try database.prepare(
            "SELECT \(JobColumns.names) FROM jobs WHERE in_group = ?1 ORDER BY id")
        var gone = 0
        var last = (number: Int64?.none, name: TopicName?.none)
        var lease: JobLease?
        while try all.step() {
            let number = GroupNumber(rawValue: try all.integer(GroupColumns.number, .groupNumber))
            guard var record = try record(all) else {
                throw .damaged("group \(number.rawValue) makes no sense")
            }
            var open: [JobRecord] = []
            // Groups are often alike, and moving an array that grows takes most of the time.
            open.reserveCapacity(found.last?.jobs.count ?? 0)
            jobs.bind(number.rawValue, at: 1)
            while try jobs.step() {
                let number = try jobs.integer(JobColumns.topic, .jobTopic)
                if number != last.number { last = (number, topics[number]) }
                if let topic = last.name {
                    open.append(try job(jobs, of: topic, boot, lease: &lease))
                    continue
                }
                record.tally.gone += 1
                gone += 1
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
            let number = try all.integer(0, .topicNumber)
            if let name = try? TopicName(all.text(1) ?? "") { names[number] = name }
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

    /// The group in a row; nil if the row describes none.
    private static func record(_ row: Statement) throws(DatabaseError) -> GroupRecord? {
        guard let name = row.text(GroupColumns.name), let selector = row.text(GroupColumns.selector)
        else { return nil }
        guard let settings = try settings(row) else { return nil }
        let chooser = StoredCaller(
            uid: try row.user(GroupColumns.deadUID, .groupDeadUID),
            token: row.text(GroupColumns.deadToken))
        var gap: Gap?
        if !row.isNull(GroupColumns.gapThrough) {
            gap = Gap(
                after: try row.id(GroupColumns.gapAfter, .groupGapAfter),
                through: try row.id(GroupColumns.gapThrough, .groupGapThrough))
        }
        var tally = JobTally()
        tally.done = try row.integer(GroupColumns.done, .groupDone)
        tally.dead = try row.integer(GroupColumns.failed, .groupFailed)
        tally.gone = try row.integer(GroupColumns.gone, .groupGone)
        tally.expired = try row.integer(GroupColumns.expired, .groupExpired)
        return GroupRecord(
            name: name, terms: selector.split(separator: ",").map(String.init),
            settings: settings, deadChooser: settings.dead?.topic.map { _ in chooser },
            owner: try row.user(GroupColumns.owner, .groupOwner),
            epoch: try row.integer(GroupColumns.epoch, .groupEpoch),
            reach: try row.id(GroupColumns.reach, .groupReach),
            reportedThrough: try row.id(GroupColumns.gapReported, .groupGapReported), gap: gap,
            tally: tally)
    }

    /// The settings in a row; nil if the row describes none. An empty column means the default.
    private static func settings(_ row: Statement) throws(DatabaseError) -> GroupSettings? {
        var settings = GroupSettings()
        for (index, setting) in GroupSetting.stored.enumerated() {
            let place = GroupColumns.settings + Int32(index)
            var value: GroupSetting.Value?
            if let column = NumberColumn.groupSettings[index] {
                value = try row.optionalInteger(place, column).map { number in
                    column.range == Limits.flags ? .flag(number == 1) : .number(number)
                }
            } else if let text = row.text(place) {
                switch setting.form {
                case .deadLetters:
                    guard let topic = try? TopicName(text) else { return nil }
                    value = .dead(.topic(topic))
                case .attributes:
                    guard let attributes = try? EventAttributes(text: text) else { return nil }
                    value = .attributes(attributes)
                default: value = .type(text)
                }
            }
            setting.set(value ?? setting.value(in: .standard), in: &settings)
        }
        return settings
    }

    /// - Parameter last: The lease of the row before: jobs of a batch share theirs.
    private static func job(
        _ row: Statement, of topic: TopicName, _ boot: BootMark?, lease last: inout JobLease?
    ) throws(DatabaseError) -> JobRecord {
        let state: JobRecord.State
        // A job without a lease and without `due` waits for nothing.
        let due = try row.optionalInteger(JobColumns.due, .jobDue) ?? 0
        if row.isNull(JobColumns.tokenHigh) {
            state = .waiting(microseconds: due)
        } else {
            let lease = try lease(row, behind: last)
            last = lease
            state = .leased(lease)
        }
        let until: Int64
        if let boot {
            until = boot.end(of: try span(row, state))
        } else {
            until = try row.optionalInteger(JobColumns.untilTime, .jobUntilTime) ?? 0
        }
        return JobRecord(
            id: try row.id(JobColumns.id, .jobID), topic: topic, key: row.text(JobColumns.key),
            attempt: Int(try row.integer(JobColumns.attempt, .jobAttempt)), state: state,
            until: until)
    }

    private static func span(
        _ row: Statement, _ state: JobRecord.State
    ) throws(DatabaseError) -> BootMark.Row {
        var time = try row.optionalInteger(JobColumns.untilTime, .jobUntilTime)
        // No time ends a lease.
        if case .leased = state { time = nil }
        return BootMark.Row(
            boot: try row.optionalInteger(JobColumns.boot, .jobBoot),
            until: try row.optionalInteger(JobColumns.until, .jobUntil),
            time: time.map { Timestamp(microseconds: $0) }, span: state.span)
    }

    private static func lease(
        _ row: Statement, behind last: JobLease?
    ) throws(DatabaseError) -> JobLease {
        let high = try row.integer(JobColumns.tokenHigh, .jobTokenHigh)
        let low = try row.optionalInteger(JobColumns.tokenLow, .jobTokenLow) ?? 0
        let length = try row.optionalInteger(JobColumns.lease, .jobLease) ?? 0
        let token = LeaseToken(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
        if let last, last.token == token { return last }
        return JobLease(
            token: token, length: length, worker: row.text(JobColumns.worker),
            caller: row.text(JobColumns.caller))
    }
}
