import Topics

@testable import SQLiteStore

/// What changes of work groups are made of, with short verbs.
enum WorkSamples {
    static func record(_ name: String, reach: UInt64 = 0, done: Int64 = 0) -> GroupRecord {
        var tally = JobTally()
        tally.done = done
        return GroupRecord(
            name: name, terms: ["jobs.*", "mail"], settings: .standard, deadChooser: nil,
            owner: nil, epoch: 0, reach: EventID(rawValue: reach), reportedThrough: .zero, gap: nil,
            tally: tally)
    }

    static func waiting(_ id: EventID, _ topic: String, attempt: Int = 0) throws -> JobRecord {
        JobRecord(
            id: id, topic: try TopicName(topic), key: nil, attempt: attempt,
            state: .waiting(microseconds: 1_500), until: 7_001_500)
    }

    static func leased(_ id: EventID, _ topic: String, token: UInt64) throws -> JobRecord {
        let lease = JobLease(
            token: LeaseToken(high: .max, low: token), length: 30_000_000, worker: "w1",
            caller: "uid 7")
        return JobRecord(
            id: id, topic: try TopicName(topic), key: "k1", attempt: 1, state: .leased(lease),
            until: 37_000_000)
    }

    static func change(
        _ number: Int64, persists: Bool = true, record: GroupRecord? = nil,
        open: [JobRecord] = [], settled: [EventID] = []
    ) -> WorkChange {
        var change = WorkChange(of: GroupNumber(rawValue: number), persists: persists)
        change.record = record
        change.open = open
        change.settled = settled
        return change
    }
}

extension StoredGroup {
    /// All of it, to compare.
    var whole: [AnyHashable] { [number, record, jobs] }
}
