internal import Topics

/// The rows of work groups and of their jobs, as changes leave them.
///
/// Belongs to the writer's thread.
struct GroupRows {
    private let put: Statement
    private let remove: Statement
    private let putJob: Statement
    private let removeJob: Statement
    private let removeJobs: Statement
    private let revive: Statement
    private let boot: Int64?

    /// - Parameter boot: The number of the boot that rows are written under. Nil where each life
    ///   begins all spans anew.
    init(_ database: Database, boot: Int64?) throws(DatabaseError) {
        self.boot = boot
        put = try database.prepare(
            """
            INSERT INTO groups (\(GroupColumns.names)) VALUES (\(GroupColumns.parameters))
            ON CONFLICT (number) DO UPDATE SET \(GroupColumns.replacements)
            """)
        remove = try database.prepare("DELETE FROM groups WHERE number = ?1")
        putJob = try database.prepare(
            "REPLACE INTO jobs (\(JobColumns.names)) VALUES (\(JobColumns.parameters))")
        removeJob = try database.prepare("DELETE FROM jobs WHERE in_group = ?1 AND id = ?2")
        removeJobs = try database.prepare("DELETE FROM jobs WHERE in_group = ?1")
        revive = try database.prepare("UPDATE events SET revived = 1 WHERE id = ?1")
    }

    /// Makes a change of a group; a transaction is open.
    ///
    /// - Parameter now: The time, by which delays go on under another boot.
    /// - Complexity: O(jobs that it names); O(open jobs of the group) where all go.
    func write(
        _ change: WorkChange, _ topics: inout TopicRows, now: Timestamp
    ) throws(DatabaseError) {
        if change.forgetsJobs || change.removesGroup {
            removeJobs.bind(change.group.rawValue, at: 1)
            try removeJobs.run()
        }
        if change.removesGroup {
            remove.bind(change.group.rawValue, at: 1)
            return try remove.run()
        }
        if let record = change.record { try write(record, change.group) }
        removeJob.bind(change.group.rawValue, at: 1)
        for id in change.settled {
            removeJob.bind(id, at: 2)
            try removeJob.run()
        }
        putJob.bind(change.group.rawValue, at: JobColumns.group + 1)
        // Jobs of one change are mostly of one topic.
        var last: TopicState?
        for job in change.open {
            let topic =
                if let last, last.name == job.topic { last } else {
                    try topics.ensure(job.topic, owner: nil)
                }
            last = topic
            try write(job, of: topic, now: now)
        }
        if let letter = change.revived {
            revive.bind(letter.id, at: 1)
            try revive.run()
        }
    }

    private func write(_ record: GroupRecord, _ number: GroupNumber) throws(DatabaseError) {
        put.bind(number.rawValue, at: GroupColumns.number + 1)
        put.bind(record.name, at: GroupColumns.name + 1)
        put.bind(record.terms.joined(separator: ","), at: GroupColumns.selector + 1)
        for (index, setting) in GroupSetting.stored.enumerated() {
            let column = GroupColumns.settings + Int32(index) + 1
            switch GroupColumns.stored(setting.value(in: record.settings)) {
            case .number(let number)?: put.bind(number, at: column)
            case .text(let text)?: put.bind(text, at: column)
            case nil: put.bind(Int64?.none, at: column)
            }
        }
        put.bind(record.deadChooser?.uid.map { Int64($0) }, at: GroupColumns.deadUID + 1)
        put.bind(record.deadChooser?.token, at: GroupColumns.deadToken + 1)
        put.bind(record.owner.map { Int64($0) }, at: GroupColumns.owner + 1)
        put.bind(record.epoch, at: GroupColumns.epoch + 1)
        put.bind(record.reach, at: GroupColumns.reach + 1)
        put.bind(record.reportedThrough, at: GroupColumns.gapReported + 1)
        put.bind(record.gap.map { Int64($0.after.rawValue) }, at: GroupColumns.gapAfter + 1)
        put.bind(record.gap.map { Int64($0.through.rawValue) }, at: GroupColumns.gapThrough + 1)
        put.bind(record.tally.done, at: GroupColumns.done + 1)
        put.bind(record.tally.dead, at: GroupColumns.failed + 1)
        put.bind(record.tally.gone, at: GroupColumns.gone + 1)
        put.bind(record.tally.expired, at: GroupColumns.expired + 1)
        try put.run()
    }

    private func write(
        _ job: JobRecord, of topic: TopicState, now: Timestamp
    ) throws(DatabaseError) {
        var due: Int64?
        var lease: JobLease?
        switch job.state {
        case .waiting(let microseconds): due = microseconds
        case .leased(let taken): lease = taken
        }
        putJob.bind(job.id, at: JobColumns.id + 1)
        putJob.bind(topic.number, at: JobColumns.topic + 1)
        putJob.bind(Int64(job.attempt), at: JobColumns.attempt + 1)
        putJob.bind(job.key, at: JobColumns.key + 1)
        putJob.bind(due, at: JobColumns.due + 1)
        putJob.bind(lease?.length, at: JobColumns.lease + 1)
        putJob.bind(lease.map { Int64(bitPattern: $0.token.high) }, at: JobColumns.tokenHigh + 1)
        putJob.bind(lease.map { Int64(bitPattern: $0.token.low) }, at: JobColumns.tokenLow + 1)
        putJob.bind(lease?.worker, at: JobColumns.worker + 1)
        putJob.bind(lease?.caller, at: JobColumns.caller + 1)
        // A job that waits for nothing needs no end.
        let ends = lease != nil || due != 0
        putJob.bind(ends ? boot : nil, at: JobColumns.boot + 1)
        putJob.bind(ends && boot != nil ? job.until : nil, at: JobColumns.until + 1)
        // A replica has the time of the order, by which a lease is named too.
        let time = boot == nil ? job.until : due.map { now.advanced(microseconds: $0).microseconds }
        putJob.bind(ends ? time : nil, at: JobColumns.untilTime + 1)
        try putJob.run()
    }
}

/// The columns of whole rows of `groups`, in the order in which statements name them.
enum GroupColumns {
    static let number: Int32 = 0
    static let name: Int32 = 1
    static let selector: Int32 = 2
    static let owner: Int32 = 3
    static let epoch: Int32 = 4
    static let reach: Int32 = 5
    static let gapReported: Int32 = 6
    static let gapAfter: Int32 = 7
    static let gapThrough: Int32 = 8
    static let done: Int32 = 9
    static let failed: Int32 = 10
    static let gone: Int32 = 11
    static let expired: Int32 = 12
    static let deadUID: Int32 = 13
    static let deadToken: Int32 = 14
    /// The first of those of ``GroupSetting/stored``.
    static let settings: Int32 = 15

    private static let all =
        [
            "number", "name", "selector", "owner", "epoch", "reach", "gap_reported", "gap_after",
            "gap_through", "done", "failed", "gone", "expired", "dead_uid", "dead_token",
        ] + GroupSetting.stored.compactMap { $0.column.map { "\($0)" } }

    /// A value of a column.
    enum Stored { case number(Int64), text(String) }

    /// The value of a setting in its column; nil where the setting is not named, and for nowhere.
    static func stored(_ value: GroupSetting.Value?) -> Stored? {
        switch value {
        case .number(let number)?: .number(number)
        case .flag(let flag)?: .number(flag ? 1 : 0)
        case .type(let text)?: .text(text)
        case .attributes(let attributes)?: .text(attributes.text)
        case .dead(let dead)?: dead.topic.map { .text($0.text) }
        case .selector, .start, nil: nil
        }
    }

    /// The names, for a statement.
    static let names = all.joined(separator: ", ")
    /// A parameter for each, for a statement.
    static let parameters = all.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    /// The assignments that replace a row that is there already, for a statement.
    static let replacements =
        all.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
}

/// The columns of whole rows of `jobs`, in the order in which statements name them.
enum JobColumns {
    static let group: Int32 = 0
    static let id: Int32 = 1
    static let topic: Int32 = 2
    static let attempt: Int32 = 3
    static let due: Int32 = 4
    static let lease: Int32 = 5
    static let tokenHigh: Int32 = 6
    static let tokenLow: Int32 = 7
    static let worker: Int32 = 8
    static let caller: Int32 = 9
    static let key: Int32 = 10
    static let boot: Int32 = 11
    static let until: Int32 = 12
    static let untilTime: Int32 = 13

    private static let all = [
        "in_group", "id", "topic", "attempt", "due", "lease", "token_high", "token_low", "worker",
        "caller", "key", "boot", "until", "until_time",
    ]

    /// The names, for a statement.
    static let names = all.joined(separator: ", ")
    /// A parameter for each, for a statement.
    static let parameters = all.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
}
